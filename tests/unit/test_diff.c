/* Two programs that differ in one thing, or in none: what is told of it. */

#include <stdio.h>

#include "base/text.h"
#include "unit/small_diff.h"

START_TEST(diff_accepts_equal_programs)
{
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_numbers_of_nodes)
{
    given("UPDATE node SET name = 'mul_41', args = replace(args, '\"mul\"',"
          " '\"mul_41\"') WHERE name = 'mul';"
          "UPDATE node SET args = replace(args, '\"mul\"', '\"mul_41\"')");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_one_op_where_one_is_inserted)
{
    diff_build_new(true);
    expect_diff("1 op added in a\n"
                "op added aten::relu.default relu -> f32 [2]\n"
                "flops changed FLOPs: 4 -> 6\n");
}
END_TEST

/* The input is called like the argument that it is. */
START_TEST(diff_accepts_arguments_that_are_called_like_nodes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("UPDATE node SET name = 'self' WHERE name = 'x';"
              "UPDATE node SET args = replace(args, '\"x\"', '\"self\"')");
    }
    given("UPDATE node SET name = 'other' WHERE name = 'self';"
          "UPDATE node SET args = replace(args, '\"tensor\":\"self\"',"
          " '\"tensor\":\"other\"')");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_an_op_that_is_gone)
{
    struct dg_store *old = diff_programs[0];

    diff_build_new(true);
    diff_programs[0] = diff_programs[1];
    diff_programs[1] = old;
    expect_diff("1 op removed in a\n"
                "op removed aten::relu.default relu: f32 [2]\n"
                "flops changed FLOPs: 6 -> 4\n");
}
END_TEST

START_TEST(diff_tells_another_operator_in_one_place)
{
    given("UPDATE op SET name = 'aten::gelu.default' WHERE id ="
          " (SELECT op_id FROM node WHERE name = 'relu');"
          "UPDATE node SET name = 'gelu' WHERE name = 'relu';"
          "UPDATE node SET args = replace(args, '\"relu\"', '\"gelu\"')");
    expect_diff("1 op changed in a\n"
                "op changed operator gelu: aten::relu.default -> aten::gelu.default\n");
}
END_TEST

START_TEST(diff_tells_other_arguments)
{
    given("UPDATE node SET args = replace(args, '\"int\":1', '\"int\":0')");
    expect_diff("1 op changed in b\n"
                "op changed arguments softmax: dim=1 -> dim=0\n");
}
END_TEST

START_TEST(diff_tells_every_argument_that_is_another_one)
{
    given("UPDATE node SET args = replace(args, '\"int\":1}', '\"int\":0},"
          "{\"name\":\"half_to_float\",\"bool\":false}')");
    expect_diff("1 op changed in b\n"
                "op changed arguments softmax: dim=1, no half_to_float -> dim=0,"
                " half_to_float=false\n");
}
END_TEST

START_TEST(diff_tells_an_argument_that_came_between_others)
{
    given("UPDATE node SET args = replace(args, '{\"name\":\"dim\",\"int\":1}',"
          " '{\"name\":\"dtype\",\"int\":6},{\"name\":\"dim\",\"int\":0}')");
    expect_diff("1 op changed in b\n"
                "op changed arguments softmax: no dtype, dim=1 -> dtype=6, dim=0\n");
}
END_TEST

START_TEST(diff_takes_no_notice_of_where_an_exporter_had_its_graphs)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given(s ? "UPDATE node SET meta = '{\"from_node\":\"[{\\\"graph_id\\\": 17, "
                  "1}]\"}'"
                : "UPDATE node SET meta = '{\"from_node\":\"[{\\\"graph_id\\\": 239, "
                  "1}]\"}'");
    }
    expect_diff("no difference\n");
    given("UPDATE node SET meta = replace(meta, ', 1', ', 2') WHERE name = 'softmax'");
    expect_diff("other metadata\nmetadata changed nodes softmax\n");
}
END_TEST

START_TEST(diff_tells_who_reads_another_node)
{
    given("UPDATE edge SET src = (SELECT id FROM node WHERE name = 'x') WHERE src ="
          " (SELECT id FROM node WHERE name = 'relu');"
          "UPDATE node SET args = replace(args, '\"relu\"', '\"x\"')");
    expect_diff("1 op changed in b\n"
                "op changed reads mul: relu -> x\n");
}
END_TEST

START_TEST(diff_tells_other_shapes_and_dtypes)
{
    given("UPDATE value SET dtype = 'f16' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: f32 [2] -> f16 [2]\n");
}
END_TEST

START_TEST(diff_tells_another_signature)
{
    given("UPDATE value SET shape = '[3]' WHERE name = 'x'");
    expect_diff("other signature\n"
                "signature changed type input 0: f32 [2] -> f32 [3]\n");
}
END_TEST

START_TEST(diff_tells_what_is_written_back)
{
    given_signature("output", "mul", "buffer_mutation", "cache");
    expect_diff("1 mutable buffer changed\n"
                "state added written back cache -> buffer_mutation\n");
}
END_TEST

/* A file claims what it likes. */
START_TEST(diff_adds_up_sizes_that_are_more_than_a_number_holds)
{
    const struct dg_diff_sizes claimed = {100, INT64_MAX, INT64_MAX, 0};

    given("UPDATE constant SET nbytes = 9223372036854775807;"
          "INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes)"
          " VALUES (1, 0, 'key', 0, 24)");
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("1 weight added\n"
                "weight added key -> 24 bytes\n"
                "size changed weights: 8 B -> 8.0 EiB\n");
    ck_assert_int_eq(dg_diff_rest(&claimed), 0);
}

