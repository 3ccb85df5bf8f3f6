/* Boxes that are alike and have the same neighbours are one. */
#include "unit/pictures.h"
#include "unit/suite.h"

static struct dg_picture picture;
static size_t reader;

/* `n_boxes` casts that read nothing, before one box that reads them all. */
static void begin(size_t n_boxes)
{
    begin_picture(&picture);
    for (size_t i = 0; i < n_boxes; i++) {
        size_t index = put_box(&picture, 0, dg_text("cast"));
        struct dg_box *box = &picture.boxes[index];

        box->name = dg_format(&picture.memory, "op_%zu", i);
        box->value = dg_text("f32[]");
        dg_box_add_line(&picture, box,
                        dg_format(&picture.memory, "constant %zu i64[]", i));
    }
    reader = put_box(&picture, 0, dg_text("addmm"));
    for (size_t i = 0; i < n_boxes; i++)
        dg_picture_add_link(&picture, i, reader)->value = dg_text("f32[]");
}

static size_t fold(void)
{
    size_t n_drawn = 0;

    dg_picture_fold_siblings(&picture);
    for (size_t i = 0; i < picture.n_boxes; i++)
        n_drawn += picture.boxes[i].drawn;
    return n_drawn;
}

START_TEST(siblings_with_the_same_neighbours_are_one_box)
{
    const struct dg_box *block;

    begin(18);
    ck_assert_uint_eq(fold(), 2);
    block = &picture.boxes[picture.n_boxes - 1];
    ck_assert_int_eq(block->kind, DG_BOX_BLOCK);
    ck_assert_str_eq(block->title.data, "op_0 \xe2\x80\xa6 op_17");
    ck_assert_str_eq(block->command.data, "--around op_0");
    ck_assert_str_eq(block->lines->text.data, "f32[] each");
    ck_assert_str_eq(block->last_line->text.data, "18 \xc3\x97 cast");
    ck_assert_uint_eq(block->n_nodes, 18);
    ck_assert_uint_eq(picture.n_hints, 1);
    for (size_t i = 0; i < picture.n_links; i++) {
        ck_assert_uint_eq(picture.links[i].from, picture.n_boxes - 1);
        ck_assert_uint_eq(picture.links[i].to, reader);
    }
    dg_picture_clear(&picture);
}

START_TEST(three_siblings_are_drawn_in_full)
{
    begin(3);
    ck_assert_uint_eq(fold(), 4);
    ck_assert_uint_eq(picture.n_hints, 0);
    dg_picture_clear(&picture);
}

START_TEST(a_sibling_with_another_result_is_drawn)
{
    begin(5);
    picture.boxes[2].value = dg_text("i64[]");
    ck_assert_uint_eq(fold(), 3);
    ck_assert(picture.boxes[2].drawn);
    dg_picture_clear(&picture);
}

START_TEST(a_sibling_of_another_constant_is_drawn)
{
    begin(5);
    picture.boxes[2].lines->text = dg_text("constant 2 i64[8]");
    ck_assert_uint_eq(fold(), 3);
    ck_assert(picture.boxes[2].drawn);
    dg_picture_clear(&picture);
}

START_TEST(siblings_that_feed_different_boxes_are_drawn)
{
    begin(4);
    put_box(&picture, 0, dg_text("relu"));
    dg_picture_add_link(&picture, 1, reader + 1);
    ck_assert_uint_eq(fold(), 6);
    dg_picture_clear(&picture);
}

START_TEST(siblings_in_different_frames_are_drawn)
{
    begin(6);
    picture.boxes[1].frame = picture.boxes[2].frame = picture.boxes[3].frame =
        dg_picture_add_frame(&picture, DG_FRAME_PART, 0, dg_text("tag0"));
    ck_assert_uint_eq(fold(), 7);
    dg_picture_clear(&picture);
}

START_TEST(a_sibling_that_a_finding_names_is_drawn)
{
    begin(5);
    picture.boxes[4].highlighted = true;
    ck_assert_uint_eq(fold(), 3);
    ck_assert(picture.boxes[4].drawn);
    dg_picture_clear(&picture);
}

START_TEST(boxes_without_neighbours_are_drawn)
{
    begin(5);
    picture.n_links = 0;
    ck_assert_uint_eq(fold(), 6);
    dg_picture_clear(&picture);
}

Suite *siblings_suite(void)
{
    Suite *suite = suite_create("siblings");
    TCase *tests = tcase_create("siblings");

    tcase_add_test(tests, siblings_with_the_same_neighbours_are_one_box);
    tcase_add_test(tests, three_siblings_are_drawn_in_full);
    tcase_add_test(tests, a_sibling_with_another_result_is_drawn);
    tcase_add_test(tests, a_sibling_of_another_constant_is_drawn);
    tcase_add_test(tests, siblings_that_feed_different_boxes_are_drawn);
    tcase_add_test(tests, siblings_in_different_frames_are_drawn);
    tcase_add_test(tests, a_sibling_that_a_finding_names_is_drawn);
    tcase_add_test(tests, boxes_without_neighbours_are_drawn);
    suite_add_tcase(suite, tests);
    return suite;
}
