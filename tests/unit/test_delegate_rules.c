/* Rules about delegates, and the calls that use them, against small programs. */
#include "unit/small_plan.h"

/* x goes through lowered_module_0 (graph 2), which has one input, one weight of its own
 * and one output. */
static void given_lowered(void)
{
    plan_input("x", "user_input");
    plan_attr("lowered_module_0");
    plan_call("higher_order::executorch_call_delegate", "call", "@lowered_module_0 x",
              NULL);
    plan_call("_operator.getitem", "getitem", "call", NULL);
    plan_output("getitem");
    plan_graph(2, "lowered_module_0");
    plan_input("w", "parameter");
    plan_input("y", "user_input");
    plan_call("aten::mul.Tensor", "mul", "w y", NULL);
    plan_output("mul");
    given("UPDATE \"graph\" SET kind = 'lowered' WHERE id = 2;"
          "INSERT INTO delegate (id, method_id, idx, name, backend, location,"
          "  blob_bytes, graph_id) VALUES"
          " (1, 1, 0, 'lowered_module_0', 'XnnpackBackend', 'inline', 8, 2);"
          "UPDATE node SET delegate_id = 1 WHERE name = 'call';"
          "UPDATE node SET args = '[{\"name\":\"\",\"tensor\":\"call\"},"
          "{\"name\":\"\",\"int\":0}]' WHERE name = 'getitem';"
          "UPDATE value SET shape = '[3]';"
          "UPDATE edge SET value_id = (SELECT value.id FROM node JOIN value"
          "  USING (graph_id, name) WHERE node.id = edge.src);"
          "UPDATE signature SET value_id = (SELECT id FROM value WHERE value.graph_id ="
          "  signature.graph_id AND value.name = signature.name)");
}

START_TEST(a_sound_call_breaks_no_rule)
{
    given_lowered();
    expect("delegate/ref-valid", "");
    expect("delegate/lowered-name", "");
    expect("delegate/users-getitem", "");
    expect("delegate/input-arity", "");
    expect("delegate/io-meta-match", "");
    expect("delegate/blob-nonempty", "");
    expect("delegate/id-nonempty", "");
    expect("delegate/spec-duplicate-key", "");
}

START_TEST(a_call_names_a_lowered_module)
{
    given_lowered();
    given("UPDATE node SET delegate_id = NULL");
    expect("delegate/ref-valid",
           "error its first argument is no lowered module that the program holds\n");
}

START_TEST(lowered_modules_are_numbered)
{
    given_lowered();
    given("UPDATE delegate SET name = 'my_module'");
    expect("delegate/lowered-name",
           "warning a lowered module of XnnpackBackend is named my_module\n");
}

START_TEST(a_getitem_takes_an_item_that_is_there)
{
    given_lowered();
    given("UPDATE node SET args = replace(args, '\"int\":0', '\"int\":1')");
    expect("delegate/users-getitem",
           "error takes item 1 of call, and lowered_module_0 gives 1\n");
    expect_witness("[\"call\",\"getitem\"]");
}

START_TEST(what_is_no_getitem_reads_a_list)
{
    given_lowered();
    given("UPDATE op SET name = 'aten::sin.default' WHERE name = '_operator.getitem'");
    expect("delegate/users-getitem", "warning reads what call gives as a whole\n");
}

START_TEST(a_call_passes_what_the_module_takes)
{
    given_lowered();
    given("UPDATE signature SET spec = 'user_input' WHERE name = 'w'");
    expect("delegate/input-arity",
           "error passes 1 inputs to lowered_module_0, which takes 2\n");
}

START_TEST(inputs_have_the_type_that_was_lowered)
{
    given_lowered();
    given("UPDATE value SET dtype = 'f16' WHERE name = 'x'");
    expect("delegate/io-meta-match",
           "warning passes x as f16 [3]; input y of lowered_module_0 is f32 [3]\n");
    given("UPDATE value SET dtype = 'f32', shape = '[\"s0\"]' WHERE name = 'x'");
    expect("delegate/io-meta-match", "");
}

/* Delegate 0 of a .pte, which instruction 0 calls, and delegate 1 with the same blob.
 */
static void given_delegates(void)
{
    rules_close();
    rules_open_pte();
    given("INSERT INTO delegate (id, method_id, idx, backend, location, blob_index,"
          "  blob_bytes) VALUES (1, 1, 0, 'CudaBackend', 'segment', 0, 8),"
          "  (2, 1, 1, 'XnnpackBackend', 'segment', 0, 8);"
          "INSERT INTO compile_spec VALUES (1, 0, 'key', X'61'), (2, 0, 'key', X'61');"
          "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id) VALUES"
          " (1, 1, 0, 'op_0', 'delegate_call', 1), (2, 1, 1, 'op_1', 'delegate_call',"
          "  2)");
}

