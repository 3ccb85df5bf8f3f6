/* Rules about the CUDA and Metal backends, against programs that keep and break them.
 */
#include <stdio.h>

#include "unit/small_plan.h"

static void given_delegate(const char *backend, int blob_bytes)
{
    char sql[256];

    given_pte();
    snprintf(sql, sizeof(sql),
             "INSERT INTO delegate (id, method_id, idx, backend, blob_bytes)"
             " VALUES (1, 1, 0, '%s', %d)",
             backend, blob_bytes);
    given(sql);
}

START_TEST(method_name_missing_accepts_a_named_delegate)
{
    given_delegate("CudaBackend", 0);
    given("INSERT INTO compile_spec VALUES (1, 0, 'method_name', CAST('forward' AS"
          " BLOB))");
    expect("cuda/method-name-missing", "");
    expect("cuda/method-name-mismatch", "");
}

START_TEST(method_name_missing_accepts_delegates_of_other_backends)
{
    given_delegate("XnnpackBackend", 0);
    expect("cuda/method-name-missing", "");
}

START_TEST(method_name_missing_reports_a_delegate_that_cannot_find_its_code)
{
    given_delegate("CudaBackend", 0);
    expect(
        "cuda/method-name-missing",
        "error delegate 0 (CudaBackend) has no compile spec method_name and no keys of"
        " its own\n");
}

START_TEST(method_name_missing_is_a_warning_where_the_blob_has_the_keys)
{
    given_delegate("MetalBackend", 150);
    expect("cuda/method-name-missing",
           "warning delegate 0 (MetalBackend) has no compile spec method_name\n");
}

START_TEST(method_name_missing_is_a_warning_where_keys_have_no_name)
{
    given_delegate("CudaBackend", 0);
    given("INSERT INTO named_data (artifact_id, idx, key, segment_idx) VALUES"
          " (1, 0, 'so_blob', 0)");
    expect("cuda/method-name-missing",
           "warning delegate 0 (CudaBackend) has no compile spec method_name\n");
}

START_TEST(method_name_mismatch_reports_another_method)
{
    given_delegate("CudaBackend", 0);
    given("INSERT INTO compile_spec VALUES (1, 0, 'method_name', CAST('forward' AS "
          "BLOB)),"
          " (1, 1, 'method_name', CAST('prefill' AS BLOB))");
    expect("cuda/method-name-mismatch",
           "warning delegate 0 (CudaBackend) has method_name prefill and lies in method"
           " forward\n");
}

START_TEST(method_name_mismatch_accepts_what_exir_saves_as_forward)
{
    given_delegate("CudaBackend", 0);
    given("INSERT INTO compile_spec VALUES (1, 0, 'method_name', CAST('decode' AS"
          " BLOB));"
          "UPDATE method SET ir = 'edge'");
    expect("cuda/method-name-mismatch", "");
    given("INSERT INTO method VALUES (2, 1, 1, 'decode', 'edge', NULL, NULL)");
    expect("cuda/method-name-mismatch", "warning delegate 0 (CudaBackend) has"
                                        " method_name decode and lies in method"
                                        " forward\n");
}

static void given_call(const char *kind)
{
    char sql[512];

    given_delegate("CudaBackend", 150);
    snprintf(sql, sizeof(sql),
             "INSERT INTO value (id, graph_id, idx, kind) VALUES (1, 1, 0, 'tensor'),"
             " (2, 1, 1, '%s');"
             "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id) VALUES"
             " (1, 1, 0, 'op_0', 'delegate_call', 1);"
             "INSERT INTO operand VALUES (1, 0, 0, 1, 'read'), (1, 1, 1, 2, 'write')",
             kind);
    given(sql);
}

START_TEST(io_not_tensor_accepts_tensors)
{
    given_call("tensor");
    expect("cuda/io-not-tensor", "");
}

START_TEST(io_not_tensor_reports_a_number)
{
    given_call("int");
    expect("cuda/io-not-tensor",
           "error output value 1 of CudaBackend is of kind int, not a tensor\n");
}

static void given_lowered_call(const char *kind)
{
    char sql[512];

    plan_input("x", "user_input");
    plan_input("n", "user_input");
    plan_attr("lowered_module_0");
    plan_call("higher_order::executorch_call_delegate", "call", "x n", NULL);
    plan_call("_operator.getitem", "item", "call", NULL);
    plan_output("item");
    snprintf(sql, sizeof(sql),
             "INSERT INTO delegate (id, method_id, idx, backend) VALUES"
             " (1, 1, 0, 'CudaBackend');"
             "UPDATE node SET delegate_id = 1 WHERE name = 'call';"
             "UPDATE value SET kind = '%s' WHERE name = 'n'",
             kind);
    given(sql);
}

START_TEST(io_not_tensor_accepts_tensors_of_a_lowered_program)
{
    given_lowered_call("tensor");
    expect("cuda/io-not-tensor", "");
}

START_TEST(io_not_tensor_reports_a_size_that_a_lowered_module_takes)
{
    given_lowered_call("sym_int");
    expect("cuda/io-not-tensor",
           "error input n of CudaBackend is of kind sym_int, not a tensor\n");
}

static void given_op(const char *op)
{
    plan_input("x", "user_input");
    plan_call(op, "call", "x", NULL);
    plan_output("call");
}

START_TEST(fallback_kernel_accepts_what_is_compiled)
{
    given_op("aten::mm.default");
    plan_tag("aoti_0", "call");
    expect("cuda/fallback-kernel", "");
}

START_TEST(fallback_kernel_reports_a_kernel_that_nobody_has)
{
    given_op("aten::_cdist_forward.default");
    plan_tag("aoti_0", "call");
    expect("cuda/fallback-kernel",
           "error aten::_cdist_forward.default, called once in aoti_0, is left to a"
           " kernel; CudaBackend has none for it\n");
}

