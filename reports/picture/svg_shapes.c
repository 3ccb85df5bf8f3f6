/* Outlines of boxes. */
#include "reports/picture/svg_parts.h"

void dg_svg_number(struct dg_writer *out, double value)
{
    long long number = (long long)(value < 0 ? value - 0.5 : value + 0.5);
    unsigned long long rest = (unsigned long long)(number < 0 ? -number : number);
    char digits[24];
    size_t at = sizeof(digits);

    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        digits[--at] = '-';
    dg_write(out, digits + at, sizeof(digits) - at);
}

void dg_svg_point(struct dg_writer *out, const char *command, double x, double y)
{
    dg_write_text(out, dg_text(command));
    dg_svg_number(out, x);
    dg_write(out, " ", 1);
    dg_svg_number(out, y);
}

void dg_svg_attribute(struct dg_writer *out, const char *name, double value)
{
    dg_write(out, " ", 1);
    dg_write_text(out, dg_text(name));
    dg_write(out, "=\"", 2);
    dg_svg_number(out, value);
    dg_write(out, "\"", 1);
}

/* A path from `at`, by steps; 'z' closes it. Steps are in points. */
struct step {
    char command; /* 'h', 'v', 'l', 'm' or 'z' */
    double x, y;
};

static void write_steps(struct dg_writer *out, double x, double y,
                        const struct step *steps, size_t n_steps)
{
    dg_svg_point(out, "M", x, y);
    for (size_t i = 0; i < n_steps; i++) {
        dg_write(out, &steps[i].command, 1);
        if (steps[i].command != 'v' && steps[i].command != 'z')
            dg_svg_number(out, steps[i].x);
        if (steps[i].command == 'l' || steps[i].command == 'm')
            dg_write(out, " ", 1);
        if (steps[i].command != 'h' && steps[i].command != 'z')
            dg_svg_number(out, steps[i].y);
    }
}

#define STEPS(x, y, ...)                                                               \
    write_steps(out, (x), (y), (const struct step[]){__VA_ARGS__},                     \
                sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

enum { CUT = 7, TAB_HEIGHT = 5, TAB_WIDTH = 22, LUG = 8 };

static void write_component(struct dg_writer *out, double x, double y, double w,
                            double h)
{
    STEPS(x, y, {'h', w, 0}, {'v', 0, h}, {'h', -w, 0}, {'z', 0, 0}, {'m', -LUG / 2, 4},
          {'h', LUG, 0}, {'v', 0, 4}, {'h', -LUG, 0}, {'z', 0, 0}, {'m', 0, 7},
          {'h', LUG, 0}, {'v', 0, 4}, {'h', -LUG, 0}, {'z', 0, 0});
}

static void write_octagon(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x + CUT, y, {'h', w - 2 * CUT, 0}, {'l', CUT, CUT}, {'v', 0, h - 2 * CUT},
          {'l', -CUT, CUT}, {'h', 2 * CUT - w, 0}, {'l', -CUT, -CUT},
          {'v', 0, 2 * CUT - h}, {'z', 0, 0});
}

static void write_folder(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x, y + TAB_HEIGHT, {'v', 0, h - TAB_HEIGHT}, {'h', w, 0},
          {'v', 0, TAB_HEIGHT - h}, {'h', TAB_WIDTH - w, 0}, {'l', -4, -TAB_HEIGHT},
          {'h', 4 - TAB_WIDTH, 0}, {'z', 0, 0});
}

/* Two sheets look out from behind the first: what it hides of them is not drawn. */
static void write_stack(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x, y + 6, {'h', w - 6, 0}, {'v', 0, h - 6}, {'h', 6 - w, 0}, {'z', 0, 0},
          {'m', 3, 0}, {'v', 0, -3}, {'h', w - 6, 0}, {'v', 0, h - 6}, {'h', -3, 0},
          {'m', 12 - w, 6 - h}, {'v', 0, -3}, {'h', w - 6, 0}, {'v', 0, h - 6},
          {'h', -3, 0});
}

