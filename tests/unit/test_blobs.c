/* What is read of the blobs of delegates, from real ones and from damaged ones. */
#include "unit/suite.h"

#include <math.h>
#include <string.h>

#include "formats/blob.h"
#include "unit/pte_file.h"

enum { MAGIC = 4, GRAPH = 10, GRAPH_SIZE = 14, DATA = 18, DATA_SIZE = 22 };

static const struct dg_delegate_node_row *node(size_t i)
{
    ck_assert_uint_lt(i, pte.program.n_delegate_nodes);
    return &pte.program.delegate_nodes[i];
}

static const struct dg_delegate_value_row *value(size_t i)
{
    ck_assert_uint_lt(i, pte.program.n_delegate_values);
    return &pte.program.delegate_values[i];
}

/* The first blob of xnnpack.pte. */
static uint8_t *blob(void)
{
    uint8_t *at;

    pte_load("data/xnnpack.pte");
    at = pte.bytes + pte.program.delegates[0].blob_offset;
    ck_assert(!memcmp(at + MAGIC, "XH00", 4));
    return at;
}

static void put(uint8_t *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* Reads what was damaged: one remark, and what is left is the other blob. */
static void expect_refused(const char *text)
{
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("blob/format"), 1);
    for (size_t i = 0; i < pte.program.n_remarks; i++) {
        const struct dg_remark_row *remark = &pte.program.remarks[i];

        if (!strcmp(remark->rule, "blob/format"))
            ck_assert_str_eq(remark->text.data, text);
    }
    ck_assert_uint_eq(pte.program.n_delegate_graphs, 1);
    ck_assert_int_eq(pte.program.delegates[0].inside, DG_NONE);
    ck_assert_int_eq(pte.program.delegates[1].inside, 0);
    ck_assert_uint_eq(pte.program.n_delegate_nodes, 1);
    pte_close();
}

START_TEST(a_graph_of_xnnpack_is_read_in_full)
{
    pte_load("data/xnnpack.pte");
    ck_assert_uint_eq(pte.program.n_delegate_graphs, 2);
    ck_assert(dg_text_is(pte.program.delegate_graphs[0].path, "delegate_0"));
    ck_assert_uint_eq(pte.program.n_delegate_nodes, 4);
    ck_assert(dg_text_is(node(1)->name, "Conv2d_1"));
    ck_assert(dg_text_is(node(0)->args, "{\"num_dims\":4,\"perm\":[0,2,3,1]}"));
    ck_assert(node(1)->output_min.type == DG_REAL && node(1)->output_min.real == 0);
    ck_assert(node(0)->output_min.type == DG_NULL);
    ck_assert(dg_text_is(value(2)->shape, "[4,3,3,3]"));
    ck_assert_str_eq(value(2)->dtype, "f32");
    ck_assert_int_eq(value(2)->nbytes, 432);
    ck_assert_int_eq(value(2)->external_id, DG_NONE);
    ck_assert_int_eq(value(2)->constant_idx, 1);
    ck_assert_int_eq(value(3)->node, 1);
    ck_assert_int_eq(value(0)->external_id, 0);
    ck_assert_int_eq(value(0)->flags, 1);
    pte_close();
}

START_TEST(operands_of_a_node_have_the_names_of_the_schema)
{
    static const char *const names[] = {"input1", "filter", "bias", "output"};
    const struct dg_delegate_operand_row *row;

    pte_load("data/xnnpack.pte");
    row = pte.program.delegate_operands + 2;
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(row[i].node, 1);
        ck_assert_int_eq(row[i].pos, i);
        ck_assert(dg_text_is(row[i].name, names[i]));
        ck_assert_str_eq(row[i].access, i < 3 ? "read" : "write");
    }
    pte_close();
}

START_TEST(quantization_is_said_as_json)
{
    pte_load("data/xnnpack_quantized.pte");
    ck_assert(dg_text_is(value(1)->datatype, "qint8"));
    ck_assert(dg_text_is(
        value(1)->quantization,
        "{\"type\":\"per_tensor\",\"scale\":0.022687487,\"zero_point\":-22}"));
    ck_assert_ptr_null(value(0)->quantization.data);
    pte_close();
}

static void put_float(size_t offset, float value)
{
    memcpy(pte.bytes + offset, &value, sizeof(value));
}

START_TEST(scales_that_lie_in_constants_are_measured)
{
    enum { SCALES = 4352 };

    pte_open("data/xnnpack_channels.pte");
    for (size_t i = 0; i < 8; i++)
        put_float(SCALES + 4 * i, 0.25F * (float)(i + 1));
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_ptr_nonnull(
        strstr(value(2)->quantization.data,
               ",\"least_scale\":0.25,\"most_scale\":2.0,\"wrong_scales\":0}"));
    dg_program_clear(&pte.program);
    put_float(SCALES, 0);
    put_float(SCALES + 4, -1);
    put_float(SCALES + 8, INFINITY);
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_ptr_nonnull(
        strstr(value(2)->quantization.data,
               ",\"least_scale\":1.0,\"most_scale\":2.0,\"wrong_scales\":3}"));
    pte_close();
}

