/* Each rule about state in files against programs that keep it, and that break it. */
#include "unit/rules.h"

/* Parameter w of a saved program, f32 [4,2], which node 2 reads. */
static void given_weight(void)
{
    given_pt2();
    given(
        "INSERT INTO node (id, graph_id, idx, name, kind, value_id) VALUES"
        " (1, 1, 0, 'p_w', 'placeholder', 1), (2, 1, 1, 'relu', 'call_function', 2);"
        "INSERT INTO edge VALUES (2, 0, 1, 1);"
        "INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape, device) VALUES"
        " (1, 1, 0, 'p_w', 'tensor', 'f32', '[4,2]', 'cpu');"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
        "  value_id) VALUES (1, 'input', 0, 'p_w', 'tensor', 'parameter', 'w', 1);"
        "INSERT INTO segment (id, artifact_id, idx, kind, offset, size_bytes,"
        "  stored_bytes, xxh3) VALUES (1, 1, 0, 'weight', 0, 32, 32, 'aa');"
        "INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype,"
        "  shape, nbytes, segment_id, xxh3) VALUES"
        " (1, 1, 1, 0, 'w', 'parameter', 'f32', '[4,2]', 32, 1, 'aa')");
}

/* The same program after lowering; the delegate owns w. */
static void given_lowered_weight(void)
{
    given_weight();
    given(
        "UPDATE method SET ir = 'edge';"
        "INSERT INTO \"graph\" VALUES (2, 1, 'lowered_module_0', 'lowered');"
        "INSERT INTO delegate (id, method_id, idx, backend, graph_id) VALUES"
        " (1, 1, 0, 'XnnpackBackend', 2);"
        "INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape, device) VALUES"
        " (3, 2, 0, 'p_w', 'tensor', 'f32', '[4,2]', 'cpu');"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
        "  value_id) VALUES (2, 'input', 0, 'p_w', 'tensor', 'parameter', 'w', 3)");
}

START_TEST(constant_dtype_serializable_accepts_float8)
{
    given_weight();
    given("UPDATE value SET dtype = 'f8e4m3fn'; UPDATE method SET ir = 'edge'");
    expect("constant/dtype-serializable", "");
}

START_TEST(constant_dtype_serializable_reports_uint64_where_it_is_to_be_lowered)
{
    given_weight();
    given("UPDATE value SET dtype = 'u64'");
    expect("constant/dtype-serializable", "note w is u64\n");
    given("INSERT INTO setting VALUES ('for', 'executorch')");
    expect("constant/dtype-serializable", "error w is u64\n");
    given("DELETE FROM setting; UPDATE method SET ir = 'edge'");
    expect("constant/dtype-serializable", "error w is u64\n");
    given("UPDATE signature SET spec = 'constant_tensor'");
    expect("constant/dtype-serializable", "error w is u64\n");
}

START_TEST(constant_data_real_accepts_a_device_before_lowering)
{
    given_weight();
    given("UPDATE value SET device = 'cuda:0'");
    expect("constant/data-real", "");
}

START_TEST(constant_data_real_reports_a_device_after_lowering)
{
    given_lowered_weight();
    expect("constant/data-real", "");
    given("UPDATE value SET device = 'cuda:0'");
    expect("constant/data-real", "error w is on cuda:0\n");
    given("DELETE FROM delegate");
    expect("constant/data-real", "warning w is on cuda:0\n");
}

START_TEST(constant_nbytes_accepts_the_traced_sizes)
{
    given_weight();
    expect("constant/nbytes", "");
}

START_TEST(constant_nbytes_reports_weights_of_other_sizes)
{
    given_weight();
    given("UPDATE constant SET shape = '[2,2]'");
    expect("constant/nbytes", "error w is f32 [4,2] in the graph, f32 [2,2] in the"
                              " archive\n");
}

START_TEST(constant_nbytes_reports_bytes_within_a_program)
{
    given_pte();
    given(
        "INSERT INTO value (id, graph_id, idx, kind, storage, data_index, dtype,"
        "  shape, nbytes) VALUES (1, 1, 0, 'tensor', 'constant', 1, 'f32', '[4]', 16);"
        "INSERT INTO constant (id, artifact_id, idx, kind, file_offset, nbytes) VALUES"
        " (1, 1, 1, 'constant', 64, 16)");
    expect("constant/nbytes", "");
    given("UPDATE constant SET nbytes = 8");
    expect("constant/nbytes",
           "error value 0 (f32 [4]) has 16 bytes, constant 1 has 8\n");
    given("UPDATE constant SET nbytes = 24");
    expect("constant/nbytes",
           "warning value 0 (f32 [4]) has 16 bytes, constant 1 has 24\n");
}

