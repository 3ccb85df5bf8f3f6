/* Two programs that differ in one thing, or in none: what is told of it. */

#include <stdio.h>

#include "base/text.h"
#include "unit/small_diff.h"

START_TEST(diff_accepts_equal_programs)
{
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_numbers_of_nodes)
{
    given("UPDATE node SET name = 'mul_41', args = replace(args, '\"mul\"',"
          " '\"mul_41\"') WHERE name = 'mul';"
          "UPDATE node SET args = replace(args, '\"mul\"', '\"mul_41\"')");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_one_op_where_one_is_inserted)
{
    diff_build_new(true);
    expect_diff("1 op added in a\n"
                "op added aten::relu.default relu -> f32 [2]\n"
                "flops changed FLOPs: 4 -> 6\n");
}
END_TEST

/* The input is called like the argument that it is. */
START_TEST(diff_accepts_arguments_that_are_called_like_nodes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("UPDATE node SET name = 'self' WHERE name = 'x';"
              "UPDATE node SET args = replace(args, '\"x\"', '\"self\"')");
    }
    given("UPDATE node SET name = 'other' WHERE name = 'self';"
          "UPDATE node SET args = replace(args, '\"tensor\":\"self\"',"
          " '\"tensor\":\"other\"')");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_an_op_that_is_gone)
{
    struct dg_store *old = diff_programs[0];

    diff_build_new(true);
    diff_programs[0] = diff_programs[1];
    diff_programs[1] = old;
    expect_diff("1 op removed in a\n"
                "op removed aten::relu.default relu: f32 [2]\n"
                "flops changed FLOPs: 6 -> 4\n");
}
END_TEST

START_TEST(diff_tells_another_operator_in_one_place)
{
    given("UPDATE op SET name = 'aten::gelu.default' WHERE id ="
          " (SELECT op_id FROM node WHERE name = 'relu');"
          "UPDATE node SET name = 'gelu' WHERE name = 'relu';"
          "UPDATE node SET args = replace(args, '\"relu\"', '\"gelu\"')");
    expect_diff("1 op changed in a\n"
                "op changed operator gelu: aten::relu.default -> aten::gelu.default\n");
}
END_TEST

START_TEST(diff_tells_other_arguments)
{
    given("UPDATE node SET args = replace(args, '\"int\":1', '\"int\":0')");
    expect_diff("1 op changed in b\n"
                "op changed arguments softmax: dim=1 -> dim=0\n");
}
END_TEST

START_TEST(diff_tells_every_argument_that_is_another_one)
{
    given("UPDATE node SET args = replace(args, '\"int\":1}', '\"int\":0},"
          "{\"name\":\"half_to_float\",\"bool\":false}')");
    expect_diff("1 op changed in b\n"
                "op changed arguments softmax: dim=1, no half_to_float -> dim=0,"
                " half_to_float=false\n");
}
END_TEST

START_TEST(diff_tells_an_argument_that_came_between_others)
{
    given("UPDATE node SET args = replace(args, '{\"name\":\"dim\",\"int\":1}',"
          " '{\"name\":\"dtype\",\"int\":6},{\"name\":\"dim\",\"int\":0}')");
    expect_diff("1 op changed in b\n"
                "op changed arguments softmax: no dtype, dim=1 -> dtype=6, dim=0\n");
}
END_TEST

START_TEST(diff_takes_no_notice_of_where_an_exporter_had_its_graphs)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given(s ? "UPDATE node SET meta = '{\"from_node\":\"[{\\\"graph_id\\\": 17, "
                  "1}]\"}'"
                : "UPDATE node SET meta = '{\"from_node\":\"[{\\\"graph_id\\\": 239, "
                  "1}]\"}'");
    }
    expect_diff("no difference\n");
    given("UPDATE node SET meta = replace(meta, ', 1', ', 2') WHERE name = 'softmax'");
    expect_diff("other metadata\nmetadata changed nodes softmax\n");
}
END_TEST

START_TEST(diff_tells_who_reads_another_node)
{
    given("UPDATE edge SET src = (SELECT id FROM node WHERE name = 'x') WHERE src ="
          " (SELECT id FROM node WHERE name = 'relu');"
          "UPDATE node SET args = replace(args, '\"relu\"', '\"x\"')");
    expect_diff("1 op changed in b\n"
                "op changed reads mul: relu -> x\n");
}
END_TEST

START_TEST(diff_tells_other_shapes_and_dtypes)
{
    given("UPDATE value SET dtype = 'f16' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: f32 [2] -> f16 [2]\n");
}
END_TEST

START_TEST(diff_tells_another_signature)
{
    given("UPDATE value SET shape = '[3]' WHERE name = 'x'");
    expect_diff("other signature\n"
                "signature changed type input 0: f32 [2] -> f32 [3]\n");
}
END_TEST

