/* Rules about devices in a .pte: what instructions touch, and memory. */
#include "unit/device_plan.h"

#include <stdio.h>

START_TEST(device_delegate_io_device_accepts_the_delegate_s_device)
{
    given_delegate("'CUDA:1'");
    tensor_on("cuda:1", 0);
    call_delegate(1, "0", "");
    expect("device/delegate-io-device", "");
}

START_TEST(device_delegate_io_device_accepts_the_host_without_a_target)
{
    given_delegate("NULL");
    tensor(0, 0, 32);
    call_delegate(1, "0", "");
    expect("device/delegate-io-device", "");
}

START_TEST(device_delegate_io_device_reports_a_value_on_the_host)
{
    given_delegate("'cuda'");
    tensor(0, 0, 32);
    call_delegate(1, "0", "");
    expect("device/delegate-io-device", "error value 0 is on cpu, delegate 0"
                                        " (CudaBackend) works on cuda:0\n");
}

START_TEST(device_delegate_io_device_reports_a_value_on_a_device_without_a_target)
{
    given_delegate("NULL");
    tensor_on("cuda:0", 0);
    call_delegate(1, "0", "");
    expect("device/delegate-io-device", "error value 0 is on cuda:0, delegate 0"
                                        " (CudaBackend) works on cpu\n");
}

START_TEST(device_delegate_io_device_looks_into_lists)
{
    given_delegate("'cuda:0'");
    tensor_on("cuda:0", 0);
    tensor(1, 32, 32);
    given("INSERT INTO value (id, graph_id, idx, kind, device, items) VALUES"
          " (3, 1, 2, 'tensor_list', NULL, '[0,1]')");
    call_delegate(1, "0 2", "");
    expect("device/delegate-io-device", "error value 1 is on cpu, delegate 0"
                                        " (CudaBackend) works on cuda:0\n");
}

START_TEST(device_host_op_on_cpu_accepts_copies_and_host_tensors)
{
    given_copied();
    call("0", "3");
    expect("device/host-op-on-cpu", "");
}

START_TEST(device_host_op_on_cpu_reports_a_kernel_on_device_memory)
{
    given_copied();
    call("2", "");
    expect("device/host-op-on-cpu",
           "error aten::mm.out reads or writes value 2, which is on cuda:0\n");
}

START_TEST(device_host_op_on_cpu_looks_into_lists)
{
    given_copied();
    given("INSERT INTO value (id, graph_id, idx, kind, device, items) VALUES"
          " (5, 1, 4, 'tensor_list', NULL, '[0,2]')");
    call("4", "");
    expect("device/host-op-on-cpu",
           "error aten::mm.out reads or writes value 2, which is on cuda:0\n");
}

START_TEST(device_host_op_on_cpu_only_warns_where_memory_is_the_host_s)
{
    given_pte();
    tensor_on("cuda:0", 0);
    call("0", "");
    expect("device/host-op-on-cpu",
           "warning aten::mm.out reads or writes value 0, which is on cuda:0 but"
           " planned into host memory\n");
}

START_TEST(device_predicate_host_accepts_a_condition_on_the_host)
{
    given_copied();
    jump(3, 0);
    expect("device/predicate-host", "");
}

START_TEST(device_predicate_host_reports_a_condition_on_a_device)
{
    given_copied();
    jump(2, 0);
    expect("device/predicate-host",
           "error jumps if value 2 is false, and it is on cuda:0\n");
}

START_TEST(device_direct_cross_device_accepts_two_delegates_of_one_device)
{
    given_copied();
    call_delegate(1, "2", "");
    given("INSERT INTO edge VALUES (4, 0, 2, 3)");
    expect("device/direct-cross-device", "");
}

START_TEST(device_direct_cross_device_reports_a_delegate_of_another_device)
{
    given_copied();
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (2, 1, 1, 'DemoBackend');"
          "INSERT INTO compile_spec VALUES (2, 0, 'target_device', X'637564613A31')");
    call_delegate(2, "2", "");
    given("INSERT INTO edge VALUES (4, 0, 2, 3)");
    expect("device/direct-cross-device",
           "error value 2 goes from op_1 (CudaBackend on cuda:0) to op_3 (DemoBackend"
           " on cuda:1) directly\n");
    expect_witness("[\"op_1\",\"op_3\"]");
}

START_TEST(device_planned_io_accepts_host_memory_and_given_memory)
{
    given_copied();
    goes_in(1);
    given("UPDATE value SET mem_id = NULL WHERE idx = 1");
    expect("device/planned-io", "");
}

START_TEST(device_planned_io_reports_an_input_and_warns_of_an_output)
{
    given_copied();
    goes_in(1);
    comes_out(2);
    expect("device/planned-io",
           "error input 1, value 1, is on cuda:0 and has planned memory, 32 bytes at"
           " offset 32 of arena 2\n"
           "warning output 1, value 2, is on cuda:0 and has planned memory, 32 bytes"
           " at offset 64 of arena 2\n");
}

START_TEST(device_buffer_entry_accepts_memory_of_the_device)
{
    given_copied();
    expect("device/buffer-entry", "");
    expect("device/arena-mixed", "");
}

START_TEST(device_buffer_entry_reports_memory_of_the_host)
{
    given_copied();
    given("UPDATE arena SET device = 'cpu'");
    expect("device/buffer-entry",
           "error 2 tensors, the first is value 1, are on cuda:0, and arena 2, where"
           " they lie, is in host memory\n");
}

START_TEST(device_buffer_entry_reports_another_index_and_host_tensors)
{
    given_copied();
    given("UPDATE arena SET device = 'cuda:1' WHERE idx = 2;"
          "UPDATE value SET device = 'cpu' WHERE idx = 1");
    expect("device/buffer-entry",
           "error value 1 is on cpu, and arena 2, where it lies, is on cuda:1\n"
           "error value 2 is on cuda:0, and arena 2, where it lies, is on cuda:1\n");
}

