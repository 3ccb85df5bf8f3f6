/* What is read of blobs that run nowhere here: Vulkan, TOSA, native, MLX; from real
 * ones and from damaged ones. */
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#include "formats/blob.h"
#include "unit/pte_file.h"

static const struct dg_delegate_node_row *node_named(const char *name)
{
    for (size_t i = 0; i < pte.program.n_delegate_nodes; i++) {
        if (dg_text_is(pte.program.delegate_nodes[i].name, name))
            return &pte.program.delegate_nodes[i];
    }
    ck_abort_msg("no node %s", name);
}

/* Operand `pos` of a node. */
static const struct dg_delegate_operand_row *operand(const char *name, int64_t pos)
{
    int64_t node = node_named(name) - pte.program.delegate_nodes;

    for (size_t i = 0; i < pte.program.n_delegate_operands; i++) {
        const struct dg_delegate_operand_row *row = &pte.program.delegate_operands[i];

        if (row->node == node && row->pos == pos)
            return row;
    }
    ck_abort_msg("%s has no operand %d", name, (int)pos);
}

static const struct dg_delegate_value_row *value_of(const char *name, int64_t pos)
{
    int64_t value = operand(name, pos)->value;

    ck_assert_int_ge(value, 0);
    return &pte.program.delegate_values[value];
}

static const struct dg_delegate_constant_row *constant_of(const char *name, int64_t pos)
{
    int64_t idx = value_of(name, pos)->constant_idx;

    for (size_t i = 0; i < pte.program.n_delegate_constants; i++) {
        if (pte.program.delegate_constants[i].idx == idx)
            return &pte.program.delegate_constants[i];
    }
    ck_abort_msg("operand %d of %s is no constant", (int)pos, name);
}

START_TEST(vulkan_has_tensors_as_operands_and_all_else_as_arguments)
{
    static const char conv[] = "et_vk.conv_with_clamp.default_0";

    pte_load("data/vulkan.pte");
    ck_assert_uint_eq(pte.program.n_delegate_graphs, 2);
    ck_assert_str_eq(pte.program.delegate_graphs[0].format, "vulkan");
    ck_assert(dg_text_is(node_named(conv)->args,
                         "{\"arg3\":[1,1],\"arg4\":[1,1],\"arg5\":[1,1],\"arg6\":false,"
                         "\"arg7\":[0,0],\"arg8\":1,\"arg9\":0.0,"
                         "\"arg10\":1.7976931348623157e+308}"));
    ck_assert_int_eq(value_of(conv, 0)->external_id, 0);
    ck_assert(dg_text_is(value_of(conv, 1)->shape, "[6,3,3,3]"));
    ck_assert(dg_text_is(value_of(conv, 1)->datatype, "FLOAT32"));
    ck_assert_int_eq(constant_of(conv, 1)->nbytes, 648);
    ck_assert_uint_eq(constant_of(conv, 1)->key.size, 64);
    ck_assert(dg_text_is(operand(conv, 3)->name, "out"));
    ck_assert_str_eq(operand(conv, 3)->access, "write");
    ck_assert_int_eq(value_of("aten.mean.dim_1", 0)->node, 0);
    pte_close();
}

START_TEST(tosa_has_tensors_by_name_and_constants_where_they_lie)
{
    const struct dg_delegate_constant_row *constant;

    pte_load("data/tosa.pte");
    ck_assert_uint_eq(pte.program.n_delegate_graphs, 1);
    ck_assert_uint_eq(pte.program.n_delegate_nodes, 42);
    ck_assert(dg_text_is(node_named("CONV2D_14")->args,
                         "{\"pad\":[1,1,1,1],\"stride\":[1,1],\"dilation\":[1,1],"
                         "\"local_bound\":false,\"acc_type\":7}"));
    ck_assert(dg_text_is(value_of("CONV2D_14", 1)->name,
                         "aten_convolution_default_weight_ohwi"));
    ck_assert_int_eq(value_of("CONV2D_14", 1)->node,
                     node_named("CONST_1") - pte.program.delegate_nodes);
    constant = constant_of("CONV2D_14", 1);
    ck_assert_int_eq(constant->nbytes, 648);
    ck_assert_int_gt(constant->file_offset, 0);
    ck_assert_int_le(constant->file_offset + 648, (int64_t)pte.size);
    ck_assert(node_named("CLAMP_15")->output_min.type == DG_REAL);
    ck_assert(node_named("CLAMP_15")->output_min.real == 0);
    ck_assert(dg_text_is(value_of("RESHAPE_41", 1)->datatype, "SHAPE"));
    ck_assert_int_eq(value_of("RESHAPE_41", 1)->nbytes, 16);
    pte_close();
}