START_TEST(diff_tells_what_is_written_back)
{
    given_signature("output", "mul", "buffer_mutation", "cache");
    expect_diff("1 mutable buffer changed\n"
                "state added written back cache -> buffer_mutation\n");
}
END_TEST

START_TEST(diff_tells_how_far_weights_are_apart)
{
    given("UPDATE constant SET xxh3 = 'two'");
    diff_bytes[1][1] = 2;
    expect_diff("1 of 1 weights differs\n"
                "weight changed values w, f32 [2], max abs 1, SNR 3.0 dB\n");
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_shapes_of_weights_though_values_are_ignored)
{
    diff_ignored = DG_DIFF_WEIGHTS | DG_DIFF_SIZES;
    given("UPDATE constant SET xxh3 = 'two', shape = '[1]', nbytes = 4");
    expect_diff("1 of 1 weights differs\n"
                "weight changed type w: f32 [2] -> f32 [1]\n");
}
END_TEST

START_TEST(diff_says_that_weights_have_no_digest)
{
    given("UPDATE constant SET xxh3 = NULL");
    diff_bytes[1][1] = 2; /* not one file */
    expect_diff("no difference in what could be compared\n");
    ck_assert_int_eq(diff_result, DG_DIFF_UNKNOWN);
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
    ck_assert_int_eq(diff_result, DG_DIFF_SAME);
}
END_TEST

/* The same bytes, read as another matrix. */
START_TEST(diff_tells_other_strides_and_offsets_of_weights)
{
    given("UPDATE constant SET strides = '[2]'");
    rules_store = diff_programs[0];
    given("UPDATE constant SET strides = '[1]'");
    expect_diff("1 of 1 weights differs\n"
                "weight changed layout w: strides [1] -> strides [2]\n");
    rules_store = diff_programs[1];
    given("UPDATE constant SET strides = NULL");
    expect_diff("no difference\n");
    given("UPDATE constant SET storage_offset = 1");
    expect_diff("1 of 1 weights differs\n"
                "weight changed layout w: strides [1] ->"
                " strides contiguous from element 1\n");
}
END_TEST

/* A trillion elements, all of them in 8 bytes. */
START_TEST(diff_measures_no_weight_with_more_elements_than_bytes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("UPDATE constant SET shape = '[1000000,1000000]',"
                     " strides = '[0,0]', xxh3 = '%d'",
                     s);
    }
    expect_diff("1 of 1 weights differs\n"
                "weight changed values w, f32 [1000000,1000000]\n");
}
END_TEST

START_TEST(diff_measures_few_of_many_weights_in_the_same_bytes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("UPDATE constant SET shape = '[64]', nbytes = 256, xxh3 = '%d'",
                     s);
        for (int i = 2; i <= 6; i++)
            given_format("INSERT INTO constant (id, artifact_id, idx, kind, fqn, dtype,"
                         "  shape, nbytes, file_offset, xxh3)"
                         " SELECT %d, artifact_id, %d, kind, fqn || %d, dtype, shape,"
                         "  nbytes, file_offset, xxh3 FROM constant WHERE id = 1",
                         i, i, i);
    }
    diff_bytes[1][1] = 2;
    expect_diff("6 of 6 weights differ\n"
                "weight changed values w, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w2, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w3, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w4, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w5, f32 [64], not measured: too many weights"
                " share bytes\n"
                "weight changed values w6, f32 [64], not measured: too many weights"
                " share bytes\n");
}
END_TEST

START_TEST(diff_says_that_weights_are_gone)
{
    diff_ignored = DG_DIFF_SIZES;
    given("DELETE FROM constant");
    expect_diff("1 weight removed\nweight removed w: f32 [2]\n");
}
END_TEST