START_TEST(device_buffer_entry_reports_a_constant_on_a_device)
{
    given_copied();
    given("UPDATE value SET storage = 'constant', mem_id = NULL WHERE idx = 1");
    expect("device/buffer-entry", "error value 1 is on cuda:0, and the bytes are"
                                  " constants of the file, in host memory\n");
}

START_TEST(device_arena_mixed_reports_an_arena_of_two_devices)
{
    given_copied();
    given("UPDATE value SET mem_id = 1");
    expect("device/arena-mixed", "error arena 1 holds tensors of 2 devices: 2 of cpu,"
                                 " 2 of cuda:0\n");
}

START_TEST(device_enum_known_accepts_cpu_and_cuda)
{
    given_copied();
    expect("device/enum-known", "");
}

START_TEST(device_enum_known_reports_another_type)
{
    given_copied();
    given("UPDATE value SET device = 'device<5>:0' WHERE idx = 2;"
          "UPDATE arena SET device = 'device<5>:0' WHERE idx = 2");
    expect("device/enum-known",
           "error value 2 has device type 5, which executorch 1.5.1 does not know\n"
           "error arena 2 has device type 5, which executorch 1.5.1 does not know\n");
}

START_TEST(device_enum_known_only_warns_in_files_of_a_newer_schema)
{
    given_copied();
    given("UPDATE value SET device = 'device<5>:0' WHERE idx = 2;"
          "INSERT INTO remark VALUES (1, 1, 'format/unknown-field', NULL, NULL, NULL,"
          "  NULL, '1 field')");
    expect("device/enum-known",
           "warning value 2 has device type 5, which executorch 1.5.1 does not know\n");
}

START_TEST(device_etdump_host_read_notes_tensors_on_devices)
{
    given_copied();
    expect("device/etdump-host-read", "note 2 tensors are on cuda:0\n");
    given("UPDATE value SET device = 'cpu'; DELETE FROM finding");
    expect("device/etdump-host-read", "");
}

START_TEST(devices_of_arenas_are_as_the_reader_saw_them)
{
    static const char *const ids[] = {"device/buffer-index-range",
                                      "device/buffer-entry-unique",
                                      "device/buffer-entry-cpu"};
    static const char *const severities[] = {"error", "warning", "note"};
    char sql[256], want[64];

    given_copied();
    for (int i = 0; i < 3; i++) {
        expect(ids[i], "");
        snprintf(sql, sizeof(sql),
                 "INSERT INTO remark VALUES (%d, 1, '%s', 1, NULL, NULL, NULL, 'so')",
                 i + 1, ids[i]);
        given(sql);
        snprintf(want, sizeof(want), "%s so\n", severities[i]);
        expect(ids[i], want);
    }
}

static TCase *case_of_memory(void)
{
    TCase *memory = tcase_create("memory");

    tcase_add_checked_fixture(memory, rules_open, rules_close);
    tcase_add_test(memory, device_planned_io_accepts_host_memory_and_given_memory);
    tcase_add_test(memory, device_planned_io_reports_an_input_and_warns_of_an_output);
    tcase_add_test(memory, device_buffer_entry_accepts_memory_of_the_device);
    tcase_add_test(memory, device_buffer_entry_reports_memory_of_the_host);
    tcase_add_test(memory, device_buffer_entry_reports_another_index_and_host_tensors);
    tcase_add_test(memory, device_buffer_entry_reports_a_constant_on_a_device);
    tcase_add_test(memory, device_arena_mixed_reports_an_arena_of_two_devices);
    tcase_add_test(memory, device_enum_known_accepts_cpu_and_cuda);
    tcase_add_test(memory, device_enum_known_reports_another_type);
    tcase_add_test(memory, device_enum_known_only_warns_in_files_of_a_newer_schema);
    tcase_add_test(memory, device_etdump_host_read_notes_tensors_on_devices);
    tcase_add_test(memory, devices_of_arenas_are_as_the_reader_saw_them);
    return memory;
}

static TCase *case_of_calls(void)
{
    TCase *calls = tcase_create("calls");

    tcase_add_checked_fixture(calls, rules_open, rules_close);
    tcase_add_test(calls, device_delegate_io_device_accepts_the_delegate_s_device);
    tcase_add_test(calls, device_delegate_io_device_accepts_the_host_without_a_target);
    tcase_add_test(calls, device_delegate_io_device_reports_a_value_on_the_host);
    tcase_add_test(
        calls, device_delegate_io_device_reports_a_value_on_a_device_without_a_target);
    tcase_add_test(calls, device_delegate_io_device_looks_into_lists);
    tcase_add_test(calls, device_host_op_on_cpu_accepts_copies_and_host_tensors);
    tcase_add_test(calls, device_host_op_on_cpu_reports_a_kernel_on_device_memory);
    tcase_add_test(calls, device_host_op_on_cpu_looks_into_lists);
    tcase_add_test(calls, device_host_op_on_cpu_only_warns_where_memory_is_the_host_s);
    tcase_add_test(calls, device_predicate_host_accepts_a_condition_on_the_host);
    tcase_add_test(calls, device_predicate_host_reports_a_condition_on_a_device);
    tcase_add_test(calls,
                   device_direct_cross_device_accepts_two_delegates_of_one_device);
    tcase_add_test(calls,
                   device_direct_cross_device_reports_a_delegate_of_another_device);
    return calls;
}

Suite *device_rules_suite(void)
{
    Suite *suite = suite_create("device rules");

    suite_add_tcase(suite, case_of_calls());
    suite_add_tcase(suite, case_of_memory());
    return suite;
}
