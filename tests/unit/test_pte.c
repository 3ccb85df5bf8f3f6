#include "unit/suite.h"

#include <string.h>

#include "unit/pte_file.h"

static bool is_text(struct dg_text text, const char *expected)
{
    return dg_text_is(text, expected);
}

START_TEST(a_program_describes_its_container)
{
    pte_load("data/portable.pte");
    ck_assert_str_eq(pte.program.kind, "pte");
    ck_assert(is_text(pte.program.container, "extended header"));
    ck_assert(is_text(pte.program.version,
                      "{\"identifier\":\"ET12\",\"program\":0,\"header_bytes\":32,"
                      "\"program_size\":5576,\"segment_base_offset\":5632,"
                      "\"segment_data_size\":216}"));
    ck_assert_uint_eq(pte.program.n_methods, 5);
    ck_assert_uint_eq(pte.program.n_graphs, 5);
    ck_assert_str_eq(pte.program.methods[0].ir, "pte");
    ck_assert_uint_eq(pte.program.n_remarks, 0);
    pte_close();
}

START_TEST(values_carry_what_the_file_says_of_them)
{
    const struct dg_value_row *buffer, *list;

    pte_load("data/portable.pte");
    buffer = &pte.program.values[2];
    ck_assert_str_eq(buffer->kind, "tensor");
    ck_assert_str_eq(buffer->type->dtype, "f32");
    ck_assert(is_text(buffer->type->shape, "[6]"));
    ck_assert(is_text(buffer->type->dim_order, "[0]"));
    ck_assert(is_text(buffer->type->device, "cpu"));
    ck_assert_str_eq(buffer->type->storage, "planned");
    ck_assert_str_eq(buffer->type->dynamism, "static");
    ck_assert_int_eq(buffer->mem_id, 1);
    ck_assert_int_eq(buffer->mem_offset, 368);
    ck_assert_int_eq(buffer->type->nbytes, 24);
    ck_assert_str_eq(pte.program.values[0].type->storage, "constant");
    list = &pte.program.values[42];
    ck_assert_str_eq(list->kind, "tensor_list");
    ck_assert(is_text(list->items, "[39,29,21]"));
    pte_close();
}

START_TEST(constant_methods_have_literal_outputs)
{
    pte_load("data/portable.pte");
    ck_assert(is_text(pte.program.methods[2].name, "get_scale"));
    ck_assert_int_eq(pte.program.signatures[5].literal.type, DG_REAL);
    ck_assert(pte.program.signatures[5].literal.real == 0.5);
    ck_assert(is_text(pte.program.signatures[6].literal.text, "portable"));
    ck_assert_str_eq(pte.program.signatures[6].kind, "string");
    ck_assert_int_eq(pte.program.signatures[6].planned, DG_NONE);
    pte_close();
}

START_TEST(out_arguments_are_written_and_buffers_updated)
{
    pte_load("data/portable.pte");
    ck_assert_str_eq(pte_operands(3), "1 6 14 19 20 18w 18w");
    ck_assert_str_eq(pte_operands(4), "18 23 24 25 26 21w 22w 27w");
    ck_assert_str_eq(pte_operands(5), "18 32 33 34w 35w");
    ck_assert_str_eq(pte_operands(13), "2b 12 54 2w");
    ck_assert(is_text(pte.program.ops[pte.program.nodes[13].op].name, "aten::copy_"));
    ck_assert(
        is_text(pte.program.ops[pte.program.nodes[4].op].name, "aten::topk.values"));
    pte_close();
}

START_TEST(edges_lead_through_lists_and_elided_views)
{
    pte_load("data/portable.pte");
    ck_assert_str_eq(pte_sources(3), "2:14");
    ck_assert_str_eq(pte_sources(8), "7:39 5:29 4:21");
    ck_assert_str_eq(pte_sources(10), "8:44 9:45");
    pte_close();
}

START_TEST(delegates_read_what_was_written_before_them)
{
    pte_load("data/two_backends.pte");
    ck_assert_str_eq(pte_operands(1), "0 7w 8w");
    ck_assert_str_eq(pte_operands(3), "9 12w 13w");
    ck_assert_str_eq(pte_operands(5), "14 4 17w");
    ck_assert_str_eq(pte_sources(5), "4:14 0:4");
    ck_assert_int_eq(pte.program.nodes[5].delegate, 2);
    ck_assert(is_text(pte.program.delegates[1].backend, "DemoBackend"));
    ck_assert_str_eq(pte.program.delegates[1].location, "segment");
    ck_assert_uint_eq(pte.program.delegates[1].blob.size, 40);
    ck_assert_ptr_eq(pte.program.delegates[1].blob.data,
                     pte.bytes + pte.program.delegates[1].blob_offset);
    pte_close();
}

