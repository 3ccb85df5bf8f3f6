/* Layouts: nothing overlaps, every link ends where it should, and it is quick. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "unit/pictures.h"
#include "unit/suite.h"

static struct dg_picture picture;
static struct dg_visible visible;
static struct dg_layout layout;
static struct dg_error err;

static void lay_out_plainly(void)
{
    dg_visible_open(&visible, &picture);
    dg_layout_layered(&layout, &visible);
}

static void finish(void)
{
    dg_layout_clear(&layout);
    dg_visible_close(&visible);
    dg_picture_clear(&picture);
    err = (struct dg_error){0};
}

static bool overlap(const struct dg_rect *a, const struct dg_rect *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h &&
           b->y < a->y + a->h;
}

static bool is_inside(const struct dg_rect *inner, const struct dg_rect *outer)
{
    return inner->x >= outer->x && inner->y >= outer->y &&
           inner->x + inner->w <= outer->x + outer->w &&
           inner->y + inner->h <= outer->y + outer->h;
}

static void check_rects(void)
{
    for (size_t i = 0; i < visible.n_boxes; i++) {
        size_t frame = dg_visible_frame_of(&visible, visible.boxes[i]);

        for (size_t k = 0; k < i; k++)
            ck_assert(!overlap(&layout.boxes[visible.boxes[i]],
                               &layout.boxes[visible.boxes[k]]));
        if (frame)
            ck_assert(
                is_inside(&layout.boxes[visible.boxes[i]], &layout.frames[frame]));
    }
    for (size_t i = 1; i < picture.n_frames; i++)
        for (size_t k = 1; k < i; k++)
            ck_assert(picture.frames[i].parent == k ||
                      !overlap(&layout.frames[i], &layout.frames[k]));
}

static bool touches(struct dg_point at, const struct dg_rect *rect)
{
    return at.x >= rect->x - 1 && at.x <= rect->x + rect->w + 1 &&
           at.y >= rect->y - 1 && at.y <= rect->y + rect->h + 1;
}

static void check_links(void)
{
    for (size_t i = 0; i < picture.n_links; i++) {
        const struct dg_curve *curve = &layout.links[i];

        if (picture.links[i].kind != DG_LINK_DATA)
            continue;
        ck_assert_uint_eq(curve->n_points % 3, 1);
        ck_assert(touches(curve->points[0], &layout.boxes[picture.links[i].from]));
        ck_assert(touches(curve->points[curve->n_points - 1],
                          &layout.boxes[picture.links[i].to]));
    }
}

START_TEST(plain_layout_keeps_boxes_apart_and_inside_their_frames)
{
    make_blocks(&picture, 40);
    lay_out_plainly();
    check_rects();
    check_links();
    finish();
}

START_TEST(plain_layout_bears_links_that_lead_up_or_to_the_same_box)
{
    make_blocks(&picture, 3);
    dg_picture_add_link(&picture, 29, 0);
    dg_picture_add_link(&picture, 15, 12);
    dg_picture_add_link(&picture, 7, 7)->kind = DG_LINK_ORDER;
    lay_out_plainly();
    check_rects();
    check_links();
    finish();
}

START_TEST(plain_layout_bears_a_picture_of_nothing)
{
    picture = (struct dg_picture){0};
    lay_out_plainly();
    ck_assert_uint_eq(visible.n_boxes, 0);
    finish();
}

START_TEST(plain_layout_bears_frames_in_frames_without_end)
{
    size_t frame = 0;

    begin_picture(&picture);
    for (size_t i = 0; i < 3000; i++) {
        frame = dg_picture_add_frame(&picture, DG_FRAME_BLOCK, frame, dg_text("inner"));
        put_box(&picture, frame, dg_text("add"));
        if (i)
            dg_picture_add_link(&picture, i - 1, i);
    }
    lay_out_plainly();
    ck_assert(layout.height > 0 && isfinite(layout.height));
    finish();
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

START_TEST(plain_layout_of_100000_boxes_takes_no_longer_than_a_person_waits)
{
    double begin;

    make_blocks(&picture, 10000);
    begin = seconds();
    lay_out_plainly();
    ck_assert_double_lt(seconds() - begin, 5); /* sanitizers make it slow */
    check_links();
    finish();
}

