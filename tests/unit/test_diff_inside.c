/* What a comparison tells of delegates and what is inside of them. */
#include <stdio.h>

#include "base/text.h"
#include "unit/small_diff.h"

START_TEST(diff_tells_blobs_and_backends)
{
    static const char delegate[] =
        "INSERT INTO delegate (id, method_id, idx, name, backend, blob_bytes, "
        "blob_xxh3)"
        " VALUES (1, 1, 0, 'lowered', 'Demo', 4, '0123456789abcdef')";

    diff_ignored = DG_DIFF_SIZES;
    given(delegate);
    expect_diff("1 delegate added\n"
                "delegate added lowered -> 4 bytes, 0123456789ab, Demo\n");
    rules_store = diff_programs[0];
    given(delegate);
    expect_diff("no difference\n");
    given("UPDATE delegate SET blob_xxh3 = 'f'");
    expect_diff("1 delegate changed\n"
                "delegate changed blob lowered: 4 bytes, f -> 4 bytes, 0123456789ab,"
                " Demo\n");
}
END_TEST

START_TEST(diff_counts_a_delegate_once)
{
    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_format(
            "INSERT INTO delegate (id, method_id, idx, name, backend, blob_bytes,"
            " blob_xxh3) VALUES (1, 1, 0, 'lowered', 'Demo', 4, '%s');"
            "INSERT INTO compile_spec VALUES (1, 0, 'mode', %s)",
            i ? "b" : "a", i ? "NULL" : "x'01'");
    }
    expect_diff(
        "1 delegate changed\n"
        "delegate changed compile specs lowered: mode=x'01' -> mode (no value), Demo\n"
        "delegate changed blob lowered: 4 bytes, a -> 4 bytes, b, Demo\n");
}
END_TEST

/* One delegate: x -> Conv2d_0 -> Sigmoid_1 -> y; the filter lies under a key. */
static void given_inside(void)
{
    given(
        "INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate', 'xnnpack',"
        "  '{}');"
        "INSERT INTO delegate (id, method_id, idx, backend, blob_bytes, blob_xxh3,"
        "  inside_id) VALUES (1, 1, 0, 'XnnpackBackend', 4, 'a', 1);"
        "INSERT INTO delegate_node VALUES"
        " (1, 1, 0, 'Conv2d_0', 'Conv2d', '{\"padding_top\":1,\"groups\":1}', 0, 0,"
        "  NULL, 0),"
        " (2, 1, 1, 'Sigmoid_1', 'Sigmoid', '{}', 0, NULL, NULL, 1);"
        "INSERT INTO delegate_constant VALUES (1, 1, 'key', NULL, NULL, 16);"
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape, nbytes,"
        "  flags, external_id, constant_idx, node_id) VALUES"
        " (1, 1, 0, 'f32', 'fp32', '[2,4]', 32, 1, 0, NULL, NULL),"
        " (2, 1, 1, 'f32', 'fp32', '[4]', 16, 0, NULL, 1, NULL),"
        " (3, 1, 2, 'f32', 'fp32', '[2,4]', 32, 0, NULL, NULL, 1),"
        " (4, 1, 3, 'f32', 'fp32', '[2,4]', 32, 2, 1, NULL, 2);"
        "INSERT INTO " DELEGATE_OPERAND " VALUES (1, 0, 'input1', 0, 1, 'read'),"
        " (1, 1, 'filter', 1, 2, 'read'), (1, 2, 'output', 2, 3, 'write'),"
        " (2, 0, 'input', 2, 3, 'read'), (2, 1, 'output', 3, 4, 'write')");
}

/* What is told beside the blob's own line. */
static void expect_inside(const char *change, const char *sentence, const char *want)
{
    char all[600];

    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_inside();
    }
    given("UPDATE delegate SET blob_xxh3 = 'b'");
    given(change);
    snprintf(all, sizeof(all),
             "1 delegate changed%s\ndelegate changed blob delegate 0: 4 bytes, a -> 4"
             " bytes, b, XnnpackBackend\n%s",
             sentence, want);
    expect_diff(all);
}

START_TEST(diff_tells_of_an_inside_that_is_the_same_only_that_the_blob_is_another)
{
    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_inside();
    }
    given("UPDATE delegate SET blob_xxh3 = 'b';"
          "UPDATE delegate_node SET debug_handle = 7");
    expect_diff(
        "1 delegate changed\n"
        "delegate changed blob, not what it computes delegate 0: 4 bytes, a -> 4"
        " bytes, b, XnnpackBackend\n");
}

