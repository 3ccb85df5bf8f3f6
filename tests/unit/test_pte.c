#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/reader.h"

/* One file at a time: its bytes, which a test may change before read_bytes(). */
static uint8_t *bytes;
static size_t n_bytes;
static struct dg_program program;
static struct dg_error err;

static void open_file(const char *name)
{
    const char *top = getenv("top_srcdir");
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/data/%s", top ? top : ".", name);
    file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    bytes = malloc(1 << 20);
    n_bytes = fread(bytes, 1, 1 << 20, file);
    fclose(file);
}

static enum dg_status read_bytes(size_t size)
{
    const struct dg_bytes file = {bytes, size};
    const struct dg_reader *reader =
        dg_reader_ptd.recognises(file) ? &dg_reader_ptd : &dg_reader_pte;

    dg_program_clear(&program);
    err = (struct dg_error){0};
    return reader->read(file, false, &program, &err);
}

static void read_file(const char *name)
{
    open_file(name);
    ck_assert_msg(!read_bytes(n_bytes), "%s", err.text);
}

static void close_file(void)
{
    dg_program_clear(&program);
    free(bytes);
    bytes = NULL;
}

static void put32(size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* Where the file lists these numbers behind their count: the arguments of a call. */
static size_t find_list(const int32_t *items, uint32_t n)
{
    for (size_t at = 0; at + 4 * n + 4 <= n_bytes; at += 4) {
        if (dg_u32(bytes + at) == n && !memcmp(bytes + at + 4, items, 4 * n))
            return at + 4;
    }
    ck_abort_msg("no such list");
    return 0;
}

static uint8_t *find_text(const char *text)
{
    size_t size = strlen(text) + 1;

    for (size_t at = 0; at + size <= n_bytes; at++) {
        if (!memcmp(bytes + at, text, size))
            return bytes + at;
    }
    return NULL;
}

/* "0 1 3 2w 2w": operands of a node with what it does to them. */
static const char *operands_of(int64_t node)
{
    static char text[256];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < program.n_operands; i++) {
        const struct dg_operand_row *row = &program.operands[i];
        const char *mark = *row->access == 'r' ? "" : *row->access == 'w' ? "w" : "b";

        if (row->node == node)
            length +=
                (size_t)snprintf(text + length, sizeof(text) - length, "%s%lld%s",
                                 row->pos ? " " : "", (long long)row->value_idx, mark);
    }
    return text;
}

/* "8:44 9:45": sources of a node and the values that come from them. */
static const char *sources_of(int64_t node)
{
    static char text[256];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < program.n_edges; i++) {
        const struct dg_edge_row *row = &program.edges[i];

        if (row->dst == node)
            length +=
                (size_t)snprintf(text + length, sizeof(text) - length, "%s%lld:%lld",
                                 row->pos ? " " : "", (long long)row->src,
                                 (long long)program.values[row->value].idx);
    }
    return text;
}

static size_t count_remarks(const char *rule)
{
    size_t n = 0;

    for (size_t i = 0; i < program.n_remarks; i++)
        n += !strcmp(program.remarks[i].rule, rule);
    return n;
}

static bool is_text(struct dg_text text, const char *expected)
{
    return dg_text_is(text, expected);
}

START_TEST(a_program_describes_its_container)
{
    read_file("portable.pte");
    ck_assert_str_eq(program.kind, "pte");
    ck_assert(is_text(program.container, "extended header"));
    ck_assert(is_text(program.version,
                      "{\"identifier\":\"ET12\",\"program\":0,\"header_bytes\":32,"
                      "\"program_size\":5576,\"segment_base_offset\":5632,"
                      "\"segment_data_size\":216}"));
    ck_assert_uint_eq(program.n_methods, 5);
    ck_assert_uint_eq(program.n_graphs, 5);
    ck_assert_str_eq(program.methods[0].ir, "pte");
    ck_assert_uint_eq(program.n_remarks, 0);
    close_file();
}

