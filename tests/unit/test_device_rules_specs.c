/* Rules about what delegates ask for, in lowered programs and in plans. */
#include <stdio.h>

#include "unit/small_plan.h"

/* x and y go into lowered_module_0, whose result goes to relu. */
static void given_lowered(void)
{
    plan_open();
    plan_input("x", "user_input");
    plan_input("y", "user_input");
    plan_attr("lowered_module_0");
    plan_call("higher_order::executorch_call_delegate", "call", "@lowered_module_0 x y",
              NULL);
    plan_call("_operator.getitem", "getitem", "call", NULL);
    plan_call("aten::relu.default", "relu", "getitem", NULL);
    plan_output("relu");
    given("INSERT INTO delegate (id, method_id, idx, name, backend) VALUES"
          " (1, 1, 0, 'lowered_module_0', 'CudaBackend');"
          "UPDATE node SET delegate_id = 1 WHERE name = 'call';"
          "UPDATE signature SET value_id = (SELECT id FROM value WHERE value.graph_id ="
          "  signature.graph_id AND value.name = signature.name)");
}

static void asks_for(const char *target)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "DELETE FROM finding; DELETE FROM compile_spec;"
             "INSERT INTO compile_spec VALUES (1, 0, 'method_name', X'66'),"
             " (1, 1, 'target_device', CAST(%s AS BLOB))",
             target);
    given(sql);
}

/* A second delegate takes x, too. */
static void given_second(const char *target)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "INSERT INTO delegate (id, method_id, idx, name, backend) VALUES"
             " (2, 1, 1, 'lowered_module_1', 'DemoBackend');"
             "INSERT INTO compile_spec VALUES (2, 0, 'target_device',"
             "  CAST('%s' AS BLOB));"
             "INSERT INTO node (id, graph_id, idx, name, kind, op_id, delegate_id)"
             " SELECT 100, 1, 9, 'call_1', 'call_function', op_id, 2 FROM node"
             "  WHERE name = 'call';"
             "INSERT INTO edge SELECT 100, 0, id, NULL FROM node WHERE name = 'x'",
             target);
    given(sql);
}

START_TEST(device_spec_parse_accepts_what_python_reads)
{
    static const char *const right[] = {"'cuda:0'",  "' CUDA:01 '", "'Cuda'",
                                        "'cuda: 1'", "'cuda:+1'",   "'cpu:7'"};

    given_lowered();
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        asks_for(right[i]);
        expect("device/spec-parse", "");
    }
}

START_TEST(device_spec_parse_reports_what_it_does_not)
{
    given_lowered();
    asks_for("'xpu:0'");
    expect("device/spec-parse",
           "error lowered_module_0 (CudaBackend) asks for \"xpu:0\""
           ": the type is neither cpu nor cuda\n");
    asks_for("'cuda:'");
    expect("device/spec-parse",
           "error lowered_module_0 (CudaBackend) asks for \"cuda:\""
           ": the index is no number\n");
    asks_for("'cuda:0:1'");
    expect("device/spec-parse", "error lowered_module_0 (CudaBackend) asks for \""
                                "cuda:0:1\": the index is no number\n");
    asks_for("X'FF00'");
    expect("device/spec-parse", "error lowered_module_0 (CudaBackend) asks for 0xFF00:"
                                " the type is neither cpu nor cuda\n");
}

START_TEST(device_spec_parse_only_warns_where_the_program_is_written)
{
    given_lowered();
    asks_for("'xpu:0'");
    given("UPDATE method SET ir = 'pte'");
    expect("device/spec-parse", "warning delegate 0 (CudaBackend) asks for \"xpu:0\":"
                                " the type is neither cpu nor cuda\n");
}

START_TEST(device_spec_parse_takes_the_first_spec)
{
    given_lowered();
    asks_for("'cuda:0'");
    given("INSERT INTO compile_spec VALUES (1, 2, 'target_device', X'78')");
    expect("device/spec-parse", "");
}