/* In turn: a buffer that is written back later, a view of a whole result, a result in
 * memory that was free again, a view of a part. */
START_TEST(delegates_read_buffers_and_views_and_write_what_is_fresh)
{
    pte_load("fuzz/corpus/pte/delegate-operands");
    ck_assert_str_eq(pte_operands(0), "0 1 2w");
    ck_assert_str_eq(pte_operands(3), "4 5w");
    ck_assert_str_eq(pte_sources(3), "2:4");
    ck_assert_str_eq(pte_operands(5), "6 7w 8w");
    ck_assert_str_eq(pte_sources(6), "5:10 5:10");
    ck_assert_str_eq(pte_operands(7), "0b 8 9 0w");
    pte_close();
}

START_TEST(moves_and_jumps_are_nodes)
{
    pte_load("data/control_flow_delegated.pte");
    ck_assert_str_eq(pte.program.nodes[2].kind, "jump_false_call");
    ck_assert_int_eq(pte.program.nodes[2].jump, 6);
    ck_assert_str_eq(pte_operands(2), "6");
    ck_assert_str_eq(pte.program.nodes[4].kind, "move_call");
    ck_assert_str_eq(pte_operands(4), "9 8w");
    ck_assert_str_eq(pte_sources(4), "3:9");
    pte_close();
}

START_TEST(segments_are_named_by_who_refers_to_them)
{
    pte_load("data/xnnpack.pte");
    ck_assert_uint_eq(pte.program.n_segments, 7);
    ck_assert_str_eq(pte.program.segments[0].kind, "constant");
    ck_assert_str_eq(pte.program.segments[1].kind, "delegate");
    ck_assert_str_eq(pte.program.segments[6].kind, "named_data");
    ck_assert_uint_eq(pte.program.segments[1].offset, 128);
    ck_assert_int_eq(pte.program.segments[1].file_offset, 2304);
    ck_assert_int_eq(pte.program.named_data[0].size_bytes, 432);
    pte_close();
}

START_TEST(mutable_data_has_its_own_constants)
{
    const struct dg_constant_row *last;

    pte_load("data/initial_state.pte");
    last = &pte.program.constants[pte.program.n_constants - 1];
    ck_assert_str_eq(pte.program.constants[0].kind, "reserved");
    ck_assert_str_eq(last->kind, "mutable");
    ck_assert_uint_eq(last->bytes.size, (size_t)last->nbytes);
    ck_assert_ptr_eq(last->bytes.data, pte.bytes + last->file_offset);
    pte_close();
}

START_TEST(external_tensors_are_known_by_name)
{
    bool found = false;

    pte_load("data/external.pte");
    for (size_t i = 0; i < pte.program.n_values; i++) {
        const struct dg_value_row *value = &pte.program.values[i];

        if (value->type->storage && !strcmp(value->type->storage, "external"))
            found |= value->name.size > 0;
    }
    ck_assert(found);
    pte_close();
}

START_TEST(devices_of_tensors_and_arenas_are_named)
{
    bool on_device = false;

    pte_load("data/on_second_device.pte");
    for (size_t i = 0; i < pte.program.n_arenas; i++)
        on_device |= is_text(pte.program.arenas[i].device, "cuda:1");
    ck_assert(on_device);
    on_device = false;
    for (size_t i = 0; i < pte.program.n_values; i++)
        on_device |= is_text(pte.program.values[i].type->device, "cuda:1");
    ck_assert(on_device);
    pte_close();
}

START_TEST(stack_traces_have_frames)
{
    pte_load("data/stack_traces.pte");
    ck_assert_uint_gt(pte.program.n_traces, 0);
    ck_assert_uint_gt(pte.program.n_frames, 0);
    ck_assert_int_ne(pte.program.nodes[0].trace, DG_NONE);
    ck_assert(dg_text_begins(pte.program.traces[0].text, "  File \""));
    ck_assert_int_gt(pte.program.frames[0].line, 0);
    pte_close();
}