/* Nobody has the bytes: constants in there may be any. */
START_TEST(diff_takes_no_inside_for_the_same_whose_constants_are_not_known)
{
    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_inside();
        given("UPDATE delegate_constant SET key = NULL, offset = 0");
    }
    given("UPDATE delegate SET blob_xxh3 = 'b'");
    expect_diff("1 delegate changed\n"
                "delegate changed blob delegate 0: 4 bytes, a -> 4 bytes, b,"
                " XnnpackBackend\n");
}

/* The first is new; the second was the first, with other debug handles. */
START_TEST(diff_tells_a_delegate_by_its_inside_where_another_took_its_place)
{
    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_inside();
    }
    given("UPDATE delegate SET blob_xxh3 = 'b', idx = 1;"
          "UPDATE delegate SET id = 2;"
          "INSERT INTO delegate (id, method_id, idx, backend, blob_bytes, blob_xxh3)"
          " VALUES (1, 1, 0, 'XnnpackBackend', 8, 'c')");
    expect_diff(
        "1 delegate added, 1 delegate changed\n"
        "delegate changed blob, not what it computes delegate 1: 4 bytes, a -> 4"
        " bytes, b, XnnpackBackend\n"
        "delegate added delegate 0 -> 8 bytes, c, XnnpackBackend\n"
        "size changed blobs: 4 B -> 12 B\n");
}

START_TEST(diff_tells_only_the_arguments_of_a_node_inside_that_changed)
{
    expect_inside(
        "UPDATE delegate_node SET args = '{\"padding_top\":0,\"groups\":1}',"
        " output_min = NULL, flags = 2 WHERE id = 1",
        ", 1 node inside of delegates changed",
        "inside changed arguments delegate_0/Conv2d_0: padding_top 1, output_min"
        " 0 -> padding_top 0, flags 2, XnnpackBackend\n");
}

START_TEST(diff_tells_other_weights_inside_by_their_node)
{
    expect_inside("UPDATE delegate_constant SET key = 'another'",
                  ", 1 node inside of delegates changed",
                  "inside changed values of filter delegate_0/Conv2d_0: key -> another,"
                  " XnnpackBackend\n");
}

START_TEST(diff_tells_the_result_of_a_node_inside_and_not_who_reads_it)
{
    expect_inside("UPDATE delegate_value SET shape = '[2,8]' WHERE id = 3",
                  ", 1 node inside of delegates changed",
                  "inside changed output delegate_0/Conv2d_0: fp32 [2,4] -> fp32 [2,8],"
                  " XnnpackBackend\n");
}

START_TEST(diff_tells_other_scales_inside)
{
    expect_inside("UPDATE delegate_value SET quantization = '{\"scale\":0.5}'"
                  " WHERE id = 2",
                  ", 1 node inside of delegates changed",
                  "inside changed quantization of filter delegate_0/Conv2d_0 ->"
                  " {\"scale\":0.5}, XnnpackBackend\n");
}

START_TEST(diff_tells_a_node_inside_that_came_and_who_reads_it)
{
    expect_inside(
        "INSERT INTO delegate_node VALUES (3, 1, 2, 'Abs_2', 'Abs', '{}', 0,"
        "  NULL, NULL, 2);"
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape,"
        "  nbytes, flags, node_id) VALUES (5, 1, 4, 'f32', 'fp32', '[2,4]', 32,"
        "  0, 3);"
        "INSERT INTO " DELEGATE_OPERAND " VALUES (3, 0, 'input', 2, 3, 'read'),"
        " (3, 1, 'output', 4, 5, 'write');"
        "UPDATE delegate_operand SET value_id = 5 WHERE node_id = 2 AND pos = 0",
        ", 1 node inside of delegates added, 1 changed",
        "inside changed inputs delegate_0/Sigmoid_1: Conv2d_0 -> Abs_2,"
        " XnnpackBackend\n"
        "inside added delegate_0/Abs_2 -> fp32 [2,4], XnnpackBackend\n");
}

START_TEST(diff_tells_a_node_inside_that_went)
{
    expect_inside("DELETE FROM delegate_operand WHERE node_id = 2;"
                  "UPDATE delegate_value SET node_id = NULL WHERE id = 4;"
                  "DELETE FROM delegate_node WHERE id = 2",
                  ", 1 node inside of delegates removed",
                  "inside removed delegate_0/Sigmoid_1: fp32 [2,4], XnnpackBackend\n");
}