START_TEST(diff_accepts_a_weight_of_another_name_but_for_names)
{
    given("UPDATE constant SET fqn = 'v'");
    expect_diff("1 other name\nname changed weight v: w -> v\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

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

/* A file claims what it likes. */
START_TEST(diff_adds_up_sizes_that_are_more_than_a_number_holds)
{
    const struct dg_diff_sizes claimed = {100, INT64_MAX, INT64_MAX, 0};

    given("UPDATE constant SET nbytes = 9223372036854775807;"
          "INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes)"
          " VALUES (1, 0, 'key', 0, 24)");
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("1 weight added\n"
                "weight added key -> 24 bytes\n"
                "size changed weights: 8 B -> 8.0 EiB\n");
    ck_assert_int_eq(dg_diff_rest(&claimed), 0);
}

START_TEST(diff_tells_planned_memory_by_device_but_for_sizes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("INSERT INTO arena VALUES (1, 0, 0, 'cpu'), (1, 1, %d, 'cpu'),"
                     " (1, 2, 16, 'cuda:0')",
                     100 + 10 * s);
    }
    expect_diff("planned memory +8.6 %\n"
                "memory changed planned cpu: 100 B -> 110 B\n");
    diff_ignored = DG_DIFF_SIZES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_takes_bytes_of_the_container_for_no_difference)
{
    given("UPDATE artifact SET size_bytes = 8192");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_new_findings_and_those_that_are_fixed)
{
    static const char finding[] =
        "INSERT INTO finding (artifact_id, rule, severity, message, witness, "
        "fingerprint,"
        " node_id) VALUES (1, 'graph/acyclic', 'error', 'a loop', '[]', '%s', %d)";

    given_format(finding, "one", 3);
    expect_diff("1 new error\n"
                "finding added graph/acyclic relu -> a loop, error\n");
    rules_store = diff_programs[0];
    given_format(finding, "other", 3);
    expect_diff("no difference\n"); /* of the same node */
    given_format(finding, "other still", 4);
    expect_diff("1 error fixed\n"
                "finding removed graph/acyclic mul: a loop, error\n");
    diff_ignored = DG_DIFF_FINDINGS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_one_of_several_findings_of_a_node)
{
    static const char finding[] =
        "INSERT INTO finding (artifact_id, rule, severity, message, witness, "
        "fingerprint, node_id) VALUES (1, 'graph/acyclic', 'error', '%s', '[]', '%s', "
        "3)";

    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_format(finding, "one", i ? "a" : "b");
        given_format(finding, "two", i ? "c" : "d");
    }
    expect_diff("no difference\n");
    given_format(finding, "three", "e");
    expect_diff("1 new error\n"
                "finding added graph/acyclic relu -> three, error\n");
}
END_TEST

START_TEST(diff_writes_compile_specs_as_text_where_they_are_text)
{
    for (int i = 0; i < 2; i++) {
        rules_store = diff_programs[i];
        given_format(
            "INSERT INTO delegate (id, method_id, idx, name, backend, blob_bytes,"
            " blob_xxh3) VALUES (1, 1, 0, 'lowered', 'Demo', 4, 'a');"
            "INSERT INTO compile_spec VALUES (1, 0, 'units', CAST('%s' AS BLOB)),"
            " (1, 1, 'mode', %s)",
            i ? "cpu_and_gpu" : "all", i ? "x'2278'" : "x'610062'");
    }
    expect_diff("1 delegate changed\n"
                "delegate changed compile specs lowered: units=\"all\" mode=x'610062'"
                " -> units=\"cpu_and_gpu\" mode=x'2278', Demo\n");
}

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

/* One more input that nobody reads, on both sides. */
static void give_second(const char *spec, const char *target)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape) SELECT"
              "  max(id) + 1, 1, 90, 'y', 'tensor', 'f32', '[2]' FROM value;"
              "INSERT INTO node (id, graph_id, idx, name, kind, value_id) SELECT"
              "  max(id) + 1, 1, 90, 'y', 'placeholder',"
              "  (SELECT max(id) FROM value) FROM node");
        given_format(
            "INSERT INTO signature (graph_id, direction, pos, name, kind, spec,"
            "  target, value_id) SELECT 1, 'input', 9, 'y', 'tensor', '%s', %s,"
            "  max(id) FROM value",
            spec, target);
    }
}

START_TEST(diff_tells_exchanged_parameters)
{
    give_second("parameter", "'v'");
    expect_diff("no difference\n");
    given("UPDATE signature SET target = iif(target = 'v', 'w', 'v')"
          " WHERE spec = 'parameter'");
    expect_diff("other signature\n"
                "signature changed is w: w parameter -> v parameter\n"
                "signature changed is y: v parameter -> w parameter\n");
}
END_TEST

START_TEST(diff_tells_exchanged_inputs_of_the_user_though_names_are_ignored)
{
    diff_ignored = DG_DIFF_NAMES;
    give_second("user_input", "NULL");
    expect_diff("no difference\n");
    given("UPDATE signature SET pos = 10 WHERE name = 'x'");
    expect_diff("other signature\n"
                "signature changed is x: input 0 -> input 1\n"
                "signature changed is y: input 1 -> input 0\n");
}
END_TEST

START_TEST(diff_accepts_other_names_of_inputs_but_for_names)
{
    given("UPDATE node SET name = 'z', args = NULL WHERE name = 'x';"
          "UPDATE signature SET name = 'z' WHERE name = 'x';"
          "UPDATE node SET args = replace(args, '\"x\"', '\"z\"')");
    expect_diff("1 other name\nname changed input input 0: x -> z\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_how_a_buffer_is_kept)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("UPDATE signature SET spec = 'buffer', persistent = %d"
                     " WHERE spec = 'parameter'",
                     !s);
    }
    expect_diff("other signature\n"
                "signature changed kept as w: buffer -> buffer, not persistent\n");
}
END_TEST

