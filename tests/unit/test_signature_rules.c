#include "unit/rules.h"

/* A graph with parameter p, buffer b, constant c, user input x, and three outputs. */
static void given_state(void)
{
    given_chain();
    given("DELETE FROM signature; DELETE FROM node; DELETE FROM edge;"
          "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
          " (1, 1, 0, 'p_w', 'placeholder'), (2, 1, 1, 'b_n', 'placeholder'),"
          " (3, 1, 2, 'c_k', 'placeholder'), (4, 1, 3, 'x', 'placeholder');"
          "INSERT INTO node (id, graph_id, idx, name, kind, args) VALUES"
          " (5, 1, 4, 'output', 'output', '[{},{},{}]');"
          "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
          " persistent) VALUES"
          " (1, 'input', 0, 'p_w', 'tensor', 'parameter', 'w', NULL),"
          " (1, 'input', 1, 'b_n', 'tensor', 'buffer', 'n', 1),"
          " (1, 'input', 2, 'c_k', 'tensor', 'constant_tensor', 'k', NULL),"
          " (1, 'input', 3, 'x', 'tensor', 'user_input', NULL, NULL),"
          " (1, 'output', 0, 'add', 'tensor', 'buffer_mutation', 'n', NULL),"
          " (1, 'output', 1, 'mul', 'tensor', 'user_input_mutation', 'x', NULL),"
          " (1, 'output', 2, 'sum', 'tensor', 'user_output', NULL, NULL);"
          "INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind) VALUES"
          " (1, 1, 1, 0, 'w', 'parameter'), (2, 1, 1, 1, 'n', 'buffer'),"
          " (3, 1, 1, 2, 'k', 'constant')");
}

START_TEST(a_sound_signature_breaks_no_rule)
{
    given_state();
    expect("signature/input-count", "");
    expect("signature/input-name", "");
    expect("signature/param-present", "");
    expect("signature/buffer-persistence", "");
    expect("signature/constant-present", "");
    expect("signature/custom-obj-lowerable", "");
    expect("signature/output-count", "");
    expect("signature/output-order", "");
    expect("signature/mutation-target", "");
    expect("signature/target-unique", "");
    expect("signature/orphan-state", "");
}

START_TEST(signature_input_count_reports_a_missing_placeholder)
{
    given_state();
    given("DELETE FROM node WHERE id = 4");
    expect("signature/input-count",
           "error the graph has 3 placeholders, its signature 4 inputs\n");
}

START_TEST(signature_input_name_reports_a_renamed_placeholder)
{
    given_state();
    given("UPDATE node SET name = 'y' WHERE id = 4");
    expect("signature/input-name",
           "error input 3 is x in the signature and y in the graph\n");
}

START_TEST(signature_param_present_reports_a_lost_parameter_and_one_of_another_kind)
{
    given_state();
    given("DELETE FROM constant WHERE id = 1");
    expect("signature/param-present",
           "error parameter w (input p_w) is not among the weights\n");
    given("INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind) VALUES"
          " (4, 1, 1, 3, 'w', 'buffer')");
    expect("signature/param-present",
           "error parameter w (input p_w) is stored as another kind of tensor\n");
}

START_TEST(signature_buffer_persistence_reports_a_lost_flag_and_a_lost_buffer)
{
    given_state();
    given("UPDATE signature SET persistent = NULL");
    expect("signature/buffer-persistence",
           "error buffer n does not say whether it is persistent\n");
    given("UPDATE signature SET persistent = 0; DELETE FROM constant WHERE id = 2");
    expect("signature/buffer-persistence",
           "error buffer n (input b_n) is stored nowhere\n");
}

START_TEST(signature_buffer_persistence_accepts_a_persistent_buffer_among_the_weights)
{
    given_state();
    given("INSERT INTO segment (id, artifact_id, idx, name, kind, offset, size_bytes,"
          " stored_bytes) VALUES (1, 1, 0, 'a/weight_0', 'weight', 0, 8, 8),"
          " (2, 1, 1, 'a/tensor_0', 'constant', 8, 8, 8);"
          "UPDATE constant SET segment_id = 1 WHERE fqn = 'n'");
    expect("signature/buffer-persistence", "");
}

START_TEST(signature_buffer_persistence_reports_a_persistent_buffer_among_the_constants)
{
    given_state();
    given("INSERT INTO segment (id, artifact_id, idx, name, kind, offset, size_bytes,"
          " stored_bytes) VALUES (2, 1, 1, 'a/tensor_0', 'constant', 8, 8, 8);"
          "UPDATE constant SET segment_id = 2 WHERE fqn = 'n'");
    expect("signature/buffer-persistence",
           "error buffer n is persistent, and lies among the constants: no state dict"
           " has it\n");
    given("UPDATE signature SET persistent = 0 WHERE target = 'n'");
    expect("signature/buffer-persistence", "");
}

START_TEST(signature_constant_present_reports_a_lost_constant)
{
    given_state();
    given("DELETE FROM constant WHERE id = 3");
    expect("signature/constant-present",
           "error constant tensor k (input c_k) is not among the constants\n");
}

