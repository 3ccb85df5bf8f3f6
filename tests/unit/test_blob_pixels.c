/* blob/pixel-scales: codes that convolutions of 1x1 and others read. */
#include "unit/rules.h"
#include "unit/suite.h"

#define ARGS(size, stride, groups)                                                     \
    "'{\"padding_top\":0,\"padding_right\":0,\"padding_bottom\":0,"                    \
    "\"padding_left\":0,\"kernel_height\":" size ",\"kernel_width\":" size             \
    ",\"subsampling_height\":" stride ",\"subsampling_width\":" stride                 \
    ",\"group_input_channels\":3,\"groups\":" groups "}'"

/* Convert_0 -> y, by image -> Conv2d_1 of 1x1 and Conv2d_2, which has `args`. */
static void given_two_readers(const char *args)
{
    rules_close();
    rules_open_pte();
    given(
        "INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate', 'xnnpack',"
        "  '{}');"
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape, flags,"
        "  quantization) VALUES (1, 1, 0, 'i8', 'qdint8', '[2,3,5,5]', 0,"
        "  '{\"type\":\"per_token\",\"num_nonbatch_dims\":3}');"
        "INSERT INTO delegate_node (id, graph_id, idx, name, op, args, flags) VALUES"
        " (1, 1, 0, 'Convert_0', 'Convert', '{}', 0),"
        " (2, 1, 1, 'Conv2d_1', 'Conv2d', " ARGS(
            "1", "1",
            "1") ", 0),"
                 " (3, 1, 2, 'Conv2d_2', 'Conv2d', '{}', 0);"
                 "INSERT INTO " DELEGATE_OPERAND
                 " VALUES (1, 1, 'output', 0, 1, 'write'),"
                 " (2, 0, 'input1', 0, 1, 'read'), (3, 0, 'input1', 0, 1, 'read')");
    given(args);
}

START_TEST(blob_pixel_scales_accepts_readers_of_one_sort)
{
    given_two_readers(
        "UPDATE delegate_node SET args = " ARGS("1", "1", "1") " WHERE id = 3");
    expect("blob/pixel-scales", "");
    given("UPDATE delegate_node SET args = " ARGS("3", "1", "1") " WHERE id > 1");
    expect("blob/pixel-scales", "");
}

START_TEST(blob_pixel_scales_reports_who_reads_what_a_1x1_reads)
{
    static const char *const others[] = {
        "UPDATE delegate_node SET args = " ARGS("3", "1", "1") " WHERE id = 3",
        "UPDATE delegate_node SET args = " ARGS("1", "2", "1") " WHERE id = 3",
        "UPDATE delegate_node SET args = " ARGS("1", "1", "3") " WHERE id = 3",
        "UPDATE delegate_node SET args = json_set(" ARGS(
            "1", "1", "1") ", '$.padding_left', 1) WHERE id = 3",
        "UPDATE delegate_node SET op = 'ConvTranspose2d', args = " ARGS(
            "1", "1", "1") " WHERE id = 3"};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        given_two_readers(others[i]);
        expect("blob/pixel-scales",
               "error delegate_0: Conv2d_2 needs scales of images, and for Conv2d_1"
               " there are scales of pixels\n");
        expect_witness("[\"Conv2d_2\",\"Conv2d_1\"]");
    }
}

START_TEST(blob_pixel_scales_accepts_images_of_one_pixel_and_codes_of_their_own)
{
    given_two_readers(
        "UPDATE delegate_node SET args = " ARGS("3", "1", "1") " WHERE id = 3");
    given("UPDATE delegate_value SET shape = '[2,3,1,1]'");
    expect("blob/pixel-scales", "");
    given(
        "UPDATE delegate_value SET shape = '[2,3,5,5]';"
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape, flags,"
        "  quantization) SELECT 2, graph_id, 1, dtype, datatype, shape, flags,"
        "  quantization FROM delegate_value;"
        "UPDATE delegate_operand SET value_id = 2, value_idx = 1 WHERE node_id = 3");
    expect("blob/pixel-scales", "");
}

Suite *blob_pixels_suite(void)
{
    Suite *suite = suite_create("blob pixels");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, blob_pixel_scales_accepts_readers_of_one_sort);
    tcase_add_test(all, blob_pixel_scales_reports_who_reads_what_a_1x1_reads);
    tcase_add_test(
        all, blob_pixel_scales_accepts_images_of_one_pixel_and_codes_of_their_own);
    suite_add_tcase(suite, all);
    return suite;
}
