#include "unit/rules.h"

/* Node 3 adds nodes 1 and 2, all f32, in an edge program. */
static void open_addition(void)
{
    rules_open();
    given_pt2();
    given(
        "UPDATE method SET ir = 'edge';"
        "INSERT INTO op (id, name, namespace, flags) VALUES"
        " (1, 'aten::add.Tensor', 'aten', 0);"
        "INSERT INTO value (id, graph_id, idx, name, kind, dtype) VALUES"
        " (1, 1, 0, 'x', 'tensor', 'f32'), (2, 1, 1, 'y', 'tensor', 'f32'),"
        " (3, 1, 2, 'add', 'tensor', 'f32');"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id, args) VALUES"
        " (1, 1, 0, 'x', 'placeholder', NULL, 1, NULL),"
        " (2, 1, 1, 'y', 'placeholder', NULL, 2, NULL),"
        " (3, 1, 2, 'add', 'call_function', 1, 3,"
        "  "
        "'[{\"name\":\"self\",\"tensor\":\"x\"},{\"name\":\"other\",\"tensor\":\"y\"},"
        "{\"name\":\"alpha\",\"int\":2}]');"
        "INSERT INTO edge VALUES (3, 0, 1, 1), (3, 1, 2, 2)");
}

static void expect_types(const char *want)
{
    expect("graph/edge-dtype", want);
}

START_TEST(graph_edge_dtype_accepts_operands_of_one_type)
{
    expect_types("");
}
END_TEST

START_TEST(graph_edge_dtype_reports_a_result_of_another_type)
{
    given("UPDATE value SET dtype = 'i64' WHERE id = 3");
    expect_types("warning takes self f32, other f32 and gives i64; the edge dialect has"
                 " no such aten::add.Tensor\n");
}
END_TEST

START_TEST(graph_edge_dtype_reports_a_type_that_the_operator_never_takes)
{
    given("UPDATE value SET dtype = 'c64'");
    expect_types("warning takes self c64, other c64 and gives c64; the edge dialect has"
                 " no such aten::add.Tensor\n");
}
END_TEST

START_TEST(graph_edge_dtype_knows_arguments_by_position_where_they_have_no_name)
{
    given("UPDATE node SET args = '[{\"name\":\"\",\"tensor\":\"x\"},"
          "{\"name\":\"\",\"tensor\":\"y\"}]' WHERE id = 3;"
          "UPDATE value SET dtype = 'bool' WHERE id = 3");
    expect_types(
        "warning takes self f32, other f32 and gives bool; the edge dialect has"
        " no such aten::add.Tensor\n");
}
END_TEST

START_TEST(graph_edge_dtype_leaves_aten_programs_alone)
{
    given("UPDATE method SET ir = 'aten'; UPDATE value SET dtype = 'i64' WHERE id = 3");
    expect_types("");
}
END_TEST

START_TEST(graph_edge_dtype_leaves_what_a_delegate_was_made_from_to_its_backend)
{
    given("UPDATE \"graph\" SET kind = 'lowered';"
          "UPDATE value SET dtype = 'i64' WHERE id = 3");
    expect_types("");
}
END_TEST

Suite *graph_dtype_rules_suite(void)
{
    Suite *suite = suite_create("graph_dtype_rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_addition, rules_close);
    tcase_add_test(all, graph_edge_dtype_accepts_operands_of_one_type);
    tcase_add_test(all, graph_edge_dtype_reports_a_result_of_another_type);
    tcase_add_test(all, graph_edge_dtype_reports_a_type_that_the_operator_never_takes);
    tcase_add_test(
        all, graph_edge_dtype_knows_arguments_by_position_where_they_have_no_name);
    tcase_add_test(all, graph_edge_dtype_leaves_aten_programs_alone);
    tcase_add_test(
        all, graph_edge_dtype_leaves_what_a_delegate_was_made_from_to_its_backend);
    suite_add_tcase(suite, all);
    return suite;
}