START_TEST(diff_tells_another_target_of_an_attribute)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("INSERT INTO node (id, graph_id, idx, name, kind, target) VALUES"
                     " (30, 1, 30, 'attr', 'get_attr', '%s')",
                     s ? "b" : "a");
    }
    expect_diff("1 op changed\nop changed target attr: a -> b\n");
}
END_TEST

START_TEST(diff_accepts_other_classes_but_for_names)
{
    given("UPDATE module SET type = 'C' WHERE fqn = 'b'");
    expect_diff("1 other name\nname changed class b: B -> C\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_names_of_modules_and_nodes_but_for_names)
{
    given("UPDATE module SET fqn = 'block' WHERE fqn = 'b';"
          "UPDATE node SET name = 'scaled', args = replace(args, '\"mul\"',"
          " '\"scaled\"') WHERE name = 'mul';"
          "UPDATE node SET args = replace(args, '\"mul\"', '\"scaled\"')");
    expect_diff("3 other names\n"
                "name changed node scaled: mul -> scaled\n"
                "name changed module scaled: b -> block\n"
                "name changed module softmax: b -> block\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_lines_but_for_source)
{
    given("UPDATE trace SET text = 'line 2'");
    expect_diff("3 nodes from other source lines\n"
                "source changed stack traces relu\n");
    diff_ignored = DG_DIFF_SOURCES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_versions_but_for_metadata)
{
    given("UPDATE artifact SET version = replace(version, '2.13.0', '2.14.0')");
    expect_diff("other metadata\n"
                "metadata changed version torch: 2.13.0 -> 2.14.0\n");
    diff_ignored = DG_DIFF_METADATAS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_a_method_and_not_what_is_in_it)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'more', 'aten', NULL, NULL);"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (20, 2, 0, 'relu', 'call_function', 1)");
    expect_diff("1 method added\nmethod added more -> aten\n");
}
END_TEST

START_TEST(diff_tells_a_branch_and_not_what_is_in_it)
{
    given("INSERT INTO \"graph\" VALUES (2, 1, 'true_graph_0', 'branch');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (20, 2, 0, 'relu', 'call_function', 1)");
    expect_diff("1 graph added\n"
                "graph added true_graph_0 -> branch\n");
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

/* A .pte: x, 2 -> mul by a constant -> relu. */
static void build_instructions(int side)
{
    dg_store_close(diff_programs[side]);
    rules_open();
    diff_programs[side] = rules_store;
    given_pte();
    given(
        "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, storage, scalar,"
        " data_index) VALUES (1, 1, 0, 'tensor', 'f32', '[2]', 'planned', NULL, NULL),"
        " (2, 1, 1, 'tensor', 'f32', '[2]', 'constant', NULL, 1),"
        " (3, 1, 2, 'int', NULL, NULL, NULL, 2, NULL),"
        " (4, 1, 3, 'tensor', 'f32', '[2]', 'planned', NULL, NULL),"
        " (5, 1, 4, 'tensor', 'f32', '[2]', 'planned', NULL, NULL);"
        "INSERT INTO constant (id, artifact_id, idx, kind, dtype, shape, nbytes, xxh3)"
        " VALUES (1, 1, 1, 'constant', 'f32', '[2]', 8, 'one');"
        "INSERT INTO op VALUES (1, 'aten::mul.out', 'aten', NULL, NULL, 0),"
        " (2, 'aten::relu.out', 'aten', NULL, NULL, 0);"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
        " (1, 1, 0, 'op_0', 'kernel_call', 1), (2, 1, 1, 'op_1', 'kernel_call', 2);"
        "INSERT INTO operand VALUES (1, 0, 0, 1, 'read'), (1, 1, 1, 2, 'read'),"
        " (1, 2, 2, 3, 'read'), (1, 3, 3, 4, 'write'), (2, 0, 3, 4, 'read'),"
        " (2, 1, 4, 5, 'write');"
        "INSERT INTO signature (graph_id, direction, pos, kind, value_id) VALUES"
        " (1, 'input', 0, 'tensor', 1), (1, 'output', 0, 'tensor', 5)");
}

static void build_both_instructions(void)
{
    build_instructions(0);
    build_instructions(1);
}

START_TEST(diff_tells_other_scalars_of_instructions)
{
    build_both_instructions();
    expect_diff("no difference\n");
    given("UPDATE value SET scalar = 3 WHERE id = 3");
    expect_diff("1 op changed\nop changed arguments op_0: #2=2 -> #2=3\n");
}
END_TEST

/* A hundred calls name one list, which differs. */
START_TEST(diff_says_that_lists_with_too_many_items_are_not_compared)
{
    build_both_instructions();
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format(
            "INSERT INTO value (id, graph_id, idx, kind, items) VALUES (6, 1, 5,"
            " 'double_list', '[%d' || printf('%%.*c', 70000, '0') || ']');"
            "WITH n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 109)"
            " INSERT INTO operand SELECT 1, i, 5, 6, 'read' FROM n",
            s + 1);
    }
    diff_bytes[1][1] = 2; /* not one file */
    expect_diff("no difference in what could be compared\n");
    ck_assert_int_eq(diff_result, DG_DIFF_UNKNOWN);
}
END_TEST

/* The relu, which read the product, reads the input. */
START_TEST(diff_tells_an_instruction_that_is_gone_and_no_more)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_SIZES;
    given(
        "DELETE FROM operand WHERE node_id = 1; DELETE FROM node WHERE id = 1;"
        "UPDATE operand SET value_idx = 0, value_id = 1 WHERE node_id = 2 AND pos = 0");
    expect_diff("1 op removed\n"
                "op removed aten::mul.out op_0: f32 [2]\n"
                "flops changed FLOPs of kernel calls: 4 -> 2\n");
}
END_TEST

