/* PNG and PDF: what the SVG says, as large as it says, within limits. */
#include <cairo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/picture/image.h"
#include "unit/suite.h"

#define SVG(width, height, content)                                                    \
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" #width                        \
    "pt\" height=\"" #height "pt\" viewBox=\"0 0 " #width " " #height "\">" content    \
    "</svg>"

static struct dg_writer out;
static struct dg_error err;

static struct dg_image image_of(enum dg_image_type type, const char *svg, double width,
                                double height)
{
    return (struct dg_image){type, dg_text(svg), {width, height}};
}

static enum dg_status draw(enum dg_image_type type, const char *svg, double width,
                           double height)
{
    const struct dg_image image = image_of(type, svg, width, height);

    out = (struct dg_writer){0};
    err = (struct dg_error){0};
    return dg_image_draw(&out, &image, &(struct dg_child_limits){.seconds = 20}, &err);
}

/* In bytes, which a PDF is. */
static bool contains(const char *part)
{
    size_t size = strlen(part);

    for (size_t i = 0; i + size <= out.size; i++)
        if (!memcmp(out.data + i, part, size))
            return true;
    return false;
}

static cairo_status_t read_out(void *state, unsigned char *data, unsigned size)
{
    size_t *at = state;

    if (out.size - *at < size)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(data, out.data + *at, size);
    *at += size;
    return CAIRO_STATUS_SUCCESS;
}

/* 0xrrggbb of a pixel of the PNG in `out`. */
static unsigned pixel(int x, int y)
{
    size_t at = 0;
    cairo_surface_t *png = cairo_image_surface_create_from_png_stream(read_out, &at);
    uint32_t value;

    ck_assert_int_eq(cairo_surface_status(png), CAIRO_STATUS_SUCCESS);
    ck_assert_int_lt(x, cairo_image_surface_get_width(png));
    ck_assert_int_lt(y, cairo_image_surface_get_height(png));
    memcpy(&value,
           cairo_image_surface_get_data(png) +
               (size_t)y * (size_t)cairo_image_surface_get_stride(png) + 4 * (size_t)x,
           sizeof(value));
    cairo_surface_destroy(png);
    return value & 0xffffff;
}

static void check_png_size(int width, int height)
{
    size_t at = 0;
    cairo_surface_t *png = cairo_image_surface_create_from_png_stream(read_out, &at);

    ck_assert_int_eq(cairo_image_surface_get_width(png), width);
    ck_assert_int_eq(cairo_image_surface_get_height(png), height);
    cairo_surface_destroy(png);
}

START_TEST(image_png_has_96_pixels_per_inch_on_white)
{
    ck_assert_msg(!draw(DG_IMAGE_PNG,
                        SVG(72, 31, "<path d='M36 0h36v31h-36z' fill='#b84a00'/>"), 72,
                        31),
                  "%s", err.text);
    check_png_size(96, 42); /* 31 pt are 41.3 pixels */
    ck_assert_uint_eq(pixel(10, 10), 0xffffff);
    ck_assert_uint_eq(pixel(90, 30), 0xb84a00);
    dg_writer_clear(&out);
}

START_TEST(image_png_has_the_light_theme)
{
    const char *svg = SVG(30, 30,
                          "<style>.p{fill:#c9e6f7}@media screen and "
                          "(prefers-color-scheme:dark){.p{fill:#163a50}}</style>"
                          "<path class='p' d='M0 0h30v30h-30z'/>");

    ck_assert_int_eq(draw(DG_IMAGE_PNG, svg, 30, 30), DG_OK);
    ck_assert_uint_eq(pixel(20, 20), 0xc9e6f7);
    dg_writer_clear(&out);
}

START_TEST(image_pdf_is_a_page_as_large_as_the_svg)
{
    ck_assert_int_eq(
        draw(DG_IMAGE_PDF, SVG(72, 31, "<text y='20'>relu</text>"), 72, 31), DG_OK);
    ck_assert_int_eq(memcmp(out.data, "%PDF", 4), 0);
    ck_assert(contains("[ 0 0 72 31 ]"));
    ck_assert(contains("/ToUnicode"));
    ck_assert(!contains("/CreationDate"));
    dg_writer_clear(&out);
}

