/* Rules about instructions, the operators that they call, and those that emission
 * makes of an edge program. */
#include "unit/rules.h"

#include <string.h>

#include "formats/pte_schema.h"
#include "unit/pte_file.h"

static void given_calls(void)
{
    rules_open_pte();
    for (int i = 0; i < 3; i++)
        tensor(i, 16 * i, 16);
    call_op("aten::mm.out", "0", "", "1");
    call_op("aten::relu.out", "1", "", "2");
    given("INSERT INTO plan_operator VALUES (1, 0, 1), (1, 1, 2);"
          "UPDATE node SET op_index = idx");
}

START_TEST(plan_instruction_kind_accepts_known_instructions)
{
    expect("plan/instruction-kind", "");
}

START_TEST(plan_instruction_kind_reports_an_unknown_type_and_one_without_content)
{
    given("UPDATE node SET kind = 'unknown', meta = '{\"instr_args_type\":9}'"
          " WHERE id = 1;"
          "UPDATE node SET kind = 'unknown', meta = '{\"instr_args_type\":3}'"
          " WHERE id = 2");
    expect("plan/instruction-kind",
           "error instruction 0 is of type 9; 1 to 5 are known\n"
           "error instruction 1, of type 3, has no content\n");
}

START_TEST(plan_op_index_accepts_the_last_operator)
{
    expect("plan/op-index", "");
}

START_TEST(plan_op_index_reports_one_behind_the_last)
{
    given("UPDATE node SET op_index = 2, op_id = NULL WHERE id = 2");
    expect("plan/op-index", "error calls operator 2; the method lists 2\n");
}

START_TEST(plan_op_name_accepts_99_characters)
{
    given("UPDATE op SET name = 'demo::' || substr(hex(zeroblob(99)), 1, 93)"
          " WHERE id = 1");
    expect("plan/op-name", "");
}

START_TEST(plan_op_name_reports_100_characters_and_none)
{
    given("UPDATE op SET name = 'demo::' || substr(hex(zeroblob(99)), 1, 94)"
          " WHERE id = 1;"
          "UPDATE plan_operator SET op_id = NULL WHERE idx = 1;"
          "UPDATE node SET op_id = NULL WHERE id = 2");
    expect("plan/op-name",
           "error the name of operator 0, demo::0000000000000000000000000000000000...,"
           " has 100 characters; the runtime keeps 99\n"
           "error operator 1 has no name; 1 call\n");
    expect("plan/op-index", "");
}

START_TEST(plan_op_name_accepts_what_nothing_calls)
{
    given("INSERT INTO plan_operator VALUES (1, 2, NULL)");
    expect("plan/op-name", "");
}

START_TEST(plan_op_available_is_not_checked_without_a_list)
{
    expect_not_checked("plan/op-available", "no operators are given (--ops LIST)");
}

START_TEST(plan_op_available_accepts_the_default_overload_either_way)
{
    given(
        "INSERT INTO setting VALUES ('op', 'aten::mm.out'), ('op', 'demo::f.default');"
        "UPDATE op SET name = 'demo::f' WHERE id = 2");
    expect("plan/op-available", "");
    given("UPDATE op SET name = 'demo::f.default' WHERE id = 2;"
          "UPDATE setting SET value = 'demo::f' WHERE value LIKE 'demo%'");
    expect("plan/op-available", "");
}

START_TEST(plan_op_available_reports_an_operator_that_the_runtime_lacks)
{
    given("INSERT INTO setting VALUES ('op', 'aten::mm.out')");
    expect("plan/op-available",
           "error aten::relu.out is not in --ops, which lists aten::mm.out; 1 call\n");
    given("INSERT INTO setting VALUES ('op', 'a::b'), ('op', 'a::c'), ('op', 'a::d')");
    expect("plan/op-available",
           "error aten::relu.out is not in --ops, which lists 4 operators; 1 call\n");
}

