/* PNG and PDF from SVG. */
#include "reports/picture/image.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <librsvg/rsvg.h>
#include <math.h>

#include "base/symbols.h"

#define DOTS_PER_POINT (96.0 / 72.0)
#define LEAST_SCALE 0.5

enum {
    MOST_SIDE = 32767,       /* pixels that cairo takes */
    MOST_PIXELS = 100000000, /* of 4 bytes; the child has 2 GiB */
    MOST_PAGE = 14400,       /* points that viewers take: 200 inches */
};

/* What is called of librsvg, and of the libraries that come with it: fifty, which would
 * cost every command 6 ms of its start if they were linked. */
#define FUNCTIONS(X)                                                                   \
    X(cairo_create)                                                                    \
    X(cairo_destroy)                                                                   \
    X(cairo_image_surface_create)                                                      \
    X(cairo_paint)                                                                     \
    X(cairo_pdf_surface_create_for_stream)                                             \
    X(cairo_pdf_surface_restrict_to_version)                                           \
    X(cairo_pdf_surface_set_metadata)                                                  \
    X(cairo_set_source_rgb)                                                            \
    X(cairo_status)                                                                    \
    X(cairo_surface_finish)                                                            \
    X(cairo_surface_status)                                                            \
    X(cairo_surface_write_to_png_stream)                                               \
    X(g_object_unref)                                                                  \
    X(rsvg_handle_new_from_data)                                                       \
    X(rsvg_handle_render_document)

static struct {
    FUNCTIONS(DG_SYMBOL_POINTER)
    const unsigned *version[3];
} library;

static enum dg_status load_library(struct dg_error *err)
{
    static const struct dg_symbol symbols[] = {
#define SYMBOL(name) DG_SYMBOL(name, &library),
        FUNCTIONS(SYMBOL){"rsvg_major_version", &library.version[0]},
        {"rsvg_minor_version", &library.version[1]},
        {"rsvg_micro_version", &library.version[2]},
    };

    return dg_load_symbols("librsvg-2.so.2", "librsvg (Debian: librsvg2-2)", symbols,
                           sizeof(symbols) / sizeof(*symbols), err);
}

static double fit(double size, double most)
{
    return size > most ? most / size : 1;
}

static double png_scale(const struct dg_size *size)
{
    double w = size->w * DOTS_PER_POINT, h = size->h * DOTS_PER_POINT;
    double scale = fmin(fit(w, MOST_SIDE), fit(h, MOST_SIDE));

    return fmin(scale, sqrt(fit(w * h, MOST_PIXELS)));
}

double dg_image_scale(const struct dg_image *image)
{
    if (image->type == DG_IMAGE_PNG)
        return png_scale(&image->size);
    return fit(fmax(image->size.w, image->size.h), MOST_PAGE);
}

static cairo_status_t answer(void *state, const unsigned char *data, unsigned size)
{
    const int *to = state;

    return dg_child_answer(*to, (const char *)data, size) ? CAIRO_STATUS_WRITE_ERROR
                                                          : CAIRO_STATUS_SUCCESS;
}

static bool render(cairo_surface_t *surface, const struct dg_text *svg,
                   const struct dg_size *size)
{
    const RsvgRectangle all = {0, 0, size->w, size->h};
    RsvgHandle *handle =
        library.rsvg_handle_new_from_data((const guint8 *)svg->data, svg->size, NULL);
    cairo_t *context = library.cairo_create(surface);
    bool done;

    library.cairo_set_source_rgb(context, 1, 1, 1);
    library.cairo_paint(context);
    done = handle && library.rsvg_handle_render_document(handle, context, &all, NULL) &&
           !library.cairo_status(context);
    library.cairo_destroy(context);
    if (handle)
        library.g_object_unref(handle);
    return done;
}

static int make_png(const struct dg_image *image, int to)
{
    double scale = DOTS_PER_POINT * dg_image_scale(image);
    struct dg_size size = {image->size.w * scale, image->size.h * scale};
    /* What a rounding error adds is no pixel. */
    cairo_surface_t *surface = library.cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)ceil(size.w - 1e-6), (int)ceil(size.h - 1e-6));

    if (!render(surface, &image->svg, &size) ||
        library.cairo_surface_write_to_png_stream(surface, answer, &to))
        return DG_CHILD_CANNOT;
    return 0;
}

static int make_pdf(const struct dg_image *image, int to)
{
    double scale = dg_image_scale(image);
    struct dg_size size = {image->size.w * scale, image->size.h * scale};
    cairo_surface_t *surface =
        library.cairo_pdf_surface_create_for_stream(answer, &to, size.w, size.h);

    /* What any viewer reads; and the same picture is the same bytes at any time. */
    library.cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
    library.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    if (!render(surface, &image->svg, &size))
        return DG_CHILD_CANNOT;
    library.cairo_surface_finish(surface);
    return library.cairo_surface_status(surface) ? DG_CHILD_CANNOT : 0;
}

static int make_image(const void *state, int to)
{
    const struct dg_image *image = state;

    return image->type == DG_IMAGE_PNG ? make_png(image, to) : make_pdf(image, to);
}

enum dg_status dg_image_draw(struct dg_writer *out, const struct dg_image *image,
                             const struct dg_child_limits *limits, struct dg_error *err)
{
    const struct dg_child_task task = {
        .work = make_image,
        .state = image,
        .who = "librsvg",
        .cannot = "draw it; take the SVG (-T svg)",
        .instead = "ask for fewer boxes, or take the SVG (-T svg)",
    };

    if (image->type == DG_IMAGE_PNG && dg_image_scale(image) < LEAST_SCALE)
        return dg_fail(
            err, DG_ERR_STOPPED,
            "%.0f x %.0f pixels are too many for a PNG that can be read "
            "(at most %d on a side and %d million in all, at half the size); "
            "take -T svg or pdf, or ask for fewer boxes",
            image->size.w * DOTS_PER_POINT, image->size.h * DOTS_PER_POINT, MOST_SIDE,
            MOST_PIXELS / 1000000);
    if (load_library(err))
        return err->status;
    return dg_child_run(out, &task, limits, err);
}

struct dg_text dg_image_library(struct dg_arena *memory)
{
    struct dg_error err = {0};

    if (load_library(&err))
        return dg_format(memory, "not on this machine: no PNG, no PDF (%s)", err.text);
    return dg_format(memory, "%u.%u.%u", *library.version[0], *library.version[1],
                     *library.version[2]);
}