START_TEST(image_reads_no_other_file)
{
    char folder[] = "/tmp/image_XXXXXX", path[64], svg[400];
    FILE *file;

    ck_assert_int_eq(draw(DG_IMAGE_PNG,
                          SVG(30, 30, "<path d='M0 0h30v30h-30z' fill='red'/>"), 30,
                          30),
                     DG_OK);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/red.png", folder);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite(out.data, 1, out.size, file);
    fclose(file);
    dg_writer_clear(&out);
    snprintf(svg, sizeof(svg),
             SVG(30, 30, "<image width='30' height='30' href='%s%s'/>"), "file://",
             path);
    ck_assert_int_eq(draw(DG_IMAGE_PNG, svg, 30, 30), DG_OK);
    ck_assert_uint_eq(pixel(20, 20), 0xffffff);
    dg_writer_clear(&out);
    unlink(path);
    rmdir(folder);
}

START_TEST(image_that_is_too_large_is_drawn_smaller)
{
    struct dg_image png = image_of(DG_IMAGE_PNG, "", 24000, 100),
                    long_png = image_of(DG_IMAGE_PNG, "", 32767, 100),
                    square = image_of(DG_IMAGE_PNG, "", 12000, 12000),
                    pdf = image_of(DG_IMAGE_PDF, "", 14400, 100),
                    long_pdf = image_of(DG_IMAGE_PDF, "", 100, 144000);

    ck_assert_double_eq(dg_image_scale(&png), 1);
    ck_assert_double_eq_tol(dg_image_scale(&long_png), 0.75, 1e-9);
    ck_assert_double_eq_tol(dg_image_scale(&square), 0.625, 1e-9);
    ck_assert_double_eq(dg_image_scale(&pdf), 1);
    ck_assert_double_eq_tol(dg_image_scale(&long_pdf), 0.1, 1e-9);
    ck_assert_msg(!draw(DG_IMAGE_PNG, SVG(32767, 3, ""), 32767, 3), "%s", err.text);
    check_png_size(32767, 3);
    dg_writer_clear(&out);
}

START_TEST(image_that_nobody_could_read_is_an_error)
{
    ck_assert_int_eq(draw(DG_IMAGE_PNG, SVG(60000, 3, ""), 60000, 3), DG_ERR_STOPPED);
    ck_assert_ptr_nonnull(strstr(err.text, "80000 x 4 pixels are too many"));
    ck_assert_int_eq(draw(DG_IMAGE_PNG, SVG(20000, 20000, ""), 20000, 20000),
                     DG_ERR_STOPPED);
    ck_assert_uint_eq(out.size, 0);
    ck_assert_int_eq(draw(DG_IMAGE_PDF, SVG(60000, 3, ""), 60000, 3), DG_OK);
    dg_writer_clear(&out);
}

START_TEST(image_of_what_is_no_svg_is_an_error)
{
    ck_assert_int_eq(draw(DG_IMAGE_PNG, "<svg", 30, 30), DG_ERR_DEVICE);
    ck_assert_ptr_nonnull(strstr(err.text, "librsvg cannot draw it"));
    ck_assert_int_eq(draw(DG_IMAGE_PDF, "", 30, 30), DG_ERR_DEVICE);
    ck_assert_uint_eq(out.size, 0);
}

/* A cheap SVG that takes librsvg a minute. */
START_TEST(image_gives_up_in_time)
{
    const struct dg_image image =
        image_of(DG_IMAGE_PNG,
                 SVG(6000, 6000,
                     "<filter id='f'><feTurbulence numOctaves='50' baseFrequency='.1'/>"
                     "</filter><path filter='url(#f)' d='M0 0h6000v6000h-6000z'/>"),
                 6000, 6000);

    err = (struct dg_error){0};
    ck_assert_int_eq(
        dg_image_draw(&out, &image, &(struct dg_child_limits){.seconds = 1}, &err),
        DG_ERR_STOPPED);
    ck_assert_ptr_nonnull(strstr(err.text, "librsvg did not finish in 1 s"));
    ck_assert_uint_eq(out.size, 0);
}

Suite *image_suite(void)
{
    Suite *suite = suite_create("image");
    TCase *tests = tcase_create("image");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, image_png_has_96_pixels_per_inch_on_white);
    tcase_add_test(tests, image_png_has_the_light_theme);
    tcase_add_test(tests, image_pdf_is_a_page_as_large_as_the_svg);
    tcase_add_test(tests, image_reads_no_other_file);
    tcase_add_test(tests, image_that_is_too_large_is_drawn_smaller);
    tcase_add_test(tests, image_that_nobody_could_read_is_an_error);
    tcase_add_test(tests, image_of_what_is_no_svg_is_an_error);
    tcase_add_test(tests, image_gives_up_in_time);
    if (!getenv("CK_FORK")) /* valgrind would follow into librsvg's own leaks */
        suite_add_tcase(suite, tests);
    return suite;
}