START_TEST(device_spec_parse_reports_a_plan)
{
    plan_open();
    plan_program_chains();
    plan_tag("one", "a b");
    given("INSERT INTO partition_spec VALUES (1, 0, 'target_device', 'gpu')");
    expect("device/spec-parse", "error tag one (CudaBackend) asks for \"gpu\": the type"
                                " is neither cpu nor cuda\n");
}

START_TEST(device_index_range_accepts_0_to_127)
{
    given_lowered();
    asks_for("'cuda:0'");
    expect("device/index-range", "");
    asks_for("'cuda:127'");
    expect("device/index-range", "");
}

START_TEST(device_index_range_reports_others_and_warns_of_the_current_device)
{
    given_lowered();
    asks_for("'cuda:128'");
    expect("device/index-range",
           "error lowered_module_0 (CudaBackend) asks for cuda:128\n");
    asks_for("'cuda:-1'");
    expect("device/index-range",
           "warning lowered_module_0 (CudaBackend) asks for cuda:-1\n");
}

START_TEST(device_index_range_reports_tensors_and_arenas_of_a_program)
{
    given_pte();
    tensor(0, 0, 32);
    given("UPDATE value SET device = 'cuda:-2'; UPDATE arena SET device = 'cuda:-2'"
          " WHERE idx = 1");
    expect("device/index-range",
           "error value 0 is on cuda:-2\nerror arena 1 is on cuda:-2\n");
}

START_TEST(device_spec_host_target_accepts_a_device)
{
    given_lowered();
    asks_for("'cuda'");
    expect("device/spec-host-target", "");
}

START_TEST(device_spec_host_target_reports_the_host)
{
    given_lowered();
    asks_for("'CPU:0'");
    expect("device/spec-host-target", "error lowered_module_0 (CudaBackend) asks for"
                                      " \"cpu:0\", the host\n");
}

START_TEST(device_spec_host_target_reports_a_pte_that_copies_to_the_host)
{
    given_lowered();
    asks_for("'CPU:0'");
    given("UPDATE method SET ir = 'pte'");
    expect("device/spec-host-target", "");
    given("INSERT INTO op SELECT max(id) + 1, 'et_copy::_h2d_copy.out', 'et_copy',"
          " NULL, NULL, 0 FROM op;"
          "INSERT INTO value (id, graph_id, idx, kind, device) VALUES"
          " (801, 1, 801, 'tensor', 'cpu'), (802, 1, 802, 'tensor', 'cpu');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) SELECT 900, 1, 900,"
          " 'op_9', 'kernel_call', max(id) FROM op;"
          "INSERT INTO operand VALUES (900, 0, 801, 801, 'read'),"
          " (900, 1, 802, 802, 'write')");
    expect("device/spec-host-target", "error delegate 0 (CudaBackend) asks for"
                                      " \"cpu:0\", the host\n");
}

START_TEST(device_spec_missing_accepts_a_spec_and_other_backends)
{
    given_lowered();
    asks_for("'cuda'");
    expect("device/spec-missing", "");
    given("DELETE FROM compile_spec; UPDATE delegate SET backend = 'DemoBackend'");
    expect("device/spec-missing", "");
}

START_TEST(device_spec_missing_warns_of_cuda_without_one)
{
    given_lowered();
    expect("device/spec-missing", "warning lowered_module_0 (CudaBackend) has no"
                                  " compile spec target_device\n");
}

START_TEST(device_spec_missing_warns_of_a_plan_that_has_specs)
{
    plan_open();
    plan_program_chains();
    plan_tag("one", "a b");
    expect("device/spec-missing", "");
    given("INSERT INTO partition_spec VALUES (1, 0, 'method_name', 'forward')");
    expect("device/spec-missing",
           "warning tag one (CudaBackend) has no compile spec target_device\n");
}

START_TEST(device_index_honoured_accepts_device_0)
{
    given_lowered();
    asks_for("'cuda:0'");
    expect("device/index-honoured", "");
}