START_TEST(diff_finds_constants_by_the_instruction_that_reads_them)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_SIZES;
    given("UPDATE constant SET shape = '[1]', nbytes = 4, xxh3 = 'two'");
    expect_diff("1 of 1 weights differs\n"
                "weight changed type: f32 [2] -> f32 [1]\n");
}
END_TEST

START_TEST(diff_tells_what_a_method_keeps)
{
    build_both_instructions();
    given("DELETE FROM signature WHERE direction = 'input'");
    expect_diff("1 op changed, other signature, 1 mutable buffer changed\n"
                "op changed arguments op_0: #0=input 0 -> #0=state\n"
                "signature removed type input 0: f32 [2]\n"
                "state added buffer -> f32 [2]\n");
}
END_TEST

START_TEST(diff_tells_what_the_host_hands_over)
{
    build_both_instructions();
    given("UPDATE node SET kind = 'delegate_call', op_id = NULL WHERE id = 2");
    expect_diff(
        "1 op added, 1 removed\n"
        "op removed aten::relu.out op_1: f32 [2]\n"
        "op added delegate_call op_1 -> f32 [2]\n"
        "delegate moved calls: 2 kernel calls, 0 of delegates -> 1 kernel calls,"
        " 1 of delegates\n"
        "flops changed FLOPs of kernel calls: 4 -> 2\n");
}
END_TEST

/* Both instructions multiply, each by a constant of its own. */
static void build_two_constants(void)
{
    for (int s = 0; s < 2; s++) {
        build_instructions(s);
        given("UPDATE node SET op_id = 1;"
              "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, storage,"
              " data_index) VALUES (6, 1, 5, 'tensor', 'f32', '[2]', 'constant', 2);"
              "INSERT INTO constant (id, artifact_id, idx, kind, dtype, shape, nbytes,"
              " xxh3) VALUES (2, 1, 2, 'constant', 'f32', '[2]', 8, 'two');"
              "INSERT INTO operand VALUES (2, 2, 5, 6, 'read')");
    }
    diff_ignored = DG_DIFF_SIZES | DG_DIFF_FINDINGS;
}

#define SWAPPED                                                                        \
    "UPDATE operand SET value_idx = 6 - value_idx, value_id = 8 - value_id"            \
    " WHERE value_id IN (2, 6);"

START_TEST(diff_accepts_other_numbers_of_constants)
{
    build_two_constants();
    given("UPDATE value SET data_index = 3 - data_index WHERE storage = 'constant';"
          "UPDATE constant SET idx = 3 - idx");
    expect_diff("no difference\n");
    given(SWAPPED "UPDATE constant SET idx = 3 - idx");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_who_reads_another_constant)
{
    build_two_constants();
    given(SWAPPED);
    expect_diff("2 ops changed\n"
                "op changed reads op_0: constant one -> constant two\n"
                "op changed reads op_1: constant two -> constant one\n");
}
END_TEST

START_TEST(diff_tells_new_values_of_constants_and_no_other_reader)
{
    build_two_constants();
    given("UPDATE constant SET xxh3 = 'one' WHERE id = 2");
    diff_ignored |= DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_who_reads_another_external_constant)
{
    build_two_constants();
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("UPDATE value SET storage = 'external', name = 'w' || id, data_index ="
              " NULL WHERE storage = 'constant'; DELETE FROM constant");
    }
    given("UPDATE value SET name = 'w7' WHERE name = 'w6'");
    expect_diff("1 other name\nname changed external weight w7: w6 -> w7\n");
    given("UPDATE value SET name = 'w6' WHERE name = 'w7';" SWAPPED);
    expect_diff("2 ops changed\n"
                "op changed reads op_0: constant w2 -> constant w6\n"
                "op changed reads op_1: constant w6 -> constant w2\n");
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

