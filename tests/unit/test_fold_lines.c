/* Sequences, views and lowered graphs that are one box or a line of one. */
#include "unit/fold_case.h"

START_TEST(a_chain_of_views_is_a_line_of_its_reader)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    then("aten::view.default", "f32", "[8]");
    then("aten::permute.default", "f32", "[8]");
    then("aten::unsqueeze.default", "f32", "[1,8]");
    then("aten::sin.default", "f32", "[1,8]");
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 2);
    ck_assert(says(find("n5"), "view, permute, unsqueeze \xe2\x86\x92 [1,8]"));
    ck_assert(linked("n1", "n5"));
    ck_assert_uint_eq(picture.n_views, 3);
    look(&(struct dg_view_options){.around = "n3", .hops = 1});
    ck_assert_uint_eq(n_drawn(), 3);
    look(&(struct dg_view_options){.no_fold = true});
    ck_assert_uint_eq(n_drawn(), 5);
    finish();
}

START_TEST(a_view_that_is_read_twice_keeps_its_box)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    then("aten::view.default", "f32", "[8]");
    then("aten::sin.default", "f32", "[8]");
    add_edge(1, then("aten::add.Tensor", "f32", "[8]"), 1);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 4);
    finish();
}

START_TEST(a_cast_keeps_its_box)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    then("aten::to.dtype", "f16", "[1,8]");
    then("aten::sin.default", "f16", "[1,8]");
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 3);
    finish();
}

START_TEST(views_that_feed_each_other_keep_their_boxes)
{
    begin();
    add_node("aten::view.default", "f32", "[8]");
    add_edge(1, 0, 0);
    then("aten::view.default", "f32", "[8]");
    draw(&(struct dg_view_options){.around = "n1"});
    ck_assert_uint_ge(n_drawn(), 1);
    finish();
}

START_TEST(a_label_knows_size_and_shape)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    draw(&(struct dg_view_options){0});
    ck_assert_int_eq(find("n1")->nbytes, 4096);
    finish();
}

START_TEST(a_sequence_that_repeats_is_one_box)
{
    const struct dg_box *block;

    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_stretches(20);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 8);
    block = find("n8 \xe2\x80\xa6 n116");
    ck_assert_uint_eq(block->n_repeats, 19);
    ck_assert(says(block, "19 times the same as") && says(block, "19 \xc3\x97 linear"));
    ck_assert_str_eq(block->command.data, "--around n8");
    finish();
}

START_TEST(a_short_sequence_is_drawn_in_full)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_stretches(5);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 31);
    finish();
}

/* A delegate that was made from `n_inside` operators, and a sequence behind it. */
static void given_lowered(int n_inside)
{
    int64_t attr, call;

    begin();
    attr = add_node("aten::relu.default", "f32", "[1,8]");
    program.nodes[attr].kind = "get_attr";
    program.nodes[attr].op = DG_NONE;
    program.nodes[attr].target = dg_text("lowered_module_0");
    call = add_node("higher_order::executorch_call_delegate", "f32", "[1,8]");
    add_edge(attr, call, 0);
    dg_add_graph(&program)->path = dg_text("lowered_module_0");
    program.graphs[1].kind = "lowered";
    for (int i = 0; i < n_inside; i++) {
        int64_t node = add_node("aten::sin.default", "f32", "[1,8]");

        program.nodes[node].graph = 1;
        program.values[program.nodes[node].value].graph = 1;
    }
}

START_TEST(a_large_lowered_graph_is_drawn_as_its_delegate)
{
    given_lowered(70);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 1);
    ck_assert(says(find("n2"), "70 \xc3\x97 sin"));
    ck_assert_str_eq(find("n2")->command.data, "--graph lowered_module_0");
    look(&(struct dg_view_options){.no_fold = true});
    ck_assert_uint_eq(n_drawn(), 71);
    finish();
}

START_TEST(a_small_lowered_graph_is_drawn_in_full)
{
    given_lowered(5);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 6);
    finish();
}

/* Frame 1 and box 1 are not the same. */
START_TEST(a_link_to_a_frame_is_none_to_the_box_of_its_number)
{
    size_t call, item, user, n_graph_links = 0;

    begin_picture(&picture);
    call = put_box(&picture, 0, dg_text("call"));
    item = put_box(&picture, 0, dg_text("getitem"));
    picture.boxes[item].fold = DG_FOLD_ITEM;
    user = put_box(&picture, 0, dg_text("sin"));
    ck_assert_uint_eq(dg_picture_add_frame(&picture, DG_FRAME_LOWERED, 0, dg_text("x")),
                      item);
    dg_picture_add_link(&picture, user, item)->kind = DG_LINK_GRAPH;
    dg_picture_add_link(&picture, call, item);
    dg_picture_add_link(&picture, item, user);
    dg_picture_fold(&picture);
    for (size_t i = 0; i < picture.n_links; i++)
        n_graph_links += picture.links[i].kind == DG_LINK_GRAPH;
    ck_assert_uint_eq(n_graph_links, 1);
    ck_assert(!picture.boxes[item].drawn);
    ck_assert_uint_eq(picture.n_links, 2);
    dg_picture_clear(&picture);
}

static TCase *views(void)
{
    TCase *tests = tcase_create("views");

    tcase_add_test(tests, a_chain_of_views_is_a_line_of_its_reader);
    tcase_add_test(tests, a_view_that_is_read_twice_keeps_its_box);
    tcase_add_test(tests, a_cast_keeps_its_box);
    tcase_add_test(tests, views_that_feed_each_other_keep_their_boxes);
    tcase_add_test(tests, a_label_knows_size_and_shape);
    return tests;
}

Suite *fold_lines_suite(void)
{
    Suite *suite = suite_create("fold lines");
    TCase *tests = tcase_create("lines");

    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, a_sequence_that_repeats_is_one_box);
    tcase_add_test(tests, a_short_sequence_is_drawn_in_full);
    tcase_add_test(tests, a_large_lowered_graph_is_drawn_as_its_delegate);
    tcase_add_test(tests, a_small_lowered_graph_is_drawn_in_full);
    tcase_add_test(tests, a_link_to_a_frame_is_none_to_the_box_of_its_number);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, views());
    return suite;
}