START_TEST(device_index_honoured_warns_of_another)
{
    given_lowered();
    asks_for("'cuda:1'");
    expect("device/index-honoured",
           "warning lowered_module_0 (CudaBackend) asks for cuda:1\n");
}

START_TEST(device_backend_device_accepts_cuda_for_cuda)
{
    given_lowered();
    asks_for("'cuda:0'");
    expect("device/backend-device", "");
}

START_TEST(device_backend_device_warns_of_cuda_for_metal)
{
    given_lowered();
    asks_for("'cuda:0'");
    given("UPDATE delegate SET backend = 'MetalBackend'");
    expect("device/backend-device",
           "warning lowered_module_0 (MetalBackend) asks for cuda:0\n");
}

START_TEST(device_multiple_devices_accepts_one)
{
    given_lowered();
    asks_for("'cuda:0'");
    given_second("cuda");
    expect("device/multiple-devices", "");
}

START_TEST(device_multiple_devices_notes_two)
{
    given_lowered();
    asks_for("'cuda:0'");
    given_second("cuda:1");
    expect("device/multiple-devices",
           "note delegates of the method ask for 2 devices: cuda:0, cuda:1\n");
}

START_TEST(device_branch_delegate_accepts_the_method_s_own_graph)
{
    given_lowered();
    asks_for("'cuda:0'");
    expect("device/branch-delegate", "");
}

START_TEST(device_branch_delegate_reports_a_branch)
{
    given_lowered();
    asks_for("'cuda:0'");
    given("UPDATE \"graph\" SET kind = 'branch'");
    expect("device/branch-delegate", "error calls lowered_module_0 (CudaBackend), which"
                                     " asks for cuda:0, inside of a branch\n");
}

START_TEST(device_constant_h2d_accepts_inputs_and_state)
{
    given_lowered();
    asks_for("'cuda:0'");
    expect("device/constant-h2d", "");
    given("UPDATE signature SET spec = 'buffer', target = 'k' WHERE name = 'x';"
          "UPDATE signature SET spec = 'buffer_mutation', target = 'k'"
          " WHERE direction = 'output'");
    expect("device/constant-h2d", "");
}

START_TEST(device_constant_h2d_reports_a_parameter)
{
    given_lowered();
    asks_for("'cuda:0'");
    given("UPDATE signature SET spec = 'parameter', target = 'w' WHERE name = 'y'");
    expect("device/constant-h2d", "error lowered_module_0 on cuda:0 takes y, which is"
                                  " constant (parameter w)\n");
    expect_witness("[\"y\",\"call\"]");
}

START_TEST(device_duplicate_h2d_notes_an_input_of_two_delegates)
{
    given_lowered();
    asks_for("'cuda:0'");
    expect("device/duplicate-h2d", "");
    given_second("cuda");
    expect("device/duplicate-h2d",
           "note call and call_1 take x, and each gets a copy on cuda:0\n");
    given("INSERT INTO setting VALUES ('skip-h2d-inputs', '1'); DELETE FROM finding");
    expect("device/duplicate-h2d", "");
}

START_TEST(device_skip_h2d_single_user_needs_to_be_told)
{
    given_lowered();
    asks_for("'cuda:0'");
    expect_not_checked("device/skip-h2d-single-user",
                       "nothing says that inputs will come on their device"
                       " (--skip-h2d-inputs)");
    expect_not_checked("device/skip-h2d-mutable",
                       "nothing says that inputs will come on their device"
                       " (--skip-h2d-inputs)");
}

START_TEST(device_skip_h2d_single_user_accepts_one_user)
{
    given_lowered();
    asks_for("'cuda:0'");
    given("INSERT INTO setting VALUES ('skip-h2d-inputs', '1')");
    expect("device/skip-h2d-single-user", "");
}

START_TEST(device_skip_h2d_single_user_reports_two)
{
    given_lowered();
    asks_for("'cuda:0'");
    given_second("cpu");
    given("INSERT INTO setting VALUES ('skip-h2d-inputs', '1')");
    expect("device/skip-h2d-single-user",
           "error x feeds lowered_module_0 on cuda:0 and has 2 users\n");
}