START_TEST(values_carry_what_the_file_says_of_them)
{
    const struct dg_value_row *buffer, *list;

    read_file("portable.pte");
    buffer = &program.values[2];
    ck_assert_str_eq(buffer->kind, "tensor");
    ck_assert_str_eq(buffer->dtype, "f32");
    ck_assert(is_text(buffer->shape, "[6]"));
    ck_assert(is_text(buffer->dim_order, "[0]"));
    ck_assert(is_text(buffer->device, "cpu"));
    ck_assert_str_eq(buffer->storage, "planned");
    ck_assert_str_eq(buffer->dynamism, "static");
    ck_assert_int_eq(buffer->mem_id, 1);
    ck_assert_int_eq(buffer->mem_offset, 368);
    ck_assert_int_eq(buffer->nbytes, 24);
    ck_assert_str_eq(program.values[0].storage, "constant");
    list = &program.values[42];
    ck_assert_str_eq(list->kind, "tensor_list");
    ck_assert(is_text(list->items, "[39,29,21]"));
    close_file();
}

START_TEST(constant_methods_have_literal_outputs)
{
    read_file("portable.pte");
    ck_assert(is_text(program.methods[2].name, "get_scale"));
    ck_assert_int_eq(program.signatures[5].literal.type, DG_REAL);
    ck_assert(program.signatures[5].literal.real == 0.5);
    ck_assert(is_text(program.signatures[6].literal.text, "portable"));
    ck_assert_str_eq(program.signatures[6].kind, "string");
    ck_assert_int_eq(program.signatures[6].planned, DG_NONE);
    close_file();
}

START_TEST(out_arguments_are_written_and_buffers_updated)
{
    read_file("portable.pte");
    ck_assert_str_eq(operands_of(3), "1 6 14 19 20 18w 18w");
    ck_assert_str_eq(operands_of(4), "18 23 24 25 26 21w 22w 27w");
    ck_assert_str_eq(operands_of(5), "18 32 33 34w 35w");
    ck_assert_str_eq(operands_of(13), "2b 12 54 2w");
    ck_assert(is_text(program.ops[program.nodes[13].op].name, "aten::copy_"));
    ck_assert(is_text(program.ops[program.nodes[4].op].name, "aten::topk.values"));
    close_file();
}

START_TEST(edges_lead_through_lists_and_elided_views)
{
    read_file("portable.pte");
    ck_assert_str_eq(sources_of(3), "2:14");
    ck_assert_str_eq(sources_of(8), "7:39 5:29 4:21");
    ck_assert_str_eq(sources_of(10), "8:44 9:45");
    close_file();
}

START_TEST(delegates_read_what_was_written_before_them)
{
    read_file("two_backends.pte");
    ck_assert_str_eq(operands_of(1), "0 7w 8w");
    ck_assert_str_eq(operands_of(3), "9 12w 13w");
    ck_assert_str_eq(operands_of(5), "14 4 17w");
    ck_assert_str_eq(sources_of(5), "4:14 0:4");
    ck_assert_int_eq(program.nodes[5].delegate, 2);
    ck_assert(is_text(program.delegates[1].backend, "DemoBackend"));
    ck_assert_str_eq(program.delegates[1].location, "segment");
    ck_assert_uint_eq(program.delegates[1].blob.size, 40);
    ck_assert_ptr_eq(program.delegates[1].blob.data,
                     bytes + program.delegates[1].blob_offset);
    close_file();
}

START_TEST(moves_and_jumps_are_nodes)
{
    read_file("control_flow_delegated.pte");
    ck_assert_str_eq(program.nodes[2].kind, "jump_false_call");
    ck_assert_int_eq(program.nodes[2].jump, 6);
    ck_assert_str_eq(operands_of(2), "6");
    ck_assert_str_eq(program.nodes[4].kind, "move_call");
    ck_assert_str_eq(operands_of(4), "9 8w");
    ck_assert_str_eq(sources_of(4), "3:9");
    close_file();
}