START_TEST(diff_tells_what_another_library_calls_and_needs)
{
    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_format(
            "INSERT INTO library (id, artifact_id, name, format, machine, build_id,"
            "  nbytes, weights) VALUES (1, 1, 'x.wrapper.so', 'elf', 'x86_64', '%s', "
            "90,"
            "  'inside');"
            "INSERT INTO library_version VALUES (1, 0, 'GLIBC_2.%d', 'libc.so.6', 0);"
            "INSERT INTO library_symbol VALUES (1, 0, 'aoti_torch_%s', NULL, "
            "'undefined'),"
            " (1, 1, 'aoti_torch_get_sizes', NULL, 'undefined');"
            "INSERT INTO gpu_code (artifact_id, library_id, binary, name, format, "
            "target,"
            "  nbytes, compressed) VALUES (1, 1, 0, 'k', 'cubin', '%s', 9, 0)",
            i ? "b" : "a", i ? 34 : 4, i ? "sort" : "topk", i ? "sm_90" : "sm_80");
    }
    expect_diff(
        "other native code\n"
        "library changed code library 0: x86_64, 90 bytes, build id a, constants"
        " inside -> x86_64, 90 bytes, build id b, constants inside\n"
        "library changed needs glibc: 2.4 -> 2.34\n"
        "library removed needs aoti_torch_topk: called\n"
        "library added needs aoti_torch_sort -> called\n"
        "library changed GPU code k: sm_80 -> sm_90\n");
}

START_TEST(diff_tells_another_branch_and_no_move_to_a_delegate)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO \"graph\" VALUES (2, 1, 'true_graph_0', 'branch')");
    }
    given("UPDATE node SET graph_id = 2 WHERE name = 'softmax'");
    expect_diff("1 op changed in b\n"
                "op changed graph softmax: the method's own -> true_graph_0\n");
}
END_TEST

START_TEST(diff_tells_what_moved_into_a_delegate)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO \"graph\" VALUES (2, 1, 'lowered_module_0', 'lowered')");
    }
    given("UPDATE node SET graph_id = 2 WHERE name = 'softmax'");
    expect_diff("1 op moved between host and delegates in b\n"
                "op moved aten::softmax.int softmax: host -> lowered_module_0\n");
}
END_TEST

START_TEST(diff_tells_who_calls_another_delegate)
{
    build_two_constants();
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given(
            "INSERT INTO delegate (id, method_id, idx, backend, blob_bytes, blob_xxh3)"
            " VALUES (1, 1, 0, 'Demo', 4, 'a'), (2, 1, 1, 'Demo', 4, 'b');"
            "UPDATE node SET kind = 'delegate_call', op_id = NULL, delegate_id = id,"
            " op_index = id - 1");
    }
    given("UPDATE delegate SET blob_xxh3 = char(195 - unicode(blob_xxh3));"
          "UPDATE node SET delegate_id = 3 - id, op_index = 2 - id");
    expect_diff("no difference\n"); /* they have other numbers */
    given("UPDATE node SET delegate_id = id, op_index = id - 1");
    expect_diff("2 ops changed\n"
                "op changed calls op_0: delegate Demo a -> delegate Demo b\n"
                "op changed calls op_1: delegate Demo b -> delegate Demo a\n");
}
END_TEST

Suite *diff_inside_suite(void)
{
    Suite *suite = suite_create("diff_inside");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, diff_open, diff_close);
    tcase_add_test(all, diff_tells_blobs_and_backends);
    tcase_add_test(all, diff_counts_a_delegate_once);
    tcase_add_test(
        all, diff_tells_of_an_inside_that_is_the_same_only_that_the_blob_is_another);
    tcase_add_test(all,
                   diff_tells_a_delegate_by_its_inside_where_another_took_its_place);
    tcase_add_test(all,
                   diff_takes_no_inside_for_the_same_whose_constants_are_not_known);
    tcase_add_test(all, diff_tells_what_another_library_calls_and_needs);
    tcase_add_test(all, diff_tells_only_the_arguments_of_a_node_inside_that_changed);
    tcase_add_test(all, diff_tells_other_weights_inside_by_their_node);
    tcase_add_test(all, diff_tells_the_result_of_a_node_inside_and_not_who_reads_it);
    tcase_add_test(all, diff_tells_other_scales_inside);
    tcase_add_test(all, diff_tells_a_node_inside_that_came_and_who_reads_it);
    tcase_add_test(all, diff_tells_a_node_inside_that_went);
    tcase_add_test(all, diff_tells_another_branch_and_no_move_to_a_delegate);
    tcase_add_test(all, diff_tells_what_moved_into_a_delegate);
    tcase_add_test(all, diff_tells_who_calls_another_delegate);
    suite_add_tcase(suite, all);
    return suite;
}