START_TEST(fallback_kernel_is_a_note_where_the_backend_has_it)
{
    given_op("aten::sort.stable");
    plan_tag("aoti_0", "call");
    expect("cuda/fallback-kernel",
           "note aten::sort.stable, called once in aoti_0, is left to a kernel that"
           " CudaBackend brings along\n");
}

START_TEST(fallback_kernel_is_a_note_without_a_plan)
{
    given_op("aten::nonzero.default");
    expect("cuda/fallback-kernel",
           "note aten::nonzero.default, called once, is left to a"
           " kernel; CudaBackend has none for it\n");
}

START_TEST(fallback_kernel_accepts_what_stays_on_the_host)
{
    given_op("aten::nonzero.default");
    plan_tag("aoti_0", "x");
    expect("cuda/fallback-kernel", "");
}

START_TEST(fallback_kernel_accepts_what_nobody_reads)
{
    plan_input("x", "user_input");
    plan_call("aten::nonzero.default", "call", "x", NULL);
    plan_output("x");
    plan_tag("aoti_0", "call");
    expect("cuda/fallback-kernel", "");
}

static void given_attention(const char *shape)
{
    char sql[256];

    plan_input("q", "user_input");
    plan_input("k", "user_input");
    plan_input("v", "user_input");
    plan_call("aten::scaled_dot_product_attention.default", "attention", "q k v", NULL);
    plan_output("attention");
    snprintf(sql, sizeof(sql),
             "UPDATE value SET shape = '%s'; UPDATE value SET shape = '[1,8,\"s0\",64]'"
             " WHERE name = 'k'; INSERT INTO range_constraint VALUES (1, 's0', 1, 100)",
             shape);
    given(sql);
}

START_TEST(attention_math_counts_a_score_for_each_query_and_key)
{
    given_attention("[1,8,10,64]");
    expect(
        "cuda/attention-math",
        "note the scores of attention (queries [1,8,10,64], keys [1,8,\"s0\",64]) take"
        " 32000 bytes\n");
}

START_TEST(attention_math_says_where_there_is_no_bound)
{
    given_attention("[1,8,\"u7\",64]");
    expect(
        "cuda/attention-math",
        "note the scores of attention (queries [1,8,\"u7\",64], keys [1,8,\"s0\",64])"
        " take memory without a known bound\n");
}

START_TEST(attention_math_accepts_attention_that_stays_on_the_host)
{
    given_attention("[1,8,10,64]");
    plan_tag("aoti_0", "q");
    expect("cuda/attention-math", "");
}

START_TEST(grad_mode_accepts_it_outside_of_partitions)
{
    given_op("higher_order::wrap_with_set_grad_enabled");
    plan_tag("aoti_0", "x");
    expect("cuda/grad-mode", "");
}

START_TEST(grad_mode_reports_it_in_a_partition)
{
    given_op("higher_order::wrap_with_set_grad_enabled");
    plan_tag("aoti_0", "x call");
    expect("cuda/grad-mode", "warning it lies in aoti_0, a partition of CudaBackend\n");
}

static TCase *pte_cases(void)
{
    TCase *pte = tcase_create("pte");

    tcase_add_checked_fixture(pte, rules_open, rules_close);
    tcase_add_test(pte, method_name_missing_accepts_a_named_delegate);
    tcase_add_test(pte, method_name_missing_accepts_delegates_of_other_backends);
    tcase_add_test(pte,
                   method_name_missing_reports_a_delegate_that_cannot_find_its_code);
    tcase_add_test(pte, method_name_missing_is_a_warning_where_the_blob_has_the_keys);
    tcase_add_test(pte, method_name_missing_is_a_warning_where_keys_have_no_name);
    tcase_add_test(pte, method_name_mismatch_reports_another_method);
    tcase_add_test(pte, method_name_mismatch_accepts_what_exir_saves_as_forward);
    tcase_add_test(pte, io_not_tensor_accepts_tensors);
    tcase_add_test(pte, io_not_tensor_reports_a_number);
    return pte;
}

static TCase *pt2_cases(void)
{
    TCase *pt2 = tcase_create("pt2");

    tcase_add_checked_fixture(pt2, plan_open, rules_close);
    tcase_add_test(pt2, io_not_tensor_accepts_tensors_of_a_lowered_program);
    tcase_add_test(pt2, io_not_tensor_reports_a_size_that_a_lowered_module_takes);
    tcase_add_test(pt2, fallback_kernel_accepts_what_is_compiled);
    tcase_add_test(pt2, fallback_kernel_reports_a_kernel_that_nobody_has);
    tcase_add_test(pt2, fallback_kernel_is_a_note_where_the_backend_has_it);
    tcase_add_test(pt2, fallback_kernel_is_a_note_without_a_plan);
    tcase_add_test(pt2, fallback_kernel_accepts_what_stays_on_the_host);
    tcase_add_test(pt2, fallback_kernel_accepts_what_nobody_reads);
    tcase_add_test(pt2, attention_math_counts_a_score_for_each_query_and_key);
    tcase_add_test(pt2, attention_math_says_where_there_is_no_bound);
    tcase_add_test(pt2, attention_math_accepts_attention_that_stays_on_the_host);
    tcase_add_test(pt2, grad_mode_accepts_it_outside_of_partitions);
    tcase_add_test(pt2, grad_mode_reports_it_in_a_partition);
    return pt2;
}

Suite *cuda_rules_suite(void)
{
    Suite *suite = suite_create("cuda rules");

    suite_add_tcase(suite, pte_cases());
    suite_add_tcase(suite, pt2_cases());
    return suite;
}
