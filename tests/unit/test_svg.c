/* SVG: hostile names stay text, the same picture is the same bytes, and a layout that
 * is missing is replaced. */
#include <stdlib.h>
#include <string.h>

#include "unit/pictures.h"
#include "unit/suite.h"

static struct dg_picture picture;
static struct dg_writer out;
static struct dg_error err;

static enum dg_status draw(const struct dg_svg_options *options)
{
    return dg_picture_svg(&out, &picture, options, &err);
}

static void draw_plainly(void)
{
    const struct dg_svg_options options = {.layout = DG_SVG_PLAIN};

    ck_assert_int_eq(draw(&options), DG_OK);
}

static void finish(void)
{
    dg_writer_clear(&out);
    dg_picture_clear(&picture);
    err = (struct dg_error){0};
}

static size_t count(const char *part)
{
    size_t n = 0;

    for (const char *at = out.data; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

/* Tags open and close in order; attributes hold no markup. */
static void check_well_formed(const char *text)
{
    const char *open[64];
    size_t depth = 0;

    for (const char *at = text; (at = strchr(at, '<')); at++) {
        const char *end = strchr(at, '>');
        size_t size;

        ck_assert_ptr_nonnull(end);
        if (at[1] == '?' || end[-1] == '/')
            continue;
        if (at[1] != '/') {
            ck_assert_uint_lt(depth, 64);
            open[depth++] = at + 1;
            continue;
        }
        size = strcspn(at + 2, ">");
        ck_assert_uint_gt(depth, 0);
        ck_assert_int_eq(strncmp(open[--depth], at + 2, size), 0);
        ck_assert(strchr(" >", open[depth][size]));
    }
    ck_assert_uint_eq(depth, 0);
}

static const char *const hostile[] = {
    "</title><script>alert(1)</script>",
    "a\"b' onload='x",
    "&amp;&lt;",
    "]]>",
    "<!--",
    "\x1b[31m\x01\x7f",
    "two\nlines",
    "\xff\xc3",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
    ("\xe2\x80\xae"
     "drowssap"),
};

START_TEST(svg_holds_hostile_names_as_text)
{
    begin_picture(&picture);
    picture.title = dg_text(hostile[0]);
    for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
        size_t frame =
            dg_picture_add_frame(&picture, DG_FRAME_BLOCK, 0, dg_text(hostile[i]));
        size_t box = put_box(&picture, frame, dg_text(hostile[i]));

        picture.boxes[box].name = dg_text(hostile[i]);
        if (box)
            dg_picture_add_link(&picture, box - 1, box)->value = dg_text(hostile[i]);
    }
    draw_plainly();
    check_well_formed(out.data);
    ck_assert_uint_eq(count("<script"), 0);
    ck_assert_uint_eq(count("\x1b"), 0);
    ck_assert_uint_eq(count("\xe2\x80\xae"), 0);
    ck_assert_uint_eq(count("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d") > 0, 1);
    finish();
}

START_TEST(svg_elides_a_long_name_but_keeps_it_in_the_description)
{
    char name[10001];

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    begin_picture(&picture);
    put_box(&picture, 0, dg_text("add"));
    picture.boxes[0].name = dg_text(name);
    draw_plainly();
    ck_assert_uint_eq(count(name), 1);
    finish();
}

START_TEST(svg_is_the_same_bytes_each_time)
{
    struct dg_writer first;

    make_blocks(&picture, 8);
    ck_assert_int_eq(draw(&(struct dg_svg_options){0}), DG_OK);
    first = out;
    out = (struct dg_writer){0};
    ck_assert_int_eq(draw(&(struct dg_svg_options){0}), DG_OK);
    ck_assert_str_eq(first.data, out.data);
    dg_writer_clear(&first);
    finish();
}

START_TEST(svg_in_a_page_has_its_prefix_on_each_id_and_no_style)
{
    const struct dg_svg_options options = {
        .prefix = "p3", .part_of_page = true, .layout = DG_SVG_PLAIN};

    make_blocks(&picture, 2);
    ck_assert_int_eq(draw(&options), DG_OK);
    ck_assert_uint_eq(count(" id=\""), count(" id=\"p3-"));
    ck_assert_uint_eq(count("id=\"p3-n7\""), 1);
    ck_assert_uint_eq(count("data-node=\"7\""), 1);
    ck_assert_uint_eq(count("style"), 0);
    ck_assert_uint_eq(count("<?xml"), 0);
    finish();
}

START_TEST(svg_has_no_style_attributes)
{
    make_blocks(&picture, 2);
    draw_plainly();
    ck_assert_uint_eq(count(" style="), 0);
    ck_assert_uint_eq(count("prefers-color-scheme:dark"), 1);
    finish();
}

START_TEST(svg_describes_each_box)
{
    make_blocks(&picture, 2);
    draw_plainly();
    ck_assert_uint_eq(count("class=\"box "), 20);
    ck_assert_uint_eq(count("<g id=\"n"), 20);
    ck_assert_uint_eq(count("</title><desc>"), 20);
    finish();
}

START_TEST(svg_marks_what_a_finding_names_in_shape_and_text)
{
    make_blocks(&picture, 1);
    picture.boxes[4].highlighted = true;
    picture.links[3].highlighted = true;
    draw_plainly();
    ck_assert_uint_eq(count("<path class=\"offends\""), 1);
    ck_assert_uint_eq(count(">\xe2\x9c\x97 add.Tensor<"), 1);
    ck_assert_uint_eq(count("\xe2\x9c\x97 a finding names it"), 1);
    finish();
}

START_TEST(svg_has_a_legend_of_what_occurs_only)
{
    make_blocks(&picture, 1);
    draw_plainly();
    ck_assert_uint_eq(count(">operator<"), 1);
    ck_assert_uint_eq(count(">jump<"), 0);
    ck_assert_uint_eq(count(">crosses a border<"), 0);
    finish();
}

START_TEST(svg_without_graphviz_says_so_in_the_picture)
{
    make_blocks(&picture, 1);
    setenv("GVBINDIR", "/nonexistent", 1);
    ck_assert_int_eq(draw(&(struct dg_svg_options){0}), DG_OK);
    ck_assert_uint_gt(count("Plain layout: Graphviz cannot"), 0);
    out.size = 0;
    ck_assert_int_eq(draw(&(struct dg_svg_options){.strict = true}), DG_ERR_DEVICE);
    ck_assert_uint_eq(out.size, 0);
    unsetenv("GVBINDIR");
    finish();
}

START_TEST(svg_does_not_ask_graphviz_where_links_pass_many_boxes)
{
    make_blocks(&picture, 10);
    for (size_t i = 2; i < picture.n_boxes; i++)
        dg_picture_add_link(&picture, 0, i);
    setenv("GVBINDIR", "/nonexistent", 1);
    ck_assert_int_eq(draw(&(struct dg_svg_options){.strict = true}), DG_OK);
    ck_assert_uint_gt(count("Plain layout: links past so many boxes"), 0);
    out.size = 0;
    ck_assert_int_eq(
        draw(&(struct dg_svg_options){.layout = DG_SVG_GRAPHVIZ, .strict = true}),
        DG_ERR_DEVICE);
    unsetenv("GVBINDIR");
    finish();
}

START_TEST(svg_that_takes_too_long_is_an_error_and_never_another_picture)
{
    const struct dg_svg_options options = {.layout = DG_SVG_GRAPHVIZ,
                                           .limits = {.seconds = 1}};

    make_tangle(&picture);
    ck_assert_int_eq(draw(&options), DG_ERR_STOPPED);
    ck_assert_uint_eq(out.size, 0);
    ck_assert_ptr_nonnull(strstr(err.text, "did not finish in 1 s"));
    finish();
}

START_TEST(svg_takes_less_than_450_bytes_for_a_box)
{
    make_blocks(&picture, 30);
    draw_plainly();
    ck_assert_uint_lt(out.size, 450 * 300);
    finish();
}

START_TEST(svg_of_many_boxes_has_no_text_in_them)
{
    make_blocks(&picture, 1000);
    draw_plainly();
    ck_assert_uint_eq(count(">add.Tensor<"), 0);
    ck_assert_uint_lt(out.size, 1000000);
    check_well_formed(out.data);
    finish();
}

START_TEST(xml_replaces_what_it_has_no_place_for)
{
    dg_write_xml(&out,
                 (struct dg_text){"a<b>&\"'\x01\r\n\xef\xbf\xbf\xc3\xa9\xff", 16});
    ck_assert_str_eq(out.data, "a&lt;b&gt;&amp;&quot;&#39;\xef\xbf\xbd&#13;\n"
                               "\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd");
    finish();
}

Suite *svg_suite(void)
{
    Suite *suite = suite_create("svg");
    TCase *plain = tcase_create("plain"), *graphviz = tcase_create("graphviz");

    tcase_set_timeout(plain, 60);
    tcase_set_timeout(graphviz, 60);
    tcase_add_test(plain, svg_holds_hostile_names_as_text);
    tcase_add_test(plain, svg_elides_a_long_name_but_keeps_it_in_the_description);
    tcase_add_test(plain, svg_in_a_page_has_its_prefix_on_each_id_and_no_style);
    tcase_add_test(plain, svg_has_no_style_attributes);
    tcase_add_test(plain, svg_describes_each_box);
    tcase_add_test(plain, svg_marks_what_a_finding_names_in_shape_and_text);
    tcase_add_test(plain, svg_has_a_legend_of_what_occurs_only);
    tcase_add_test(plain, svg_takes_less_than_450_bytes_for_a_box);
    tcase_add_test(plain, svg_of_many_boxes_has_no_text_in_them);
    tcase_add_test(plain, xml_replaces_what_it_has_no_place_for);
    tcase_add_test(graphviz,
                   svg_that_takes_too_long_is_an_error_and_never_another_picture);
    tcase_add_test(graphviz, svg_is_the_same_bytes_each_time);
    tcase_add_test(graphviz, svg_without_graphviz_says_so_in_the_picture);
    tcase_add_test(graphviz, svg_does_not_ask_graphviz_where_links_pass_many_boxes);
    suite_add_tcase(suite, plain);
    if (!getenv("CK_FORK")) /* valgrind would follow into Graphviz's own leaks */
        suite_add_tcase(suite, graphviz);
    return suite;
}
