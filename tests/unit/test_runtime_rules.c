/* Rules about what a runtime of an older release does not know. */
#include "base/releases.h"
#include "unit/rules.h"
#include "unit/suite.h"

/* As --runtime leaves it: what the rules compare with. */
static void given_runtime(const char *name)
{
    struct dg_release release;

    ck_assert(dg_release_parse(&release, name));
    given_format("INSERT INTO setting VALUES ('runtime', '%s')", name);
    for (size_t i = 0; i < dg_n_since; i++) {
        bool later = dg_release_precedes(release, dg_since[i].release);

        if (later || dg_since[i].kind == DG_SINCE_BACKEND)
            given_format(
                "INSERT INTO setting VALUES ('%s-%s', '%d.%d %s')",
                later ? "later" : "earlier", dg_since_kind_name(dg_since[i].kind),
                dg_since[i].release.major, dg_since[i].release.minor, dg_since[i].name);
    }
}

/* Two calls of one operator. */
static void given_calls(const char *op)
{
    call_op(op, "0", "", "1");
    call_op(op, "1", "", "0");
    given("INSERT INTO plan_operator VALUES (1, 0, 1);"
          "UPDATE node SET op_index = 0, op_id = 1");
}

/* x -> Tanh_0 -> y inside of a delegate, with one constant by key. */
static void given_blob(void)
{
    given(
        "INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate', 'xnnpack',"
        "  '{}');"
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape, nbytes,"
        "  flags) VALUES (1, 1, 0, 'bf16', 'bf16', '[1,8]', 16, 1),"
        " (2, 1, 1, 'bf16', 'bf16', '[1,8]', 16, 2);"
        "INSERT INTO delegate_constant VALUES (1, 1, 'w', NULL, NULL, 432);"
        "INSERT INTO delegate_node VALUES (1, 1, 0, 'Tanh_0', 'Tanh', '{}', 0, NULL,"
        "  NULL, 0)");
}

START_TEST(a_release_is_known_with_and_without_its_patch)
{
    struct dg_release release;

    ck_assert(dg_release_parse(&release, "1.3"));
    ck_assert_int_eq(release.major * 100 + release.minor, 103);
    ck_assert(dg_release_parse(&release, "0.7.0"));
    ck_assert_int_eq(release.major * 100 + release.minor, 7);
    ck_assert(dg_release_parse(&release, "1.3.12"));
    ck_assert(!dg_release_parse(&release, ""));
    ck_assert(!dg_release_parse(&release, "1"));
    ck_assert(!dg_release_parse(&release, "1.30"));
    ck_assert(!dg_release_parse(&release, "1.3."));
    ck_assert(!dg_release_parse(&release, "1.3.1rc1"));
    ck_assert(!dg_release_parse(&release, "0.1"));
    ck_assert(!dg_release_parse(&release, "1.6"));
    ck_assert(!dg_release_parse(&release, " 1.3"));
}

START_TEST(runtime_rules_are_not_checked_without_a_release)
{
    expect_not_checked("runtime/operator", "no release is given (--runtime RELEASE)");
    expect_not_checked("runtime/field", "no release is given (--runtime RELEASE)");
}

START_TEST(runtime_operator_accepts_one_that_came_with_the_release)
{
    given_calls("aten::topk.values");
    given_runtime("0.4.0");
    expect("runtime/operator", "");
}

START_TEST(runtime_operator_accepts_one_that_is_of_no_release)
{
    given_calls("demo::twice.out");
    given_runtime("0.2");
    expect("runtime/operator", "");
}

START_TEST(runtime_operator_reports_one_that_came_later)
{
    given_calls("aten::topk.values");
    given_runtime("0.3");
    expect("runtime/operator", "error aten::topk.values came with release 0.4, and the"
                               " runtime is 0.3; 2 calls\n");
}

START_TEST(runtime_delegate_node_accepts_a_kind_that_came_with_the_release)
{
    given_blob();
    given_runtime("0.7");
    expect("runtime/delegate-node", "");
    expect("runtime/delegate-datatype", "");
}