START_TEST(native_has_bodies_of_branches_with_names_of_their_own)
{
    pte_load("data/native.pte");
    ck_assert_uint_eq(pte.program.n_delegate_nodes, 5);
    ck_assert(dg_text_is(node_named("higher_order::cond_2")->op, "higher_order::cond"));
    ck_assert(dg_text_is(value_of("aten::mul.Tensor_3", 0)->name, "x"));
    ck_assert(dg_text_is(value_of("aten::sub.Tensor_4", 0)->name, "x"));
    ck_assert_int_ne(value_of("aten::mul.Tensor_3", 0)->idx,
                     value_of("aten::sub.Tensor_4", 0)->idx);
    ck_assert(dg_text_is(value_of("aten::sum.dim_IntList_0", 0)->shape, "[2,3]"));
    ck_assert_int_eq(value_of("aten::sum.dim_IntList_0", 0)->external_id, 0);
    ck_assert(dg_text_is(node_named("aten::gt.Scalar_1")->args, "{\"other\":0}"));
    pte_close();
}

START_TEST(a_slot_of_mlx_that_is_written_again_is_another_value)
{
    const struct dg_delegate_value_row *first, *second;

    pte_load("data/mlx.pte");
    ck_assert_uint_eq(pte.program.n_delegate_nodes, 46);
    first = value_of("TransposeNode_0", 1);
    second = value_of("Conv2DNode_1", 2);
    ck_assert_int_eq(first->idx, second->idx);
    ck_assert_ptr_ne(first, second);
    ck_assert_ptr_eq(value_of("Conv2DNode_1", 0), first);
    ck_assert_ptr_eq(value_of("TransposeNode_2", 0), second);
    ck_assert_ptr_null(first->shape.data); /* a slot for a while: nothing says it */
    ck_assert(dg_text_is(node_named("ReshapeNode_3")->args, "{\"shape\":[1,-1,1,1]}"));
    ck_assert(dg_text_is(constant_of("Conv2DNode_1", 1)->key,
                         "5dce/conv.weight_channel_last"));
    pte_close();
}

static void expect_args(const char *node, const char *args)
{
    ck_assert_str_eq(node_named(node)->args.data, args);
}

/* Operand `pos` of `node` is what `maker` wrote. */
static void expect_from(const char *node, int64_t pos, const char *maker)
{
    ck_assert_int_eq(value_of(node, pos)->node,
                     node_named(maker) - pte.program.delegate_nodes);
}

static void expect_all_defined(void)
{
    for (size_t i = 0; i < pte.program.n_delegate_operands; i++)
        ck_assert_int_ge(pte.program.delegate_operands[i].value, 0);
}

START_TEST(vulkan_has_of_a_list_as_operands_what_may_be_one)
{
    pte_load_blob("vulkan-lists", "VulkanBackend");
    expect_all_defined();
    expect_args("aten.view_copy.default_0", "{\"arg1\":[{\"operand\":1},4]}");
    ck_assert(dg_text_is(value_of("aten.view_copy.default_0", 1)->datatype, "SymInt"));
    expect_args("aten.index.Tensor_1", "{\"arg1\":[null,{\"operand\":1}]}");
    expect_from("aten.index.Tensor_1", 0, "aten.view_copy.default_0");
    ck_assert_int_eq(value_of("aten.index.Tensor_1", 1)->external_id, 1);
    expect_args("aten.cat.default_2", "{\"arg1\":4}");
    expect_from("aten.cat.default_2", 1, "aten.view_copy.default_0");
    pte_close();
}

static void expect_one_unknown(const char *format)
{
    char text[128];

    snprintf(text, sizeof(text),
             "1 fields and nodes of a blob (%s) are newer than the schema that is"
             " known here",
             format);
    ck_assert_uint_eq(pte_count_remarks("format/unknown-field"), 1);
    ck_assert_str_eq(pte.program.remarks[0].text.data, text);
}

START_TEST(a_kind_of_value_that_vulkan_has_later_is_counted_and_no_operand)
{
    pte_load_blob("vulkan-lists", "VulkanBackend");
    expect_args("later.op.default_3", "{\"arg0\":[null,{\"operand\":0},null],"
                                      "\"arg1\":null,\"out\":[[1,2],{\"operand\":1}]}");
    expect_one_unknown("vulkan");
    pte_close();
}