START_TEST(sound_delegates_break_no_rule)
{
    given_delegates();
    expect("delegate/dangling", "");
    expect("delegate/blob-ref", "");
    expect("delegate/blob-nonempty", "");
    expect("delegate/blob-duplicate", "");
    expect("delegate/id-nonempty", "");
    expect("delegate/spec-nonnull", "");
    expect("delegate/spec-duplicate-key", "");
}

START_TEST(a_delegate_is_called)
{
    given_delegates();
    given("UPDATE node SET delegate_id = 1");
    expect("delegate/dangling",
           "warning no instruction calls delegate 1 (XnnpackBackend)\n");
}

START_TEST(a_blob_exists)
{
    given_delegates();
    given("UPDATE delegate SET blob_bytes = NULL WHERE id = 1;"
          "UPDATE delegate SET location = NULL, blob_index = NULL WHERE id = 2");
    expect("delegate/blob-ref",
           "error delegate 0 (CudaBackend) has blob 0 of the segments, which does not"
           " exist\n"
           "error delegate 1 (XnnpackBackend) has no blob\n");
}

START_TEST(only_some_backends_have_empty_blobs)
{
    given_delegates();
    given("UPDATE delegate SET blob_bytes = 0");
    expect("delegate/blob-nonempty",
           "error the blob of delegate 1 (XnnpackBackend) is empty\n");
    given("UPDATE delegate SET backend = 'DemoBackend' WHERE id = 2");
    expect("delegate/blob-nonempty",
           "warning the blob of delegate 1 (DemoBackend) is empty\n");
}

START_TEST(a_shared_blob_was_made_for_one_set_of_specs)
{
    given_delegates();
    given("UPDATE compile_spec SET value = X'62' WHERE delegate_id = 2");
    expect("delegate/blob-duplicate",
           "note 2 delegates of CudaBackend share one blob of 8 bytes, but are told"
           " different things\n");
}

START_TEST(a_delegate_names_its_backend)
{
    given_delegates();
    given("UPDATE delegate SET backend = '' WHERE id = 1;"
          "UPDATE delegate SET backend = NULL WHERE id = 2");
    expect("delegate/id-nonempty", "error delegate 0 has no backend\n"
                                   "error delegate 1 has no backend\n");
}

START_TEST(a_compile_spec_has_a_key_and_a_value)
{
    given_delegates();
    given("UPDATE compile_spec SET value = NULL WHERE delegate_id = 1;"
          "UPDATE compile_spec SET key = NULL WHERE delegate_id = 2");
    expect("delegate/spec-nonnull",
           "error compile spec 0 of delegate 0 (CudaBackend) has no value\n"
           "warning compile spec 0 of delegate 1 (XnnpackBackend) has no key\n");
}

START_TEST(a_key_comes_once)
{
    given_delegates();
    given("INSERT INTO compile_spec VALUES (1, 1, 'key', X'62')");
    expect("delegate/spec-duplicate-key",
           "warning delegate 0 (CudaBackend) has 2 compile specs key\n");
}

Suite *delegate_rules_suite(void)
{
    Suite *suite = suite_create("delegate rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, a_sound_call_breaks_no_rule);
    tcase_add_test(all, a_call_names_a_lowered_module);
    tcase_add_test(all, lowered_modules_are_numbered);
    tcase_add_test(all, a_getitem_takes_an_item_that_is_there);
    tcase_add_test(all, what_is_no_getitem_reads_a_list);
    tcase_add_test(all, a_call_passes_what_the_module_takes);
    tcase_add_test(all, inputs_have_the_type_that_was_lowered);
    tcase_add_test(all, sound_delegates_break_no_rule);
    tcase_add_test(all, a_delegate_is_called);
    tcase_add_test(all, a_blob_exists);
    tcase_add_test(all, only_some_backends_have_empty_blobs);
    tcase_add_test(all, a_shared_blob_was_made_for_one_set_of_specs);
    tcase_add_test(all, a_delegate_names_its_backend);
    tcase_add_test(all, a_compile_spec_has_a_key_and_a_value);
    tcase_add_test(all, a_key_comes_once);
    suite_add_tcase(suite, all);
    return suite;
}