START_TEST(diff_tells_which_value_an_output_is)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO signature (graph_id, direction, pos, kind, value_id) VALUES"
              " (1, 'output', 1, 'tensor', 4)");
    }
    expect_diff("no difference\n");
    given("UPDATE signature SET value_id = 5 - pos WHERE direction = 'output';"
          "UPDATE signature SET value_id = 9 - value_id WHERE direction = 'output'");
    expect_diff("other signature\n"
                "signature changed reads output 0: aten::relu.out op_1 ->"
                " aten::mul.out op_0\n"
                "signature changed reads output 1: aten::mul.out op_0 ->"
                " aten::relu.out op_1\n");
    given("UPDATE signature SET value_id = 5 - pos WHERE direction = 'output';"
          "UPDATE signature SET value_id = 1 WHERE direction = 'output' AND pos = 1");
    expect_diff("other signature\n"
                "signature changed value output 1: @ -> input 0\n");
}
END_TEST

/* The product goes into one of two buffers. */
START_TEST(diff_tells_which_tensor_is_written)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, kind, dtype, shape, storage, name)"
              " VALUES (6, 1, 5, 'tensor', 'f32', '[2]', 'mutable', 'a'),"
              " (7, 1, 6, 'tensor', 'f32', '[2]', 'mutable', 'b');"
              "UPDATE operand SET value_id = value_id + 2, value_idx = value_idx + 2"
              " WHERE access = 'write'; UPDATE signature SET value_id = 7"
              " WHERE direction = 'output'");
    }
    expect_diff("no difference\n");
    given("UPDATE operand SET value_id = 13 - value_id, value_idx = 11 - value_idx"
          " WHERE access = 'write'; UPDATE signature SET value_id = 6"
          " WHERE direction = 'output'");
    expect_diff("2 ops changed\n"
                "op changed uses op_0: state a -> state b\n"
                "op changed uses op_1: state b -> state a\n");
    given("UPDATE operand SET value_id = 13 - value_id, value_idx = 11 - value_idx"
          " WHERE access = 'write'; UPDATE signature SET value_id = 7"
          " WHERE direction = 'output';"
          "UPDATE operand SET value_id = 1, value_idx = 0"
          " WHERE access = 'write' AND node_id = 1");
    expect_diff("1 op changed\n"
                "op changed arguments op_0: #3=> state -> #3=> input 0\n");
}
END_TEST

START_TEST(diff_tells_which_number_of_the_caller_is_read)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
              " (6, 1, 5, 'int', 2);"
              "INSERT INTO signature (graph_id, direction, pos, kind, value_id) VALUES"
              " (1, 'input', 1, 'int', 3), (1, 'input', 2, 'int', 6)");
    }
    expect_diff("no difference\n");
    given("UPDATE operand SET value_id = 6, value_idx = 5 WHERE value_id = 3");
    expect_diff("1 op changed\n"
                "op changed arguments op_0: #2=input 1=2 -> #2=input 2=2\n");
}
END_TEST

START_TEST(diff_tells_where_a_jump_goes)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO node (id, graph_id, idx, name, kind, jump) VALUES"
              " (3, 1, 2, 'op_2', 'jump_false_call', 0)");
    }
    expect_diff("no difference\n");
    given("UPDATE node SET jump = 1 WHERE id = 3");
    expect_diff("1 op changed\n"
                "op changed reads op_2: aten::mul.out op_0 -> aten::relu.out op_1\n");
    given("UPDATE node SET jump = 3 WHERE id = 3");
    expect_diff("1 op changed\n"
                "op changed arguments op_2: #0=to @ -> #0=to the end\n");
}
END_TEST

START_TEST(diff_tells_long_strings_by_their_digests)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("UPDATE value SET kind = 'string', scalar = printf('%.500c', 'x')"
              " WHERE id = 3");
    }
    expect_diff("no difference\n");
    given("UPDATE value SET scalar = scalar || 'y' WHERE id = 3");
    expect_diff("1 op changed\n"
                "op changed arguments op_0:"
                " #2='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (500 bytes,"
                " 89a8ac9fa1e5c540)'"
                " -> #2='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (501"
                " bytes, af5b943900e82cf0)'\n");
}
END_TEST