START_TEST(chains_of_mlx_come_in_the_order_in_which_they_run)
{
    static const char *const nodes[] = {
        "AddNode_0",    "MultiplyNode_1", "SymSizeNode_2", "IfNode_3",
        "TanhNode_4",   "SigmoidNode_5",  "ScanNode_6",    "AddNode_7",
        "IdCopyNode_8", "SubtractNode_9", "IfNode_10"};

    pte_load_blob("mlx-chains", "MLXBackend");
    ck_assert_uint_eq(pte.program.n_delegate_nodes, sizeof(nodes) / sizeof(*nodes));
    for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
        ck_assert(dg_text_is(pte.program.delegate_nodes[i].name, nodes[i]));
    expect_args("AddNode_0", "{\"chain\":1}");
    expect_args("TanhNode_4", "{\"chain\":3}");
    expect_args("AddNode_7", "{\"chain\":4}");
    expect_from("MultiplyNode_1", 1, "AddNode_0");
    expect_from("IfNode_3", 0, "SymSizeNode_2");
    expect_from("SigmoidNode_5", 0, "MultiplyNode_1");
    expect_from("ScanNode_6", 0, "SigmoidNode_5");
    expect_from("AddNode_7", 0, "ScanNode_6");
    expect_from("AddNode_7", 1, "MultiplyNode_1");
    expect_from("SubtractNode_9", 0, "AddNode_7");
    expect_from("SubtractNode_9", 1, "IdCopyNode_8");
    pte_close();
}

START_TEST(a_native_node_reads_all_of_its_inputs_before_it_writes_to_one)
{
    static const char put[] = "aten::index_put_.default_0";

    pte_load_blob("native-bodies", "NativeBackend");
    for (int64_t pos = 0; pos < 3; pos++) {
        ck_assert_str_eq(operand(put, pos)->access, "read");
        ck_assert_int_eq(value_of(put, pos)->external_id, 0);
    }
    ck_assert(dg_text_is(operand(put, 3)->name, "self"));
    ck_assert_str_eq(operand(put, 3)->access, "write");
    ck_assert_int_eq(value_of(put, 3)->idx, value_of(put, 0)->idx);
    expect_from(put, 3, put);
    pte_close();
}

START_TEST(a_number_that_a_native_body_takes_is_a_value)
{
    pte_load_blob("native-bodies", "NativeBackend");
    expect_all_defined();
    ck_assert(dg_text_is(value_of("aten::full.default_3", 0)->name, "n"));
    ck_assert(dg_text_is(value_of("aten::full.default_3", 0)->datatype, "int"));
    ck_assert_int_ne(value_of("aten::full.default_4", 0)->idx,
                     value_of("aten::full.default_3", 0)->idx);
    ck_assert(dg_text_is(value_of("higher_order::cond_2", 0)->name, "flag"));
    ck_assert_int_eq(value_of("higher_order::cond_2", 0)->external_id, 1);
    pte_close();
}

START_TEST(an_argument_that_native_nodes_have_later_is_counted)
{
    pte_load_blob("native-bodies", "NativeBackend");
    expect_one_unknown("native");
    pte_close();
}

START_TEST(a_clamp_of_tosa_has_its_range_whatever_its_floats)
{
    static const char *const blobs[] = {"tosa-f16", "tosa-bf16"};

    for (size_t i = 0; i < sizeof(blobs) / sizeof(*blobs); i++) {
        const struct dg_delegate_node_row *node;

        pte_load_blob(blobs[i], "TOSABackend");
        node = node_named("CLAMP_0");
        ck_assert(node->output_min.type == DG_REAL && node->output_min.real == -1.5);
        ck_assert(node->output_max.type == DG_REAL && node->output_max.real == 2.25);
        pte_close();
    }
}

START_TEST(operands_of_a_call_are_inputs_and_outputs_of_its_graph)
{
    static const char *const files[] = {"data/vulkan.pte", "data/tosa.pte",
                                        "data/native.pte", "data/mlx.pte"};

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        int n[4] = {0};

        pte_load(files[i]);
        for (size_t k = 0; k < pte.program.n_delegate_values; k++) {
            const struct dg_delegate_value_row *row = &pte.program.delegate_values[k];

            ck_assert_int_eq(row->flags != 0, row->external_id != DG_NONE);
            if (row->graph == 0 && row->flags)
                n[row->external_id] += (int)row->flags;
        }
        ck_assert_int_eq(n[0], DG_BLOB_INPUT);
        ck_assert_int_eq(n[1], DG_BLOB_OUTPUT);
        pte_close();
    }
}

START_TEST(keys_of_constants_are_keys_of_the_delegate)
{
    static const struct {
        const char *file;
        size_t n;
    } files[] = {{"data/vulkan.pte", 10},
                 {"data/tosa.pte", 0},
                 {"data/native.pte", 1},
                 {"data/mlx.pte", 18}};

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        pte_load(files[i].file);
        ck_assert_uint_eq(pte.program.n_delegate_keys, files[i].n);
        pte_close();
    }
}