START_TEST(runtime_delegate_node_accepts_other_formats)
{
    given_blob();
    given("UPDATE delegate_graph SET format = 'vulkan'");
    given_runtime("0.2");
    expect("runtime/delegate-node", "");
    expect("runtime/delegate-datatype", "");
    expect("runtime/field", "");
}

START_TEST(runtime_delegate_node_reports_a_kind_that_came_later)
{
    given_blob();
    given_runtime("0.6");
    expect("runtime/delegate-node",
           "error delegate_0: Tanh_0: the kind came with release"
           " 0.7, and the runtime is 0.6\n");
    expect_witness("[\"Tanh_0\"]");
}

START_TEST(runtime_delegate_datatype_reports_one_that_came_later)
{
    given_blob();
    given_runtime("0.6");
    expect("runtime/delegate-datatype",
           "error delegate_0: value 0 and 1 more: bf16 came with release 0.7, and the"
           " runtime is 0.6\n");
}

/* Two delegates of one backend, and one of XNNPACK whose blob was read. */
static void given_delegates(const char *backend)
{
    given_blob();
    given_format("INSERT INTO delegate (id, method_id, idx, backend, inside_id) VALUES"
                 " (1, 1, 0, 'XnnpackBackend', 1), (2, 1, 1, '%s', NULL),"
                 " (3, 1, 2, '%s', NULL)",
                 backend, backend);
}

START_TEST(runtime_backend_accepts_one_that_came_with_the_release)
{
    given_delegates("MLXBackend");
    given_runtime("1.3");
    expect("runtime/backend", "");
}

START_TEST(runtime_backend_reports_one_that_came_later)
{
    given_delegates("MLXBackend");
    given_runtime("1.2");
    expect("runtime/backend",
           "error 2 delegates are of MLXBackend, which came with release 1.3, and the"
           " runtime is 1.2\n");
    expect("runtime/backend-unknown", "");
}

START_TEST(runtime_backend_takes_the_word_of_whoever_lists_backends)
{
    given_delegates("MLXBackend");
    given("INSERT INTO setting VALUES ('backend', 'MLXBackend')");
    given_runtime("1.2");
    expect("runtime/backend", "");
    expect("runtime/backend-unknown",
           "note 2 delegates are of MLXBackend: whether release 1.2 knows all that they"
           " hold is not known here\n");
}

START_TEST(runtime_backend_unknown_accepts_delegates_of_xnnpack)
{
    given_delegates("XnnpackBackend");
    given("UPDATE delegate SET inside_id = 1");
    given_runtime("0.2");
    expect("runtime/backend-unknown", "");
}

START_TEST(runtime_backend_unknown_notes_backends_of_no_release)
{
    given_delegates("TOSABackend");
    given_runtime("0.2");
    expect("runtime/backend", "");
    expect(
        "runtime/backend-unknown",
        "note 2 delegates are of TOSABackend: whether release 0.2 has that backend is"
        " not known here\n");
}

START_TEST(runtime_backend_unknown_notes_what_other_backends_hold)
{
    given_delegates("VulkanBackend");
    given("DELETE FROM delegate WHERE id = 3");
    given_runtime("0.7");
    expect("runtime/backend-unknown",
           "note delegate_1 is of VulkanBackend: whether release 0.7 knows all that it"
           " holds is not known here\n");
}

START_TEST(runtime_field_accepts_what_the_release_reads)
{
    given_blob();
    given_runtime("0.6");
    expect("runtime/field", "");
}

START_TEST(runtime_field_reports_constants_by_key)
{
    given_blob();
    given_runtime("0.5");
    expect("runtime/field", "error 1 constant of delegate_0 by key (named_key) came"
                            " with release 0.6, and the runtime is 0.5\n");
}

START_TEST(runtime_field_reports_scales_beside_the_graph)
{
    given_blob();
    given("UPDATE delegate_value SET quantization = '{\"type\":\"per_channel\","
          "\"channel_dim\":0,\"scales\":[],\"scale_constant\":3,\"num_scales\":4}'"
          " WHERE id = 2");
    given_runtime("0.6");
    expect("runtime/field", "error scales of 1 value beside the graph of delegate_0"
                            " (scale_buffer_idx) came with release 0.7, and the runtime"
                            " is 0.6\n");
    given("UPDATE delegate_value SET quantization = '{\"type\":\"per_channel\","
          "\"channel_dim\":0,\"scales\":[1.0]}' WHERE id = 2");
    expect("runtime/field", "");
}