START_TEST(delegates_that_share_a_blob_share_its_graph)
{
    struct dg_program program = {0};
    struct dg_blobs blobs = {&program, .effort = 4000};
    struct dg_bytes bytes = {blob(), 1136};

    for (int i = 0; i < 3; i++) {
        struct dg_delegate_row *row = dg_add_delegate(&program);

        row->backend = dg_text("XnnpackBackend");
        row->blob = i < 2 ? bytes : dg_slice(bytes, 0, 1120);
        dg_blobs_read(&blobs, i);
    }
    ck_assert_uint_eq(program.n_delegate_graphs, 1);
    ck_assert_int_eq(program.delegates[0].inside, 0);
    ck_assert_int_eq(program.delegates[1].inside, 0);
    ck_assert_int_eq(program.delegates[2].inside, DG_NONE); /* cut off */
    ck_assert_uint_eq(dg_blobs_call(&blobs, 1).n, 2);
    ck_assert_uint_eq(dg_blobs_call(&blobs, 2).n, 0);
    dg_blobs_clear(&blobs);
    dg_program_clear(&program);
    pte_close();
}

/* A blob costs as much as it is long, and overlapping ones their sum. */
START_TEST(blobs_that_overlap_too_often_are_left_unread)
{
    struct dg_program program = {0};
    struct dg_blobs blobs = {&program, .effort = 2000};
    struct dg_bytes bytes = {blob(), 1136};

    for (int i = 0; i < 2; i++) {
        struct dg_delegate_row *row = dg_add_delegate(&program);

        row->backend = dg_text("XnnpackBackend");
        row->blob = dg_slice(bytes, 0, bytes.size - (size_t)i);
        dg_blobs_read(&blobs, i);
    }
    ck_assert_uint_eq(program.n_delegate_graphs, 1);
    ck_assert_uint_eq(program.n_remarks, 1);
    ck_assert_str_eq(program.remarks[0].rule, "format/lists-repeated");
    dg_blobs_clear(&blobs);
    dg_program_clear(&program);
    pte_close();
}

START_TEST(blob_format_reports_a_graph_outside_of_the_blob)
{
    put(blob() + GRAPH_SIZE, 4000);
    expect_refused("the blob of delegate 0 (XnnpackBackend) at byte 2304 of the file: "
                   "byte 10: a graph of 4000"
                   " bytes at byte 32 of 1136");
}

START_TEST(blob_format_reports_constants_outside_of_the_blob)
{
    put(blob() + DATA_SIZE, 16);
    expect_refused("the blob of delegate 0 (XnnpackBackend) at byte 2304 of the file: "
                   "byte 18: constants of 16"
                   " bytes at byte 1136 of 1136");
}

START_TEST(blob_format_reports_constants_inside_of_the_graph)
{
    put(blob() + DATA, 64);
    expect_refused("the blob of delegate 0 (XnnpackBackend) at byte 2304 of the file: "
                   "byte 18: constants at byte"
                   " 64, before the end of the graph, byte 1136");
}

START_TEST(blob_format_reports_an_identifier_of_something_else)
{
    uint8_t *at = blob();

    memcpy(at + dg_u32(at + GRAPH) + 4, "XN02", 4);
    expect_refused("the blob of delegate 0 (XnnpackBackend) at byte 2304 of the file: "
                   "byte 4 of its graph: the"
                   " identifier XN01 is missing");
}

START_TEST(blob_format_accepts_the_identifier_of_old)
{
    uint8_t *at = blob();

    memcpy(at + dg_u32(at + GRAPH) + 4, "XN00", 4);
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("blob/format"), 0);
    ck_assert_uint_eq(pte.program.n_delegate_graphs, 2);
    pte_close();
}

START_TEST(blob_format_reports_a_graph_that_is_broken)
{
    uint8_t *at = blob();

    put(at + dg_u32(at + GRAPH), UINT32_MAX);
    expect_refused("the blob of delegate 0 (XnnpackBackend) at byte 2304 of the file: "
                   "its graph at byte 32: byte 0: XNNGraph.root points"
                   " outside of the FlatBuffer");
}

/* Without its magic a header is no header, and the FlatBuffer begins too early. */
START_TEST(blob_format_reports_a_header_without_magic)
{
    memset(blob() + MAGIC, 0, 4);
    expect_refused("the blob of delegate 0 (XnnpackBackend) at byte 2304 of the file: "
                   "byte 4 of its graph: the"
                   " identifier XN01 is missing");
}

Suite *blobs_suite(void)
{
    Suite *suite = suite_create("blobs");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_graph_of_xnnpack_is_read_in_full);
    tcase_add_test(all, operands_of_a_node_have_the_names_of_the_schema);
    tcase_add_test(all, scales_that_lie_in_constants_are_measured);
    tcase_add_test(all, quantization_is_said_as_json);
    tcase_add_test(all, delegates_that_share_a_blob_share_its_graph);
    tcase_add_test(all, blobs_that_overlap_too_often_are_left_unread);
    tcase_add_test(all, blob_format_reports_a_graph_outside_of_the_blob);
    tcase_add_test(all, blob_format_reports_constants_outside_of_the_blob);
    tcase_add_test(all, blob_format_reports_constants_inside_of_the_graph);
    tcase_add_test(all, blob_format_reports_an_identifier_of_something_else);
    tcase_add_test(all, blob_format_accepts_the_identifier_of_old);
    tcase_add_test(all, blob_format_reports_a_graph_that_is_broken);
    tcase_add_test(all, blob_format_reports_a_header_without_magic);
    suite_add_tcase(suite, all);
    return suite;
}