START_TEST(plan_op_training_only_accepts_a_batch_norm_in_inference)
{
    given("UPDATE op SET name = 'aten::_native_batch_norm_legit.out' WHERE id = 1;"
          "INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (9, 1, 8, 'bool', 0);"
          "INSERT INTO operand VALUES (1, 5, 8, 9, 'read')");
    expect("plan/op-training-only", "");
}

START_TEST(plan_op_training_only_warns_of_a_batch_norm_that_trains)
{
    given("UPDATE op SET name = 'aten::_native_batch_norm_legit.out' WHERE id = 1;"
          "INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (9, 1, 8, 'bool', 1);"
          "INSERT INTO operand VALUES (1, 5, 8, 9, 'read')");
    expect("plan/op-training-only",
           "warning aten::_native_batch_norm_legit.out is told to train; 1 call\n");
    given("UPDATE method SET name = '__et_training_gradients_index_forward'");
    expect("plan/op-training-only", "");
}

START_TEST(plan_op_training_only_warns_of_dropout_in_an_archive)
{
    rules_close();
    rules_open();
    given_chain();
    given("UPDATE op SET name = 'aten::dropout.default';"
          "UPDATE node SET args = '[{\"name\":\"input\",\"tensor\":\"x\"},"
          "{\"name\":\"p\",\"float\":0.5},{\"name\":\"train\",\"bool\":false}]'"
          " WHERE id = 2");
    expect("plan/op-training-only", "");
    given("UPDATE node SET args = replace(args, 'false', 'true')");
    expect("plan/op-training-only",
           "warning aten::dropout.default is told to train; 1 call\n");
}

START_TEST(format_min_size_accepts_64_bytes)
{
    given("UPDATE artifact SET size_bytes = 64");
    expect("format/min-size", "");
}

START_TEST(format_min_size_reports_63_bytes)
{
    given("UPDATE artifact SET size_bytes = 63");
    expect("format/min-size",
           "error the file has 63 bytes, the runtime reads the first 64\n");
}

START_TEST(a_root_table_inside_of_the_identifier_is_refused)
{
    pte_open("data/tiny.pte");
    pte.bytes[0] = 4;
    ck_assert_int_eq(pte_read(pte.size), DG_ERR_FORMAT);
    ck_assert_str_eq(pte.err.text, "byte 0: the root table begins at byte 4, before the"
                                   " end of the identifier");
    pte_close();
}

/* An empty table behind its vtable, and nothing else: "ET12", root at byte 16. */
START_TEST(format_constant_deprecated_warns_of_a_program_without_constants)
{
    static const uint8_t empty[] = {16, 0, 0, 0, 'E', 'T', '1', '2', 4, 0, 4, 0,
                                    0,  0, 0, 0, 8,   0,   0,   0,   0, 0, 0, 0};

    pte_open("data/tiny.pte");
    memcpy(pte.bytes, empty, sizeof(empty));
    ck_assert_int_eq(pte_read(sizeof(empty)), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("format/constant-deprecated"), 1);
    pte_close();
    pte_load("data/tiny.pte");
    ck_assert_uint_eq(pte_count_remarks("format/constant-deprecated"), 0);
    pte_close();
}

static void given_edge_call(const char *op)
{
    rules_close();
    rules_open();
    given_chain();
    dg_store_set(rules_store, "x", dg_text(op), &rules_err);
    given("UPDATE op SET name = (SELECT value FROM setting),"
          " namespace = substr((SELECT value FROM setting), 1, 4);"
          "DELETE FROM setting; UPDATE method SET ir = 'edge';"
          "INSERT INTO setting VALUES ('op', 'aten::relu.out'), ('op', "
          "'aten::full.out')");
}

START_TEST(graph_out_variant_exists_is_not_checked_without_a_list)
{
    given_edge_call("aten::relu.default");
    given("DELETE FROM setting");
    expect_not_checked("graph/out-variant-exists",
                       "no operators are given (--ops LIST)");
}