static void write_note(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x, y, {'h', w - CUT, 0}, {'l', CUT, CUT}, {'v', 0, h - CUT}, {'h', -w, 0},
          {'z', 0, 0}, {'m', w - CUT, 0}, {'v', 0, CUT}, {'h', CUT, 0});
}

/* A cylinder without curves. */
static void write_drum(struct dg_writer *out, double x, double y, double w, double h)
{
    const double lid = 3;

    STEPS(x, y + lid, {'l', CUT, -lid}, {'h', w - 2 * CUT, 0}, {'l', CUT, lid},
          {'v', 0, h - 2 * lid}, {'l', -CUT, lid}, {'h', 2 * CUT - w, 0},
          {'l', -CUT, -lid}, {'z', 0, 0}, {'l', CUT, lid}, {'h', w - 2 * CUT, 0},
          {'l', CUT, -lid});
}

static void write_hexagon(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x, y + h / 2, {'l', CUT, -h / 2}, {'h', w - 2 * CUT, 0}, {'l', CUT, h / 2},
          {'l', -CUT, h / 2}, {'h', 2 * CUT - w, 0}, {'z', 0, 0});
}

static void write_diamond(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x, y + h / 2, {'l', w / 2, -h / 2}, {'l', w / 2, h / 2}, {'l', -w / 2, h / 2},
          {'z', 0, 0});
}

static void write_tab(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x, y, {'h', TAB_WIDTH, 0}, {'v', 0, TAB_HEIGHT}, {'h', w - TAB_WIDTH, 0},
          {'v', 0, h - TAB_HEIGHT}, {'h', -w, 0}, {'z', 0, 0});
}

static void write_slanted(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x + CUT, y, {'h', w - CUT, 0}, {'l', -CUT, h}, {'h', CUT - w, 0},
          {'z', 0, 0});
}

static void write_plain(struct dg_writer *out, double x, double y, double w, double h)
{
    STEPS(x, y, {'h', w, 0}, {'v', 0, h}, {'h', -w, 0}, {'z', 0, 0});
}

void dg_svg_outline(struct dg_writer *out, enum dg_shape shape,
                    const struct dg_rect *rect)
{
    static void (*const outlines[])(struct dg_writer *, double, double, double,
                                    double) = {
        [DG_SHAPE_PLAIN] = write_plain,         [DG_SHAPE_OCTAGON] = write_octagon,
        [DG_SHAPE_COMPONENT] = write_component, [DG_SHAPE_HEXAGON] = write_hexagon,
        [DG_SHAPE_DIAMOND] = write_diamond,     [DG_SHAPE_TAB] = write_tab,
        [DG_SHAPE_FOLDER] = write_folder,       [DG_SHAPE_STACK] = write_stack,
        [DG_SHAPE_NOTE] = write_note,           [DG_SHAPE_SLANTED] = write_slanted,
        [DG_SHAPE_CYLINDER] = write_drum,
    };

    outlines[shape](out, rect->x, rect->y, rect->w, rect->h);
}

void dg_svg_shape(struct dg_writer *out, enum dg_shape shape,
                  const struct dg_rect *rect)
{
    if (shape != DG_SHAPE_ROUNDED && shape != DG_SHAPE_OVAL) {
        dg_print(out, "<path d=\"");
        dg_svg_outline(out, shape, rect);
        dg_print(out, "\"/>");
        return;
    }
    dg_print(out, "<rect");
    dg_svg_attribute(out, "x", rect->x);
    dg_svg_attribute(out, "y", rect->y);
    dg_svg_attribute(out, "width", rect->w);
    dg_svg_attribute(out, "height", rect->h);
    dg_svg_attribute(out, "rx", shape == DG_SHAPE_OVAL ? rect->h / 2 : 4);
    dg_print(out, "/>");
}
