/* Rules about the calls of delegates, against a lowered module of two inputs, and names
 * of backends. */
#include "unit/small_plan.h"

/* (x, y) goes through lowered_module_0 (graph 2), which gives their sum and product. */
static void given_lowered(void)
{
    plan_input("x", "user_input");
    plan_input("y", "user_input");
    plan_attr("lowered_module_0");
    plan_call("higher_order::executorch_call_delegate", "call", "@lowered_module_0 x y",
              NULL);
    plan_call("_operator.getitem", "sum", "call", NULL);
    plan_call("_operator.getitem", "product", "call", NULL);
    plan_output("sum product");
    plan_graph(2, "lowered_module_0");
    plan_input("x", "user_input");
    plan_input("y", "user_input");
    plan_call("aten::add.Tensor", "add", "x y", NULL);
    plan_call("aten::mul.Tensor", "mul", "x y", NULL);
    plan_output("add mul");
    given("UPDATE \"graph\" SET kind = 'lowered' WHERE id = 2;"
          "INSERT INTO delegate (id, method_id, idx, name, backend, location,"
          "  blob_bytes, graph_id) VALUES"
          " (1, 1, 0, 'lowered_module_0', 'XnnpackBackend', 'inline', 8, 2);"
          "UPDATE node SET delegate_id = 1, args = '[{\"graph\":\"lowered_module_0\"},"
          "{\"tensor\":\"x\"},{\"tensor\":\"y\"}]' WHERE name = 'call';"
          "UPDATE node SET args = '[{\"tensor\":\"call\"},{\"int\":0}]'"
          " WHERE name = 'sum';"
          "UPDATE node SET args = '[{\"tensor\":\"call\"},{\"int\":1}]'"
          " WHERE name = 'product';"
          "UPDATE value SET shape = '[3]', dtype = 'f32';"
          "UPDATE signature SET value_id = (SELECT id FROM value WHERE value.graph_id ="
          "  signature.graph_id AND value.name = signature.name)");
}

START_TEST(delegate_output_arity_accepts_a_mutation_that_stays_inside)
{
    given_lowered();
    expect("delegate/output-arity", "");
    given("UPDATE signature SET spec = 'buffer_mutation' WHERE name = 'mul';"
          "DELETE FROM edge WHERE src = (SELECT id FROM node WHERE name = 'product')");
    expect("delegate/output-arity", "");
}

START_TEST(delegate_output_arity_reports_a_reader_of_such_a_mutation)
{
    given_lowered();
    given("UPDATE signature SET spec = 'buffer_mutation' WHERE name = 'mul'");
    expect(
        "delegate/output-arity",
        "error reads item 1 of call, but lowered_module_0 gives 1: 1 more stay inside"
        " as writes to its buffers\n");
    expect_witness("[\"call\",\"product\"]");
}

START_TEST(delegate_output_arity_reports_a_result_without_room)
{
    given_lowered();
    given("UPDATE node SET args = replace(args, '\"int\":1', '\"int\":0')");
    expect("delegate/output-arity",
           "error has room for 1 results of lowered_module_0, which gives 2\n");
}

START_TEST(delegate_output_arity_reports_a_module_that_gives_nothing)
{
    given_lowered();
    given("DELETE FROM signature WHERE graph_id = 2 AND direction = 'output'");
    expect("delegate/output-arity", "error lowered_module_0 gives nothing\n");
}

START_TEST(delegate_output_arity_reports_a_call_without_results)
{
    given_lowered();
    given("DELETE FROM edge WHERE src = (SELECT id FROM node WHERE name = 'call')");
    expect("delegate/output-arity", "error has no room for the results of"
                                    " lowered_module_0, which gives 2\n");
}

START_TEST(delegate_output_arity_reports_a_call_of_a_pte_that_passes_inputs_only)
{
    rules_close();
    rules_open_pte();
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    call("0", "1");
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'XnnpackBackend');"
          "UPDATE node SET kind = 'delegate_call', op_id = NULL, delegate_id = 1");
    expect("delegate/output-arity", "");
    given("UPDATE operand SET access = 'read'");
    expect("delegate/output-arity",
           "error passes nothing that the delegate could write\n");
}

START_TEST(delegate_io_order_accepts_the_order_of_the_placeholders)
{
    given_lowered();
    expect("delegate/io-order", "");
}

START_TEST(delegate_io_order_accepts_other_names)
{
    given_lowered();
    given("UPDATE signature SET name = 'z' WHERE graph_id = 2 AND name = 'x'");
    expect("delegate/io-order", "");
}

START_TEST(delegate_io_order_warns_of_inputs_that_changed_places)
{
    given_lowered();
    given("UPDATE node SET args = '[{\"graph\":\"lowered_module_0\"},"
          "{\"tensor\":\"y\"},{\"tensor\":\"x\"}]' WHERE name = 'call'");
    expect(
        "delegate/io-order",
        "warning passes y as input 1 of lowered_module_0 and x as input 2; there they"
        " are inputs 2 and 1\n");
}

START_TEST(delegate_io_meta_match_warns_of_a_result_of_another_type)
{
    given_lowered();
    given("INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape) VALUES"
          " (11, 1, 9, 'product', 'tensor', 'f32', '[3]'),"
          " (12, 2, 9, 'mul', 'tensor', 'f32', '[3]');"
          "UPDATE node SET value_id = 11 WHERE name = 'product';"
          "UPDATE signature SET value_id = 12 WHERE name = 'mul'");
    expect("delegate/io-meta-match", "");
    given("UPDATE value SET dtype = 'f16' WHERE name = 'product'");
    expect("delegate/io-meta-match", "warning reads call as f16 [3]; output 1 of"
                                     " lowered_module_0 is f32 [3]\n");
}