START_TEST(graph_out_variant_exists_accepts_what_the_runtime_has)
{
    given_edge_call("aten::relu.default");
    expect("graph/out-variant-exists", "");
    given_edge_call("aten::full.default");
    expect("graph/out-variant-exists", "");
    given_edge_call("aten::view_copy.default");
    expect("graph/out-variant-exists", "");
}

START_TEST(graph_out_variant_exists_reports_what_the_host_cannot_run)
{
    given_edge_call("aten::sin.default");
    expect("graph/out-variant-exists",
           "warning aten::sin.default becomes aten::sin.out, which is not among the 2"
           " operators of --ops; 1 call\n");
    given("INSERT INTO setting VALUES ('for', 'executorch')");
    expect("graph/out-variant-exists",
           "error aten::sin.default becomes aten::sin.out, which is not among the 2"
           " operators of --ops; 1 call\n");
    given_edge_call("aten::alias.default");
    expect("graph/out-variant-exists",
           "warning aten::alias.default has no out variant; 1 call\n");
    given_edge_call("demo::f.default");
    expect("graph/out-variant-exists",
           "warning demo::f.default becomes demo::f.out, which is not among the 2"
           " operators of --ops; 1 call\n");
}

START_TEST(graph_out_variant_exists_leaves_delegates_alone)
{
    given_edge_call("aten::sin.default");
    given("INSERT INTO part_run VALUES (1, 1, 'plan', NULL, NULL);"
          "INSERT INTO partition (id, part_run_id, graph_id, pos, tag, backend) VALUES"
          " (1, 1, 1, 0, 'A', 'XnnpackBackend');"
          "INSERT INTO partition_node VALUES (1, 0, 2)");
    expect("graph/out-variant-exists", "");
}

Suite *plan_rules_ops_suite(void)
{
    Suite *suite = suite_create("plan rules ops");
    TCase *all = tcase_create("all"), *files = tcase_create("files");

    tcase_add_checked_fixture(all, given_calls, rules_close);
    tcase_add_test(all, plan_instruction_kind_accepts_known_instructions);
    tcase_add_test(
        all, plan_instruction_kind_reports_an_unknown_type_and_one_without_content);
    tcase_add_test(all, plan_op_index_accepts_the_last_operator);
    tcase_add_test(all, plan_op_index_reports_one_behind_the_last);
    tcase_add_test(all, plan_op_name_accepts_99_characters);
    tcase_add_test(all, plan_op_name_reports_100_characters_and_none);
    tcase_add_test(all, plan_op_name_accepts_what_nothing_calls);
    tcase_add_test(all, plan_op_available_is_not_checked_without_a_list);
    tcase_add_test(all, plan_op_available_accepts_the_default_overload_either_way);
    tcase_add_test(all, plan_op_available_reports_an_operator_that_the_runtime_lacks);
    tcase_add_test(all, plan_op_training_only_accepts_a_batch_norm_in_inference);
    tcase_add_test(all, plan_op_training_only_warns_of_a_batch_norm_that_trains);
    tcase_add_test(all, plan_op_training_only_warns_of_dropout_in_an_archive);
    tcase_add_test(all, format_min_size_accepts_64_bytes);
    tcase_add_test(all, format_min_size_reports_63_bytes);
    tcase_add_test(all, graph_out_variant_exists_is_not_checked_without_a_list);
    tcase_add_test(all, graph_out_variant_exists_accepts_what_the_runtime_has);
    tcase_add_test(all, graph_out_variant_exists_reports_what_the_host_cannot_run);
    tcase_add_test(all, graph_out_variant_exists_leaves_delegates_alone);
    tcase_add_test(files, a_root_table_inside_of_the_identifier_is_refused);
    tcase_add_test(files,
                   format_constant_deprecated_warns_of_a_program_without_constants);
    suite_add_tcase(suite, all);
    suite_add_tcase(suite, files);
    return suite;
}