START_TEST(layout_cost_is_how_many_ranks_links_pass_in_all)
{
    size_t boxes[5];

    begin_picture(&picture);
    for (size_t i = 0; i < 5; i++)
        boxes[i] = put_box(&picture, 0, dg_text("add"));
    for (size_t i = 1; i < 4; i++)
        dg_picture_add_link(&picture, boxes[i], boxes[i + 1]);
    dg_picture_add_link(&picture, boxes[1], boxes[4]);
    dg_picture_add_link(&picture, boxes[0], boxes[4]); /* just above its one user */
    dg_picture_add_link(&picture, boxes[3], boxes[2]);
    dg_picture_add_link(&picture, boxes[3], boxes[3]);
    dg_visible_open(&visible, &picture);
    ck_assert_uint_eq(dg_layout_cost(&visible), 3 + 3 + 1 + 1);
    finish();
}

START_TEST(graphviz_layout_has_the_sizes_that_were_asked_for)
{
    make_blocks(&picture, 12);
    dg_visible_open(&visible, &picture);
    ck_assert_msg(!dg_layout_graphviz(&layout, &visible, NULL, &err), "%s", err.text);
    for (size_t i = 0; i < visible.n_boxes; i++) {
        struct dg_size size = dg_box_size(&visible, visible.boxes[i]);

        ck_assert(fabs(layout.boxes[visible.boxes[i]].w - size.w) < 0.1);
        ck_assert(fabs(layout.boxes[visible.boxes[i]].h - size.h) < 0.1);
    }
    check_rects();
    check_links();
    finish();
}

START_TEST(graphviz_layout_gives_up_in_time)
{
    const struct dg_child_limits limits = {.seconds = 1};
    double begin;

    make_tangle(&picture);
    dg_visible_open(&visible, &picture);
    begin = seconds();
    ck_assert_int_eq(dg_layout_graphviz(&layout, &visible, &limits, &err),
                     DG_ERR_STOPPED);
    ck_assert_double_lt(seconds() - begin, 10);
    ck_assert_ptr_nonnull(strstr(err.text, "did not finish in 1 s"));
    finish();
}

START_TEST(graphviz_layout_says_that_its_plugin_is_missing)
{
    make_blocks(&picture, 1);
    dg_visible_open(&visible, &picture);
    setenv("GVBINDIR", "/nonexistent", 1);
    ck_assert_int_eq(dg_layout_graphviz(&layout, &visible, NULL, &err), DG_ERR_DEVICE);
    unsetenv("GVBINDIR");
    ck_assert_ptr_nonnull(strstr(err.text, "plugin"));
    finish();
}

Suite *layout_suite(void)
{
    Suite *suite = suite_create("layout");
    TCase *plain = tcase_create("plain"), *graphviz = tcase_create("graphviz");

    tcase_set_timeout(plain, 60);
    tcase_set_timeout(graphviz, 60);
    tcase_add_test(plain, plain_layout_keeps_boxes_apart_and_inside_their_frames);
    tcase_add_test(plain, plain_layout_bears_links_that_lead_up_or_to_the_same_box);
    tcase_add_test(plain, plain_layout_bears_a_picture_of_nothing);
    tcase_add_test(plain, plain_layout_bears_frames_in_frames_without_end);
    tcase_add_test(plain,
                   plain_layout_of_100000_boxes_takes_no_longer_than_a_person_waits);
    tcase_add_test(plain, layout_cost_is_how_many_ranks_links_pass_in_all);
    tcase_add_test(graphviz, graphviz_layout_has_the_sizes_that_were_asked_for);
    tcase_add_test(graphviz, graphviz_layout_gives_up_in_time);
    tcase_add_test(graphviz, graphviz_layout_says_that_its_plugin_is_missing);
    suite_add_tcase(suite, plain);
    if (!getenv("CK_FORK")) /* valgrind would follow into Graphviz's own leaks */
        suite_add_tcase(suite, graphviz);
    return suite;
}