START_TEST(device_skip_h2d_mutable_reports_a_buffer_that_is_written)
{
    given_lowered();
    asks_for("'cuda:0'");
    given("INSERT INTO setting VALUES ('skip-h2d-inputs', '1')");
    expect("device/skip-h2d-mutable", "");
    given("UPDATE signature SET spec = 'buffer', target = 'k' WHERE name = 'x';"
          "UPDATE signature SET spec = 'buffer_mutation', target = 'k'"
          " WHERE direction = 'output'");
    expect("device/skip-h2d-mutable",
           "error x feeds lowered_module_0 on cuda:0, and the"
           " method writes buffer k back to it\n");
    expect("device/skip-h2d-single-user", "");
}

static TCase *case_of_specs(void)
{
    TCase *specs = tcase_create("specs");

    tcase_add_checked_fixture(specs, NULL, rules_close);
    tcase_add_test(specs, device_spec_parse_accepts_what_python_reads);
    tcase_add_test(specs, device_spec_parse_reports_what_it_does_not);
    tcase_add_test(specs, device_spec_parse_only_warns_where_the_program_is_written);
    tcase_add_test(specs, device_spec_parse_takes_the_first_spec);
    tcase_add_test(specs, device_spec_parse_reports_a_plan);
    tcase_add_test(specs, device_index_range_accepts_0_to_127);
    tcase_add_test(specs,
                   device_index_range_reports_others_and_warns_of_the_current_device);
    tcase_add_test(specs, device_spec_host_target_accepts_a_device);
    tcase_add_test(specs, device_spec_host_target_reports_the_host);
    tcase_add_test(specs,
                   device_spec_host_target_reports_a_pte_that_copies_to_the_host);
    tcase_add_test(specs, device_spec_missing_accepts_a_spec_and_other_backends);
    tcase_add_test(specs, device_spec_missing_warns_of_cuda_without_one);
    tcase_add_test(specs, device_spec_missing_warns_of_a_plan_that_has_specs);
    tcase_add_test(specs, device_index_honoured_accepts_device_0);
    tcase_add_test(specs, device_index_honoured_warns_of_another);
    tcase_add_test(specs, device_backend_device_accepts_cuda_for_cuda);
    tcase_add_test(specs, device_backend_device_warns_of_cuda_for_metal);
    tcase_add_test(specs, device_multiple_devices_accepts_one);
    tcase_add_test(specs, device_multiple_devices_notes_two);
    return specs;
}

static TCase *case_of_calls(void)
{
    TCase *calls = tcase_create("calls");

    tcase_add_checked_fixture(calls, NULL, rules_close);
    tcase_add_test(calls, device_branch_delegate_accepts_the_method_s_own_graph);
    tcase_add_test(calls, device_branch_delegate_reports_a_branch);
    tcase_add_test(calls, device_constant_h2d_accepts_inputs_and_state);
    tcase_add_test(calls, device_constant_h2d_reports_a_parameter);
    tcase_add_test(calls, device_duplicate_h2d_notes_an_input_of_two_delegates);
    tcase_add_test(calls, device_skip_h2d_single_user_needs_to_be_told);
    tcase_add_test(calls, device_skip_h2d_single_user_accepts_one_user);
    tcase_add_test(calls, device_skip_h2d_single_user_reports_two);
    tcase_add_test(calls, device_skip_h2d_mutable_reports_a_buffer_that_is_written);
    return calls;
}

static TCase *case_of_files(void)
{
    TCase *files = tcase_create("files");

    tcase_add_checked_fixture(files, rules_open, rules_close);
    tcase_add_test(files, device_index_range_reports_tensors_and_arenas_of_a_program);
    return files;
}

Suite *device_rules_specs_suite(void)
{
    Suite *suite = suite_create("device rules specs");

    suite_add_tcase(suite, case_of_specs());
    suite_add_tcase(suite, case_of_calls());
    suite_add_tcase(suite, case_of_files());
    return suite;
}