/* The relu, whose maker is gone, reads a string that looks like several operands. */
START_TEST(diff_tells_strings_that_look_like_operands)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
              " (6, 1, 5, 'string', 'a; @');"
              "INSERT INTO operand VALUES (2, 2, 5, 6, 'read')");
    }
    given(
        "UPDATE value SET scalar = 'a; state' WHERE id = 6;"
        "DELETE FROM operand WHERE node_id = 1; DELETE FROM node WHERE id = 1;"
        "UPDATE operand SET value_idx = 0, value_id = 1 WHERE node_id = 2 AND pos = 0");
    expect_diff("1 op removed, 1 changed\n"
                "op removed aten::mul.out op_0: f32 [2]\n"
                "op changed arguments op_1: #0=@, #1='a\\x3b @' -> #0=input 0, "
                "#1='a\\x3b state'\n"
                "flops changed FLOPs of kernel calls: 4 -> 2\n");
}
END_TEST

/* One reads x, the other changes it; last or first. */
static void build_writer(int side, bool last)
{
    dg_store_close(diff_programs[side]);
    program_begin();
    diff_programs[side] = rules_store;
    given_input(1, "x", "f32", "[2]");
    if (!last)
        given_call(1, "add_", "aten::add_.Tensor", BY("x", "1"), "x");
    given_call(1, "relu", "aten::relu.default", SELF("x"), "x");
    if (last)
        given_call(1, "add_", "aten::add_.Tensor", BY("x", "1"), "x");
    given_call(1, "mul", "aten::mul.Tensor", TWO("relu", "add_"), "relu add_");
    given_output(1, ONE("mul"), "mul");
    given_signature("output", "mul", "user_output", NULL);
}

START_TEST(diff_tells_another_order_of_what_writes_and_reads)
{
    build_writer(0, false);
    build_writer(1, false);
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    expect_diff("no difference\n");
    build_writer(1, true);
    expect_diff("1 op changed\n"
                "op changed order add_: before relu -> behind it\n");
}
END_TEST

/* Neither changes x. */
START_TEST(diff_accepts_another_order_of_what_only_reads)
{
    for (int s = 0; s < 2; s++) {
        build_writer(s, s == 1);
        given(
            "UPDATE op SET name = 'aten::add.Tensor' WHERE name = 'aten::add_.Tensor'");
    }
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_other_layouts_of_values)
{
    given("UPDATE value SET device = 'cuda:0' WHERE name = 'mul'");
    rules_store = diff_programs[0];
    given("UPDATE value SET device = 'cpu' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed layout mul: cpu -> cuda:0\n");
}
END_TEST

START_TEST(diff_tells_extra_files_but_for_metadata)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("INSERT INTO segment (artifact_id, idx, name, kind, offset,"
                     " size_bytes, stored_bytes, xxh3)"
                     " VALUES (1, 9, 'labels', 'extra', 0, 3, 3, '%d')",
                     s);
    }
    expect_diff("other metadata\nmetadata changed extra file labels\n");
    diff_ignored = DG_DIFF_METADATAS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_says_that_weights_are_in_another_file)
{
    build_both_instructions();
    diff_bytes[1][1] = 2; /* not one file */
    given("UPDATE value SET storage = 'external', name = 'w' WHERE id = 2");
    rules_store = diff_programs[0];
    given("UPDATE value SET storage = 'external', name = 'w' WHERE id = 2");
    expect_diff("no difference in what could be compared\n");
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
}
END_TEST

/* relu reads an item of a pair, or x. */
static void build_item(int side, bool reads)
{
    dg_store_close(diff_programs[side]);
    program_begin();
    diff_programs[side] = rules_store;
    given_input(1, "x", "f32", "[2]");
    given_tuple(1, "max_1", "aten::max.dim", LAST("x"), "x");
    if (reads)
        given_call(1, "getitem", "_operator.getitem",
                   "[{\"name\":\"\",\"tensor\":\"max_1\"},{\"name\":\"\",\"int\":0}]",
                   "max_1");
    given_call(1, "relu", "aten::relu.default", reads ? SELF("getitem") : SELF("x"),
               reads ? "getitem" : "x");
    given_output(1, ONE("relu"), "relu");
    given_signature("output", "relu", "user_output", NULL);
}

/* The item is gone with its reader, and nobody says so. */
START_TEST(diff_tells_who_reads_no_item_of_a_tuple_any_more)
{
    build_item(0, true);
    build_item(1, false);
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    expect_diff("1 op changed\n"
                "op changed reads relu: getitem -> x\n");
}
END_TEST