/* A cond whose true branch (graph 2) calls a delegate. */
static void given_cond(const char *tagged)
{
    plan_input("x", "user_input");
    plan_attr("yes");
    plan_attr("no");
    plan_call("higher_order::cond", "cond", "x @yes @no", "x");
    plan_output("cond");
    plan_tag("A", tagged);
    plan_graph(2, "yes");
    plan_input("x", NULL);
    plan_attr("lowered_module_0");
    plan_call("higher_order::executorch_call_delegate", "call", "@lowered_module_0 x",
              NULL);
    plan_output("call");
    plan_graph(3, "no");
    plan_input("x", NULL);
    plan_output("x");
}

START_TEST(delegate_nested_in_branch_accepts_a_cond_of_the_host)
{
    given_cond("");
    expect("delegate/nested-in-branch", "");
}

START_TEST(delegate_nested_in_branch_reports_a_tagged_cond)
{
    given_cond("yes no cond");
    expect("delegate/nested-in-branch", "error call calls a delegate in yes, which cond"
                                        " runs; that goes to A as a whole\n");
    expect_witness("[\"cond\",\"call\"]");
}

START_TEST(delegate_nested_in_branch_is_not_checked_without_a_plan)
{
    given_cond("");
    given("DELETE FROM part_run");
    expect_not_checked("delegate/nested-in-branch", "there is no plan");
}

static void given_blobs(const char *second)
{
    rules_close();
    rules_open_pte();
    given("INSERT INTO delegate (id, method_id, idx, backend, location, blob_index,"
          "  blob_bytes) VALUES (1, 1, 0, 'CudaBackend', 'segment', 0, 8)");
    given(second);
}

START_TEST(delegate_inline_mixed_accepts_an_empty_blob_in_the_program)
{
    given_blobs("INSERT INTO delegate (id, method_id, idx, backend, location,"
                "  blob_index, blob_bytes) VALUES"
                " (2, 1, 1, 'CudaBackend', 'inline', 0, 0)");
    expect("delegate/inline-mixed", "");
}

START_TEST(delegate_inline_mixed_notes_blobs_in_both_places)
{
    given_blobs("INSERT INTO delegate (id, method_id, idx, backend, location,"
                "  blob_index, blob_bytes) VALUES"
                " (2, 1, 1, 'XnnpackBackend', 'inline', 0, 24)");
    expect("delegate/inline-mixed", "note 1 blobs lie in segments, 1 in the program"
                                    " itself (24 bytes)\n");
}

START_TEST(partition_backend_known_is_not_checked_without_backends)
{
    given("DELETE FROM part_run");
    expect_not_checked(
        "partition/backend-known",
        "there is no delegate, and no plan that says what its tags mean");
}

START_TEST(partition_backend_known_notes_a_backend_of_ones_own)
{
    given_blobs("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
                " (2, 1, 1, 'MyBackend'), (3, 1, 2, 'MyBackend')");
    expect("partition/backend-known",
           "note 2 delegates are for \"MyBackend\", which is not known here\n");
    given("UPDATE delegate SET backend = 'XnnpakBackend' WHERE id = 3");
    expect("partition/backend-known",
           "note delegate 1 is for \"MyBackend\", which is not known here\n"
           "warning delegate 2 is for \"XnnpakBackend\", which is no backend of"
           " ExecuTorch; did you mean \"XnnpackBackend\"?\n");
}

START_TEST(partition_backend_known_reports_what_the_runtime_lacks)
{
    given_blobs("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
                " (2, 1, 1, 'MyBackend');"
                "INSERT INTO setting VALUES ('backend', 'MyBackend'),"
                " ('backend', 'XnnpackBackend')");
    expect("partition/backend-known",
           "error delegate 0 is for \"CudaBackend\", and --backends lists only"
           " MyBackend, XnnpackBackend\n");
}

static TCase *backends(void)
{
    TCase *all = tcase_create("backends");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, delegate_inline_mixed_accepts_an_empty_blob_in_the_program);
    tcase_add_test(all, delegate_inline_mixed_notes_blobs_in_both_places);
    tcase_add_test(all, partition_backend_known_is_not_checked_without_backends);
    tcase_add_test(all, partition_backend_known_notes_a_backend_of_ones_own);
    tcase_add_test(all, partition_backend_known_reports_what_the_runtime_lacks);
    return all;
}

Suite *delegate_rules_calls_suite(void)
{
    Suite *suite = suite_create("delegate rules calls");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, delegate_output_arity_accepts_a_mutation_that_stays_inside);
    tcase_add_test(all, delegate_output_arity_reports_a_reader_of_such_a_mutation);
    tcase_add_test(all, delegate_output_arity_reports_a_result_without_room);
    tcase_add_test(all, delegate_output_arity_reports_a_module_that_gives_nothing);
    tcase_add_test(all, delegate_output_arity_reports_a_call_without_results);
    tcase_add_test(
        all, delegate_output_arity_reports_a_call_of_a_pte_that_passes_inputs_only);
    tcase_add_test(all, delegate_io_order_accepts_the_order_of_the_placeholders);
    tcase_add_test(all, delegate_io_order_accepts_other_names);
    tcase_add_test(all, delegate_io_order_warns_of_inputs_that_changed_places);
    tcase_add_test(all, delegate_io_meta_match_warns_of_a_result_of_another_type);
    tcase_add_test(all, delegate_nested_in_branch_accepts_a_cond_of_the_host);
    tcase_add_test(all, delegate_nested_in_branch_reports_a_tagged_cond);
    tcase_add_test(all, delegate_nested_in_branch_is_not_checked_without_a_plan);
    suite_add_tcase(suite, all);
    suite_add_tcase(suite, backends());
    return suite;
}