START_TEST(constant_copy_identical_accepts_equal_bytes)
{
    given_weight();
    given("INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype,"
          "  shape, nbytes, segment_id, xxh3) VALUES"
          " (2, 1, 1, 1, 'w_copy_0', 'parameter', 'f32', '[4,2]', 32, 1, 'aa')");
    expect("constant/copy-identical", "");
}

START_TEST(constant_copy_identical_reports_different_bytes)
{
    given_weight();
    given("INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype,"
          "  shape, nbytes, segment_id, xxh3) VALUES"
          " (2, 1, 1, 1, 'w_copy_0', 'parameter', 'f32', '[4,2]', 32, 1, 'bb')");
    expect("constant/copy-identical", "warning w and w_copy_0 hold different bytes\n");
}

START_TEST(constant_double_owned_accepts_a_weight_that_the_host_reads)
{
    given_lowered_weight();
    expect("constant/double-owned", "");
}

START_TEST(constant_double_owned_reports_a_weight_that_only_the_delegate_reads)
{
    given_lowered_weight();
    given("DELETE FROM edge");
    expect("constant/double-owned",
           "warning w has no user, and lowered_module_0 has it, too\n");
}

/* Constant 1, which a kernel reads, and a key with the same 64 bytes. */
static void given_equal_bytes(void)
{
    given_pte();
    tensor(0, 0, 64);
    tensor(1, 64, 64);
    call("0", "1");
    given("UPDATE value SET storage = 'constant', data_index = 1, dtype = 'f32',"
          "  shape = '[16]' WHERE id = 1;"
          "INSERT INTO segment (id, artifact_id, idx, kind, offset, file_offset,"
          "  size_bytes, stored_bytes, xxh3) VALUES"
          " (1, 1, 0, 'constant', 0, 1024, 64, 64, 'cc'),"
          " (2, 1, 1, 'named_data', 128, 1152, 64, 64, 'aa');"
          "INSERT INTO constant (id, artifact_id, idx, kind, dtype, shape, segment_id,"
          "  nbytes, xxh3) VALUES (1, 1, 1, 'constant', 'f32', '[16]', 1, 64, 'aa')");
}

START_TEST(constant_double_owned_accepts_a_constant_that_a_kernel_reads)
{
    given_equal_bytes();
    expect("constant/double-owned", "");
    given("DELETE FROM operand WHERE value_id = 1;"
          "INSERT INTO value (id, graph_id, idx, kind, items) VALUES"
          " (3, 1, 2, 'tensor_list', '[0]')");
    expect("constant/double-owned", "");
}

START_TEST(constant_double_owned_reports_a_constant_that_no_kernel_reads)
{
    given_equal_bytes();
    given("UPDATE node SET kind = 'delegate_call'");
    expect("constant/double-owned",
           "warning constant 1 (f32 [16], 64 bytes) is read by no kernel, and segment 1"
           " of a.pte has its bytes\n");
}

START_TEST(constant_external_fqn_reports_a_tensor_without_a_name)
{
    given_pte();
    given(
        "INSERT INTO value (id, graph_id, idx, name, kind, storage, data_index) VALUES"
        " (1, 1, 0, 'w', 'tensor', 'external', 0)");
    expect("constant/external-fqn", "");
    given("UPDATE value SET name = NULL");
    expect("constant/external-fqn", "error value 0 is external and has no name\n");
}

Suite *constant_stored_rules_suite(void)
{
    Suite *suite = suite_create("constant stored rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, constant_dtype_serializable_accepts_float8);
    tcase_add_test(
        all, constant_dtype_serializable_reports_uint64_where_it_is_to_be_lowered);
    tcase_add_test(all, constant_data_real_accepts_a_device_before_lowering);
    tcase_add_test(all, constant_data_real_reports_a_device_after_lowering);
    tcase_add_test(all, constant_nbytes_accepts_the_traced_sizes);
    tcase_add_test(all, constant_nbytes_reports_weights_of_other_sizes);
    tcase_add_test(all, constant_nbytes_reports_bytes_within_a_program);
    tcase_add_test(all, constant_copy_identical_accepts_equal_bytes);
    tcase_add_test(all, constant_copy_identical_reports_different_bytes);
    tcase_add_test(all, constant_double_owned_accepts_a_weight_that_the_host_reads);
    tcase_add_test(all,
                   constant_double_owned_reports_a_weight_that_only_the_delegate_reads);
    tcase_add_test(all, constant_double_owned_accepts_a_constant_that_a_kernel_reads);
    tcase_add_test(all, constant_double_owned_reports_a_constant_that_no_kernel_reads);
    tcase_add_test(all, constant_external_fqn_reports_a_tensor_without_a_name);
    suite_add_tcase(suite, all);
    return suite;
}