Suite *diff_suite(void)
{
    Suite *suite = suite_create("diff");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, diff_open, diff_close);
    tcase_add_test(all, diff_accepts_equal_programs);
    tcase_add_test(all, diff_accepts_other_numbers_of_nodes);
    tcase_add_test(all, diff_tells_one_op_where_one_is_inserted);
    tcase_add_test(all, diff_accepts_arguments_that_are_called_like_nodes);
    tcase_add_test(all, diff_tells_an_op_that_is_gone);
    tcase_add_test(all, diff_tells_another_operator_in_one_place);
    tcase_add_test(all, diff_tells_other_arguments);
    tcase_add_test(all, diff_takes_no_notice_of_where_an_exporter_had_its_graphs);
    tcase_add_test(all, diff_tells_every_argument_that_is_another_one);
    tcase_add_test(all, diff_tells_an_argument_that_came_between_others);
    tcase_add_test(all, diff_tells_who_reads_another_node);
    tcase_add_test(all, diff_tells_other_shapes_and_dtypes);
    tcase_add_test(all, diff_tells_another_signature);
    tcase_add_test(all, diff_tells_what_is_written_back);
    tcase_add_test(all, diff_tells_how_far_weights_are_apart);
    tcase_add_test(all, diff_tells_shapes_of_weights_though_values_are_ignored);
    tcase_add_test(all, diff_says_that_weights_have_no_digest);
    tcase_add_test(all, diff_tells_other_strides_and_offsets_of_weights);
    tcase_add_test(all, diff_measures_no_weight_with_more_elements_than_bytes);
    tcase_add_test(all, diff_measures_few_of_many_weights_in_the_same_bytes);
    tcase_add_test(all, diff_says_that_weights_are_gone);
    tcase_add_test(all, diff_accepts_a_weight_of_another_name_but_for_names);
    tcase_add_test(all, diff_tells_blobs_and_backends);
    tcase_add_test(all, diff_adds_up_sizes_that_are_more_than_a_number_holds);
    tcase_add_test(all, diff_tells_planned_memory_by_device_but_for_sizes);
    tcase_add_test(all, diff_takes_bytes_of_the_container_for_no_difference);
    tcase_add_test(all, diff_tells_new_findings_and_those_that_are_fixed);
    tcase_add_test(all, diff_tells_one_of_several_findings_of_a_node);
    tcase_add_test(all, diff_writes_compile_specs_as_text_where_they_are_text);
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
    tcase_add_test(all, diff_tells_exchanged_parameters);
    tcase_add_test(all,
                   diff_tells_exchanged_inputs_of_the_user_though_names_are_ignored);
    tcase_add_test(all, diff_accepts_other_names_of_inputs_but_for_names);
    tcase_add_test(all, diff_tells_how_a_buffer_is_kept);
    tcase_add_test(all, diff_tells_another_target_of_an_attribute);
    tcase_add_test(all, diff_accepts_other_classes_but_for_names);
    tcase_add_test(all, diff_accepts_other_names_of_modules_and_nodes_but_for_names);
    tcase_add_test(all, diff_accepts_other_lines_but_for_source);
    tcase_add_test(all, diff_accepts_other_versions_but_for_metadata);
    tcase_add_test(all, diff_tells_a_method_and_not_what_is_in_it);
    tcase_add_test(all, diff_tells_a_branch_and_not_what_is_in_it);
    tcase_add_test(all, diff_tells_what_moved_into_a_delegate);
    tcase_add_test(all, diff_tells_other_scalars_of_instructions);
    tcase_add_test(all, diff_says_that_lists_with_too_many_items_are_not_compared);
    tcase_add_test(all, diff_tells_an_instruction_that_is_gone_and_no_more);
    tcase_add_test(all, diff_finds_constants_by_the_instruction_that_reads_them);
    tcase_add_test(all, diff_tells_what_a_method_keeps);
    tcase_add_test(all, diff_tells_what_the_host_hands_over);
    tcase_add_test(all, diff_accepts_other_numbers_of_constants);
    tcase_add_test(all, diff_tells_who_reads_another_constant);
    tcase_add_test(all, diff_tells_new_values_of_constants_and_no_other_reader);
    tcase_add_test(all, diff_tells_who_reads_another_external_constant);
    tcase_add_test(all, diff_tells_who_calls_another_delegate);
    tcase_add_test(all, diff_tells_which_value_an_output_is);
    tcase_add_test(all, diff_tells_which_tensor_is_written);
    tcase_add_test(all, diff_tells_which_number_of_the_caller_is_read);
    tcase_add_test(all, diff_tells_where_a_jump_goes);
    tcase_add_test(all, diff_tells_long_strings_by_their_digests);
    tcase_add_test(all, diff_tells_strings_that_look_like_operands);
    tcase_add_test(all, diff_tells_another_order_of_what_writes_and_reads);
    tcase_add_test(all, diff_accepts_another_order_of_what_only_reads);
    tcase_add_test(all, diff_tells_who_reads_no_item_of_a_tuple_any_more);
    tcase_add_test(all, diff_tells_other_layouts_of_values);
    tcase_add_test(all, diff_tells_extra_files_but_for_metadata);
    tcase_add_test(all, diff_says_that_weights_are_in_another_file);
    suite_add_tcase(suite, all);
    return suite;
}