START_TEST(segments_are_named_by_who_refers_to_them)
{
    read_file("xnnpack.pte");
    ck_assert_uint_eq(program.n_segments, 7);
    ck_assert_str_eq(program.segments[0].kind, "constant");
    ck_assert_str_eq(program.segments[1].kind, "delegate");
    ck_assert_str_eq(program.segments[6].kind, "named_data");
    ck_assert_uint_eq(program.segments[1].offset, 128);
    ck_assert_int_eq(program.segments[1].file_offset, 2304);
    ck_assert_int_eq(program.named_data[0].size_bytes, 432);
    close_file();
}

START_TEST(mutable_data_has_its_own_constants)
{
    const struct dg_constant_row *last;

    read_file("initial_state.pte");
    last = &program.constants[program.n_constants - 1];
    ck_assert_str_eq(program.constants[0].kind, "reserved");
    ck_assert_str_eq(last->kind, "mutable");
    ck_assert_uint_eq(last->bytes.size, (size_t)last->nbytes);
    ck_assert_ptr_eq(last->bytes.data, bytes + last->file_offset);
    close_file();
}

START_TEST(external_tensors_are_known_by_name)
{
    bool found = false;

    read_file("external.pte");
    for (size_t i = 0; i < program.n_values; i++) {
        const struct dg_value_row *value = &program.values[i];

        if (value->storage && !strcmp(value->storage, "external"))
            found |= value->name.size > 0;
    }
    ck_assert(found);
    close_file();
}

START_TEST(devices_of_tensors_and_arenas_are_named)
{
    bool on_device = false;

    read_file("on_second_device.pte");
    for (size_t i = 0; i < program.n_arenas; i++)
        on_device |= is_text(program.arenas[i].device, "cuda:1");
    ck_assert(on_device);
    on_device = false;
    for (size_t i = 0; i < program.n_values; i++)
        on_device |= is_text(program.values[i].device, "cuda:1");
    ck_assert(on_device);
    close_file();
}

START_TEST(stack_traces_have_frames)
{
    read_file("stack_traces.pte");
    ck_assert_uint_gt(program.n_traces, 0);
    ck_assert_uint_gt(program.n_frames, 0);
    ck_assert_int_ne(program.nodes[0].trace, DG_NONE);
    ck_assert(dg_text_begins(program.traces[0].text, "  File \""));
    ck_assert_int_gt(program.frames[0].line, 0);
    close_file();
}

START_TEST(a_data_file_lists_its_keys_with_layouts)
{
    read_file("external_tagged_weights.ptd");
    ck_assert_str_eq(program.kind, "ptd");
    ck_assert_uint_gt(program.n_named_data, 0);
    ck_assert_str_eq(program.named_data[0].dtype, "f32");
    ck_assert_ptr_nonnull(program.named_data[0].shape.data);
    ck_assert_str_eq(program.segments[0].kind, "named_data");
    close_file();
}

START_TEST(small_programs_without_a_header_are_regular)
{
    read_file("tiny.pte");
    ck_assert(is_text(program.container, "bare flatbuffer"));
    ck_assert_ptr_nonnull(strstr(program.version.data, "\"header_bytes\":null"));
    ck_assert_int_eq(program.segments[0].file_offset, 0);
    ck_assert_uint_eq(program.n_remarks, 0);
    close_file();
}

START_TEST(other_versions_are_refused_by_name)
{
    open_file("tiny.pte");
    bytes[7] = '3';
    ck_assert(dg_reader_pte.recognises((struct dg_bytes){bytes, n_bytes}));
    ck_assert_int_eq(read_bytes(n_bytes), DG_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.text, "ET13"));
    ck_assert_ptr_nonnull(strstr(err.text, "ET12"));
    close_file();
}

START_TEST(a_file_that_is_cut_off_says_where)
{
    open_file("portable.pte");
    ck_assert_int_eq(read_bytes(5000), DG_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.text, "byte 16"));
    ck_assert_int_eq(read_bytes(20), DG_ERR_FORMAT);
    ck_assert_int_eq(read_bytes(0), DG_ERR_FORMAT);
    close_file();
}