/* One byte of the blob is another: one remark, and nothing is left of it. */
static void expect_refused(const char *file, size_t at, uint8_t byte, const char *text)
{
    uint8_t *blob;

    pte_load(file);
    blob = pte.bytes + pte.program.delegates[0].blob_offset;
    blob[at] = byte;
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("blob/format"), 1);
    for (size_t i = 0; i < pte.program.n_remarks; i++) {
        if (!strcmp(pte.program.remarks[i].rule, "blob/format"))
            ck_assert_str_eq(pte.program.remarks[i].text.data, text);
    }
    ck_assert_int_eq(pte.program.delegates[0].inside, DG_NONE);
    pte_close();
}

START_TEST(blob_format_reports_a_blob_that_says_it_is_something_else)
{
    expect_refused("data/tosa.pte", 4, 'X',
                   "the blob of delegate 0 (TOSABackend) at byte 1408 of the file: "
                   "byte 4: the identifier TOSA is"
                   " missing");
    expect_refused("data/native.pte", 7, 'X',
                   "the blob of delegate 0 (NativeBackend) at byte 208 of the file: "
                   "byte 4: the identifier NPTG is"
                   " missing");
    expect_refused("data/mlx.pte", 7, 'X',
                   "the blob of delegate 0 (MLXBackend) at byte 2560 of the file: byte "
                   "4: the magic MLX0 is missing");
    expect_refused("data/vulkan.pte", 7, 'X',
                   "the blob of delegate 0 (VulkanBackend) at byte 2944 of the file: "
                   "byte 4 of its graph: the"
                   " identifier VK00 is missing");
}

START_TEST(blob_format_reports_a_root_outside_of_the_blob)
{
    expect_refused("data/tosa.pte", 3, 0x70,
                   "the blob of delegate 0 (TOSABackend) at byte 1408 of the file: "
                   "byte 0: TosaGraph.root points"
                   " outside of the FlatBuffer");
    expect_refused("data/native.pte", 3, 0x70,
                   "the blob of delegate 0 (NativeBackend) at byte 208 of the file: "
                   "byte 0: Program.root points"
                   " outside of the FlatBuffer");
    expect_refused("data/mlx.pte", 27, 0x70,
                   "the blob of delegate 0 (MLXBackend) at byte 2560 of the file: its"
                   " graph at byte 24: byte 0: MLXGraph.root points outside of the"
                   " FlatBuffer");
}

START_TEST(nothing_of_such_a_blob_is_taken_for_one_of_xnnpack)
{
    pte_load("data/mlx.pte");
    ck_assert_uint_eq(pte_count_remarks("delegate/io-operands"), 0);
    ck_assert_uint_eq(pte_count_remarks("format/unknown-field"), 0);
    pte_close();
}

Suite *open_blobs_suite(void)
{
    Suite *suite = suite_create("open blobs");
    TCase *all = tcase_create("all");

    tcase_add_test(all, vulkan_has_tensors_as_operands_and_all_else_as_arguments);
    tcase_add_test(all, tosa_has_tensors_by_name_and_constants_where_they_lie);
    tcase_add_test(all, native_has_bodies_of_branches_with_names_of_their_own);
    tcase_add_test(all, a_slot_of_mlx_that_is_written_again_is_another_value);
    tcase_add_test(all, vulkan_has_of_a_list_as_operands_what_may_be_one);
    tcase_add_test(all,
                   a_kind_of_value_that_vulkan_has_later_is_counted_and_no_operand);
    tcase_add_test(all, chains_of_mlx_come_in_the_order_in_which_they_run);
    tcase_add_test(all, a_native_node_reads_all_of_its_inputs_before_it_writes_to_one);
    tcase_add_test(all, a_number_that_a_native_body_takes_is_a_value);
    tcase_add_test(all, an_argument_that_native_nodes_have_later_is_counted);
    tcase_add_test(all, a_clamp_of_tosa_has_its_range_whatever_its_floats);
    tcase_add_test(all, operands_of_a_call_are_inputs_and_outputs_of_its_graph);
    tcase_add_test(all, keys_of_constants_are_keys_of_the_delegate);
    tcase_add_test(all, blob_format_reports_a_blob_that_says_it_is_something_else);
    tcase_add_test(all, blob_format_reports_a_root_outside_of_the_blob);
    tcase_add_test(all, nothing_of_such_a_blob_is_taken_for_one_of_xnnpack);
    suite_add_tcase(suite, all);
    return suite;
}