START_TEST(runtime_field_reports_initial_states_and_tensors_in_data_files)
{
    given("UPDATE value SET storage = 'mutable' WHERE idx = 0;"
          "UPDATE value SET storage = 'external' WHERE idx = 1");
    given_runtime("0.3");
    expect(
        "runtime/field",
        "error initial states of 1 tensor (mutable_data_segments) came with release"
        " 0.4, and the runtime is 0.3\n"
        "error 1 tensor in a data file (tensor_layout) came with release 0.7, and the"
        " runtime is 0.3\n");
}

START_TEST(runtime_field_reports_keys_of_other_delegates_for_each_method)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'other', 'pte', NULL, NULL);"
          "INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'CudaBackend'), (2, 2, 0, 'CudaBackend');"
          "INSERT INTO delegate_key VALUES (1, 0, 'a', 'library', NULL),"
          " (1, 1, 'b', 'weights', NULL), (2, 0, 'a', 'library', NULL)");
    given_runtime("0.5");
    expect(
        "runtime/field",
        "error 2 entries of delegates by key (named_data) came with release 0.6, and"
        " the runtime is 0.5\n"
        "error 1 entry of delegates by key (named_data) came with release 0.6, and the"
        " runtime is 0.5\n");
    given("DELETE FROM setting");
    given_runtime("0.6");
    expect("runtime/field", "");
}

START_TEST(runtime_field_reports_an_arena_on_a_device)
{
    given("INSERT INTO arena VALUES (1, 7, 64, 'cuda:0')");
    given_runtime("1.2");
    expect("runtime/field",
           "error 1 arena on cuda:0 (non_const_buffer_device) came with"
           " release 1.3, and the runtime is 1.2\n");
}

static void open_plan(void)
{
    rules_open_pte();
    tensor(0, 0, 16);
    tensor(1, 16, 16);
    goes_in(0);
    comes_out(1);
}

Suite *runtime_rules_suite(void)
{
    Suite *suite = suite_create("runtime rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_plan, rules_close);
    tcase_add_test(all, a_release_is_known_with_and_without_its_patch);
    tcase_add_test(all, runtime_rules_are_not_checked_without_a_release);
    tcase_add_test(all, runtime_operator_accepts_one_that_came_with_the_release);
    tcase_add_test(all, runtime_operator_accepts_one_that_is_of_no_release);
    tcase_add_test(all, runtime_operator_reports_one_that_came_later);
    tcase_add_test(all,
                   runtime_delegate_node_accepts_a_kind_that_came_with_the_release);
    tcase_add_test(all, runtime_delegate_node_accepts_other_formats);
    tcase_add_test(all, runtime_delegate_node_reports_a_kind_that_came_later);
    tcase_add_test(all, runtime_delegate_datatype_reports_one_that_came_later);
    tcase_add_test(all, runtime_backend_accepts_one_that_came_with_the_release);
    tcase_add_test(all, runtime_backend_reports_one_that_came_later);
    tcase_add_test(all, runtime_backend_takes_the_word_of_whoever_lists_backends);
    tcase_add_test(all, runtime_backend_unknown_accepts_delegates_of_xnnpack);
    tcase_add_test(all, runtime_backend_unknown_notes_backends_of_no_release);
    tcase_add_test(all, runtime_backend_unknown_notes_what_other_backends_hold);
    tcase_add_test(all, runtime_field_accepts_what_the_release_reads);
    tcase_add_test(all, runtime_field_reports_constants_by_key);
    tcase_add_test(all, runtime_field_reports_scales_beside_the_graph);
    tcase_add_test(all, runtime_field_reports_initial_states_and_tensors_in_data_files);
    tcase_add_test(all, runtime_field_reports_keys_of_other_delegates_for_each_method);
    tcase_add_test(all, runtime_field_reports_an_arena_on_a_device);
    suite_add_tcase(suite, all);
    return suite;
}