START_TEST(a_data_file_lists_its_keys_with_layouts)
{
    pte_load("data/external_tagged_weights.ptd");
    ck_assert_str_eq(pte.program.kind, "ptd");
    ck_assert_uint_gt(pte.program.n_named_data, 0);
    ck_assert_str_eq(pte.program.named_data[0].dtype, "f32");
    ck_assert_ptr_nonnull(pte.program.named_data[0].shape.data);
    ck_assert_str_eq(pte.program.segments[0].kind, "named_data");
    pte_close();
}

/* What was written before would make both a result. */
START_TEST(the_blob_says_which_operands_a_delegate_writes)
{
    int32_t args[] = {20, 21};
    size_t at;

    pte_load("data/resnet_xnnpack.pte");
    ck_assert_str_eq(pte_operands(0), "20 21w");
    pte_close();
    pte_open("data/resnet_xnnpack.pte");
    at = pte_find_list(args, 2);
    pte.bytes[at] = 21;
    pte.bytes[at + 4] = 20;
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_str_eq(pte_operands(0), "21 20w");
    pte_close();
}

/* The runtime does not look at it: the kernel has written the out argument. */
START_TEST(a_tensor_that_is_returned_in_place_of_the_out_argument_is_not_written)
{
    int32_t args[] = {0, 1, 3, 2, 2};

    pte_open("data/tiny.pte");
    pte.bytes[pte_find_list(args, 5) + 16] = 4;
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_str_eq(pte_operands(0), "0 1 3 2w 4");
    pte_close();
}

START_TEST(a_data_file_of_the_old_schema_lists_its_tensors)
{
    pte_load("fuzz/corpus/ptd/old-schema");
    ck_assert(is_text(pte.program.container, "flat tensor of ExecuTorch 0.5 or 0.6"));
    ck_assert_uint_eq(pte.program.n_named_data, 3);
    ck_assert(is_text(pte.program.named_data[1].key, "b"));
    ck_assert(is_text(pte.program.named_data[1].shape, "[3]"));
    ck_assert_int_eq(pte.program.named_data[1].size_bytes, 12);
    ck_assert_int_eq(pte.program.constants[1].file_offset, 352);
    ck_assert_ptr_null(pte.program.named_data[2].dtype);
    pte_close();
}

START_TEST(small_programs_without_a_header_are_regular)
{
    pte_load("data/tiny.pte");
    ck_assert(is_text(pte.program.container, "bare flatbuffer"));
    ck_assert_ptr_nonnull(strstr(pte.program.version.data, "\"header_bytes\":null"));
    ck_assert_int_eq(pte.program.segments[0].file_offset, 0);
    ck_assert_uint_eq(pte.program.n_remarks, 0);
    pte_close();
}

static TCase *row_tests(void)
{
    TCase *tests = tcase_create("rows");

    tcase_add_test(tests, a_program_describes_its_container);
    tcase_add_test(tests, values_carry_what_the_file_says_of_them);
    tcase_add_test(tests, constant_methods_have_literal_outputs);
    tcase_add_test(tests, out_arguments_are_written_and_buffers_updated);
    tcase_add_test(tests, edges_lead_through_lists_and_elided_views);
    tcase_add_test(tests, delegates_read_what_was_written_before_them);
    tcase_add_test(tests, delegates_read_buffers_and_views_and_write_what_is_fresh);
    tcase_add_test(tests, moves_and_jumps_are_nodes);
    tcase_add_test(tests, segments_are_named_by_who_refers_to_them);
    tcase_add_test(tests, mutable_data_has_its_own_constants);
    tcase_add_test(tests, external_tensors_are_known_by_name);
    tcase_add_test(tests, devices_of_tensors_and_arenas_are_named);
    tcase_add_test(tests, stack_traces_have_frames);
    tcase_add_test(tests, a_data_file_lists_its_keys_with_layouts);
    tcase_add_test(tests, the_blob_says_which_operands_a_delegate_writes);
    tcase_add_test(
        tests, a_tensor_that_is_returned_in_place_of_the_out_argument_is_not_written);
    tcase_add_test(tests, a_data_file_of_the_old_schema_lists_its_tensors);
    tcase_add_test(tests, small_programs_without_a_header_are_regular);
    return tests;
}

Suite *pte_suite(void)
{
    Suite *suite = suite_create("pte");

    suite_add_tcase(suite, row_tests());
    return suite;
}
