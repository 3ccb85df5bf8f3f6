/* The legend of an SVG: the styles that the picture has. */
#include "reports/picture/svg_parts.h"

enum { SAMPLE_WIDTH = 26, SAMPLE_HEIGHT = 15, ROW = 22, GAP = 14 };

struct pen {
    struct dg_size most;
    double x, y;
};

/* Where the next sample goes, in a row that is full the next one. */
static struct dg_point step(struct pen *pen, struct dg_text words, double width)
{
    double w = SAMPLE_WIDTH + 6 + dg_text_room(words, DG_BOX_FONT, false);
    struct dg_point at;

    if (pen->x > 0 && pen->x + w > width) {
        pen->x = 0;
        pen->y += ROW;
    }
    at = (struct dg_point){pen->x, pen->y};
    pen->x += w + GAP;
    pen->most.w = at.x + w > pen->most.w ? at.x + w : pen->most.w;
    pen->most.h = pen->y + ROW;
    return at;
}

static void write_words(struct dg_writer *out, struct dg_text words, struct dg_point at)
{
    struct dg_lines lines = {&words, 1};

    dg_svg_lines(out, &lines, NULL, at.x + SAMPLE_WIDTH + 6, at.y + 11, 0);
    dg_print(out, "</g>\n");
}

static void write_box_sample(struct dg_writer *out, const struct dg_sample *sample,
                             struct dg_point at)
{
    struct dg_rect rect = {at.x, at.y, SAMPLE_WIDTH, SAMPLE_HEIGHT};

    dg_print(out, "<g class=\"%s\">", sample->colors->name);
    dg_svg_shape(out, sample->shape->shape, &rect);
    write_words(out, sample->words, at);
}

static void write_link_sample(struct dg_writer *out, const struct dg_link_style *look,
                              struct dg_point at)
{
    double y = at.y + SAMPLE_HEIGHT / 2;

    dg_print(out, "<g><path class=\"links %s\" d=\"", look->name);
    dg_svg_point(out, "M", at.x, y);
    dg_print(out, "h%d\"/>", SAMPLE_WIDTH);
    if (look == &dg_link_styles[DG_STYLE_HIGHLIGHT]) {
        dg_print(out, "<path class=\"l-inner\" d=\"");
        dg_svg_point(out, "M", at.x, y);
        dg_print(out, "h%d\"/>", SAMPLE_WIDTH);
    }
    write_words(out, dg_text(look->legend), at);
}

static void write_heat_sample(struct dg_writer *out, struct dg_point at)
{
    struct dg_rect bar = {at.x, at.y + SAMPLE_HEIGHT / 2 - 1, SAMPLE_WIDTH, 3};

    dg_print(out, "<g>");
    dg_svg_heat(out, &bar);
    write_words(out, dg_text(dg_heat_style.legend), at);
}

struct dg_size dg_svg_legend(const struct dg_svg *svg, double width)
{
    struct dg_styles_seen seen;
    struct pen pen = {.x = 0};

    dg_styles_find(&seen, svg->visible);
    for (size_t i = 0; i < seen.n_samples; i++)
        write_box_sample(svg->out, &seen.samples[i],
                         step(&pen, seen.samples[i].words, width));
    for (size_t i = 0; i < DG_N_LINK_STYLES; i++)
        if (seen.links[i])
            write_link_sample(svg->out, &dg_link_styles[i],
                              step(&pen, dg_text(dg_link_styles[i].legend), width));
    if (seen.heat)
        write_heat_sample(svg->out, step(&pen, dg_text(dg_heat_style.legend), width));
    dg_styles_clear(&seen);
    return pen.most;
}