START_TEST(signature_custom_obj_lowerable_warns_of_one_in_an_edge_program)
{
    given_state();
    given("UPDATE signature SET spec = 'custom_obj' WHERE target = 'k'");
    expect("signature/custom-obj-lowerable", "");
    given("UPDATE method SET ir = 'edge'");
    expect("signature/custom-obj-lowerable",
           "warning custom object k (input c_k) cannot become part of a .pte\n");
}

START_TEST(signature_output_count_reports_a_missing_result)
{
    given_state();
    given("UPDATE node SET args = '[{},{}]' WHERE id = 5");
    expect("signature/output-count",
           "error the graph returns 2 values, its signature names 3\n");
}

START_TEST(signature_output_order_reports_a_mutation_behind_a_result)
{
    given_state();
    given("UPDATE signature SET spec = 'user_output' WHERE name = 'add'");
    expect("signature/output-order",
           "error output 1 is a user_input_mutation, but follows a user_output\n");
}

static void given_returned(const char *container, const char *kinds)
{
    given_state();
    dg_store_set(rules_store, "container", dg_text(container), &rules_err);
    dg_store_set(rules_store, "kinds", dg_text(kinds), &rules_err);
    given("UPDATE artifact SET container ="
          "  (SELECT value FROM setting WHERE name = 'container');"
          "INSERT INTO signature (graph_id, direction, pos, kind, spec, literal)"
          " SELECT 1, 'output', 9 + key, atom, 'user_output', 1.5"
          "  FROM setting, json_each(setting.value) WHERE name = 'kinds';"
          "DELETE FROM setting");
}

START_TEST(signature_output_loads_accepts_what_torch_loads)
{
    given_returned("pt2 archive 0",
                   "[\"none\", \"int\", \"float\", \"bool\", \"sym_float\"]");
    expect("signature/output-loads", "");
}

START_TEST(signature_output_loads_accepts_what_exir_loads)
{
    given_returned("exir archive", "[\"none\", \"int\", \"sym_int\", \"sym_bool\"]");
    expect("signature/output-loads", "");
}

START_TEST(signature_output_loads_reports_a_string)
{
    given_returned("pt2 archive 0", "[\"string\"]");
    expect("signature/output-loads", "error output 9 is a string, 1.5, and"
                                     " torch.export.load() does not load that\n");
}

START_TEST(signature_output_loads_reports_a_float_of_an_exir_archive)
{
    given_returned("exir archive", "[\"float\"]");
    expect("signature/output-loads",
           "error output 9 is a float, 1.5, and exir.load() does not load that\n");
}

START_TEST(signature_mutation_target_reports_what_is_no_input)
{
    given_state();
    given("UPDATE signature SET target = 'w' WHERE name = 'add'");
    expect("signature/mutation-target",
           "error output add is a buffer_mutation of w, which is none of the"
           " program's inputs of that kind\n");
}

START_TEST(signature_target_unique_warns_of_two_inputs_for_one_weight)
{
    given_state();
    given("UPDATE signature SET spec = 'parameter', target = 'w' WHERE name = 'b_n'");
    expect("signature/target-unique",
           "warning parameter w is input b_n and again input p_w\n");
}

START_TEST(signature_orphan_state_notes_what_no_input_uses)
{
    given_state();
    given("INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind) VALUES"
          " (4, 1, 1, 3, 'old', 'parameter')");
    expect("signature/orphan-state",
           "note parameter old is stored, and no input stands for it\n");
    given("INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind) VALUES"
          " (5, 1, 1, 4, 'older', 'parameter')");
    expect("signature/orphan-state",
           "note parameter old is stored, and no input stands for it; and 1 more\n");
}

Suite *signature_rules_suite(void)
{
    Suite *suite = suite_create("signature rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, a_sound_signature_breaks_no_rule);
    tcase_add_test(all, signature_input_count_reports_a_missing_placeholder);
    tcase_add_test(all, signature_input_name_reports_a_renamed_placeholder);
    tcase_add_test(
        all, signature_param_present_reports_a_lost_parameter_and_one_of_another_kind);
    tcase_add_test(all,
                   signature_buffer_persistence_reports_a_lost_flag_and_a_lost_buffer);
    tcase_add_test(
        all,
        signature_buffer_persistence_accepts_a_persistent_buffer_among_the_weights);
    tcase_add_test(
        all,
        signature_buffer_persistence_reports_a_persistent_buffer_among_the_constants);
    tcase_add_test(all, signature_constant_present_reports_a_lost_constant);
    tcase_add_test(all, signature_custom_obj_lowerable_warns_of_one_in_an_edge_program);
    tcase_add_test(all, signature_output_count_reports_a_missing_result);
    tcase_add_test(all, signature_output_order_reports_a_mutation_behind_a_result);
    tcase_add_test(all, signature_output_loads_accepts_what_torch_loads);
    tcase_add_test(all, signature_output_loads_accepts_what_exir_loads);
    tcase_add_test(all, signature_output_loads_reports_a_string);
    tcase_add_test(all, signature_output_loads_reports_a_float_of_an_exir_archive);
    tcase_add_test(all, signature_mutation_target_reports_what_is_no_input);
    tcase_add_test(all, signature_target_unique_warns_of_two_inputs_for_one_weight);
    tcase_add_test(all, signature_orphan_state_notes_what_no_input_uses);
    suite_add_tcase(suite, all);
    return suite;
}