START_TEST(a_segment_outside_of_the_file_has_no_place_in_it)
{
    open_file("portable.pte");
    ck_assert_int_eq(read_bytes(5700), DG_OK);
    ck_assert_int_eq(program.segments[0].file_offset, DG_NONE);
    ck_assert_uint_eq(program.segments[0].size_bytes, 216);
    ck_assert_int_eq(program.constants[1].file_offset, DG_NONE);
    ck_assert_ptr_null(program.constants[1].bytes.data);
    close_file();
}

START_TEST(an_operand_out_of_range_keeps_its_number)
{
    static const int32_t args[] = {0, 1, 3, 2, 2};

    open_file("tiny.pte");
    put32(find_list(args, 5), 9999);
    ck_assert_int_eq(read_bytes(n_bytes), DG_OK);
    ck_assert_str_eq(operands_of(0), "9999 1 3 2w 2w");
    ck_assert_int_eq(program.operands[0].value, DG_NONE);
    close_file();
}

START_TEST(an_output_out_of_range_keeps_its_number)
{
    static const int32_t outputs[] = {5, 2};

    open_file("tiny.pte");
    put32(find_list(outputs, 2), (uint32_t)-2);
    ck_assert_int_eq(read_bytes(n_bytes), DG_OK);
    ck_assert_str_eq(program.signatures[2].direction, "output");
    ck_assert_int_eq(program.signatures[2].value_idx, -2);
    ck_assert_int_eq(program.signatures[2].value, DG_NONE);
    ck_assert_str_eq(program.signatures[2].kind, "unknown");
    close_file();
}

START_TEST(names_that_are_not_utf8_are_replaced_with_a_remark)
{
    uint8_t *name;

    open_file("tiny.pte");
    name = find_text("forward");
    ck_assert_ptr_nonnull(name);
    name[0] = 0xff;
    ck_assert_int_eq(read_bytes(n_bytes), DG_OK);
    ck_assert(is_text(program.methods[0].name, "\xef\xbf\xbdorward"));
    ck_assert_uint_eq(count_remarks("format/string-utf8"), 1);
    close_file();
}

/* Only that it ends, and with a reason where it fails: sanitizers see the rest. */
static void damage(const char *name)
{
    open_file(name);
    for (size_t i = 0; i < n_bytes; i++) {
        uint8_t byte = bytes[i];

        bytes[i] = (uint8_t)~byte;
        ck_assert(!read_bytes(n_bytes) || err.text[0]);
        bytes[i] = byte;
        ck_assert(!read_bytes(i) || err.text[0]);
    }
    close_file();
}

START_TEST(damage_ends_in_rows_or_in_a_reason)
{
    damage("tiny.pte");
    damage("control_flow_scan.pte");
    damage("external_tagged_weights.ptd");
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
    tcase_add_test(tests, moves_and_jumps_are_nodes);
    tcase_add_test(tests, segments_are_named_by_who_refers_to_them);
    tcase_add_test(tests, mutable_data_has_its_own_constants);
    tcase_add_test(tests, external_tensors_are_known_by_name);
    tcase_add_test(tests, devices_of_tensors_and_arenas_are_named);
    tcase_add_test(tests, stack_traces_have_frames);
    tcase_add_test(tests, a_data_file_lists_its_keys_with_layouts);
    tcase_add_test(tests, small_programs_without_a_header_are_regular);
    return tests;
}

static TCase *damage_tests(void)
{
    TCase *tests = tcase_create("damage");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, other_versions_are_refused_by_name);
    tcase_add_test(tests, a_file_that_is_cut_off_says_where);
    tcase_add_test(tests, a_segment_outside_of_the_file_has_no_place_in_it);
    tcase_add_test(tests, an_operand_out_of_range_keeps_its_number);
    tcase_add_test(tests, an_output_out_of_range_keeps_its_number);
    tcase_add_test(tests, names_that_are_not_utf8_are_replaced_with_a_remark);
    tcase_add_test(tests, damage_ends_in_rows_or_in_a_reason);
    return tests;
}

Suite *pte_suite(void)
{
    Suite *suite = suite_create("pte");

    suite_add_tcase(suite, row_tests());
    suite_add_tcase(suite, damage_tests());
    return suite;
}