START_TEST(diff_takes_bytes_of_the_container_for_no_difference)
{
    given("UPDATE artifact SET size_bytes = 8192");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_new_findings_and_those_that_are_fixed)
{
    static const char finding[] =
        "INSERT INTO finding (artifact_id, rule, severity, message, witness, "
        "fingerprint,"
        " node_id) VALUES (1, 'graph/acyclic', 'error', 'a loop', '[]', '%s', %d)";

    given_format(finding, "one", 3);
    expect_diff("1 new error\n"
                "finding added graph/acyclic relu -> a loop, error\n");
    rules_store = diff_programs[0];
    given_format(finding, "other", 3);
    expect_diff("no difference\n"); /* of the same node */
    given_format(finding, "other still", 4);
    expect_diff("1 error fixed\n"
                "finding removed graph/acyclic mul: a loop, error\n");
    diff_ignored = DG_DIFF_FINDINGS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_one_of_several_findings_of_a_node)
{
    static const char finding[] =
        "INSERT INTO finding (artifact_id, rule, severity, message, witness, "
        "fingerprint, node_id) VALUES (1, 'graph/acyclic', 'error', '%s', '[]', '%s', "
        "3)";

    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_format(finding, "one", i ? "a" : "b");
        given_format(finding, "two", i ? "c" : "d");
    }
    expect_diff("no difference\n");
    given_format(finding, "three", "e");
    expect_diff("1 new error\n"
                "finding added graph/acyclic relu -> three, error\n");
}
END_TEST

START_TEST(diff_writes_compile_specs_as_text_where_they_are_text)
{
    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_format(
            "INSERT INTO delegate (id, method_id, idx, name, backend, blob_bytes,"
            " blob_xxh3) VALUES (1, 1, 0, 'lowered', 'Demo', 4, 'a');"
            "INSERT INTO compile_spec VALUES (1, 0, 'units', CAST('%s' AS BLOB)),"
            " (1, 1, 'mode', %s)",
            i ? "cpu_and_gpu" : "all", i ? "x'2278'" : "x'610062'");
    }
    expect_diff("1 delegate changed\n"
                "delegate changed compile specs lowered: units=\"all\" mode=x'610062'"
                " -> units=\"cpu_and_gpu\" mode=x'2278', Demo\n");
}

/* relu reads an item of a pair, or x. */
static void build_item(int side, bool reads)
{
    dg_store_close(diff_programs[side]);
    program_begin();
    diff_programs[side] = rules_store;
    given_input(1, "x", "f32", "[2]");
    given_tuple(1, "max_1", "aten::max.dim", LAST("x"), "x");
    if (reads)
        given_call(1, "getitem", "_operator.getitem",
                   "[{\"name\":\"\",\"tensor\":\"max_1\"},{\"name\":\"\",\"int\":0}]",
                   "max_1");
    given_call(1, "relu", "aten::relu.default", reads ? SELF("getitem") : SELF("x"),
               reads ? "getitem" : "x");
    given_output(1, ONE("relu"), "relu");
    given_signature("output", "relu", "user_output", NULL);
}

/* The item is gone with its reader, and nobody says so. */
START_TEST(diff_tells_who_reads_no_item_of_a_tuple_any_more)
{
    build_item(0, true);
    build_item(1, false);
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    expect_diff("1 op changed\n"
                "op changed reads relu: getitem -> x\n");
}
END_TEST

Suite *diff_suite(void)
{
    Suite *suite = suite_create("diff");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, diff_open, diff_close);
    tcase_add_test(all, diff_accepts_equal_programs);
    tcase_add_test(all, diff_accepts_other_numbers_of_nodes);
    tcase_add_test(all, diff_tells_one_op_where_one_is_inserted);
    tcase_add_test(all, diff_accepts_arguments_that_are_called_like_nodes);
    tcase_add_test(all, diff_tells_an_op_that_is_gone);
    tcase_add_test(all, diff_tells_another_operator_in_one_place);
    tcase_add_test(all, diff_tells_other_arguments);
    tcase_add_test(all, diff_takes_no_notice_of_where_an_exporter_had_its_graphs);
    tcase_add_test(all, diff_tells_every_argument_that_is_another_one);
    tcase_add_test(all, diff_tells_an_argument_that_came_between_others);
    tcase_add_test(all, diff_tells_who_reads_another_node);
    tcase_add_test(all, diff_tells_other_shapes_and_dtypes);
    tcase_add_test(all, diff_tells_another_signature);
    tcase_add_test(all, diff_tells_what_is_written_back);
    tcase_add_test(all, diff_adds_up_sizes_that_are_more_than_a_number_holds);
    tcase_add_test(all, diff_takes_bytes_of_the_container_for_no_difference);
    tcase_add_test(all, diff_tells_new_findings_and_those_that_are_fixed);
    tcase_add_test(all, diff_tells_one_of_several_findings_of_a_node);
    tcase_add_test(all, diff_writes_compile_specs_as_text_where_they_are_text);
    tcase_add_test(all, diff_tells_who_reads_no_item_of_a_tuple_any_more);
    suite_add_tcase(suite, all);
    return suite;
}
