/* Rules of CSS for pictures, from the table of styles. */
#include "reports/picture/svg_parts.h"

/* All rules are for what is inside a picture: a page has rules of its own. */
#define IN ".dg-picture "

static const char fixed_rules[] =
    ".dg-picture{font:10px Helvetica,Arial,sans-serif}\n"
    ".dg-picture text{stroke:none;white-space:pre}\n"
    ".dg-picture .box{stroke-linejoin:round}\n"
    ".dg-picture .box text{text-anchor:middle;font-weight:bold}\n"
    ".dg-picture .box tspan{font-weight:normal}\n"
    ".dg-picture .box:target{stroke-width:4}\n"
    ".dg-picture .marked{stroke-width:3}\n"
    ".dg-picture .cut{stroke-dasharray:4 2}\n"
    ".dg-picture .frame-label text{font-weight:bold}\n"
    ".dg-picture .caption,.dg-picture .legend text{font-weight:normal}\n"
    ".dg-picture .caption{font-size:11px}\n"
    ".dg-picture .title{font-weight:bold}\n"
    ".dg-picture .links{fill:none}\n"
    ".dg-picture .label text,.dg-picture .frame-label text{stroke-width:3px;"
    "paint-order:stroke}\n"
    ".dg-picture .label text{font-size:9px;text-anchor:middle}\n"
    ".dg-picture .offends{fill:none;stroke-width:3}\n"
    ".dg-picture .f-method,.dg-picture .f-lane{stroke-width:2}\n"
    ".dg-picture .l-inner{stroke-width:2;fill:none}\n";

struct scheme {
    const char *paper, *ink;
    bool dark;
};

static void write_colors(struct dg_writer *out, const struct dg_style *look, bool dark)
{
    const struct dg_colors *colors = dark ? &look->dark : &look->light;

    if (look->name)
        dg_print(out, IN ".%s{fill:%s;stroke:%s}\n", look->name, colors->fill,
                 colors->line);
}

static void write_table(struct dg_writer *out, const struct dg_style *looks,
                        size_t n_looks, bool dark)
{
    for (size_t i = 0; i < n_looks; i++)
        write_colors(out, &looks[i], dark);
}

static void write_scheme(struct dg_writer *out, const struct scheme *scheme)
{
    dg_print(out, IN ".paper{fill:%s;stroke:none}\n", scheme->paper);
    dg_print(out, IN "text{fill:%s}\n", scheme->ink);
    dg_print(out, IN ".label text," IN ".frame-label text," IN ".l-inner{stroke:%s}\n",
             scheme->paper);
    write_table(out, dg_box_styles, DG_N_BOX_STYLES, scheme->dark);
    write_table(out, dg_backend_styles, DG_N_BACKEND_STYLES, scheme->dark);
    write_table(out, dg_frame_styles, DG_N_FRAME_STYLES, scheme->dark);
    write_table(out, dg_backend_frames, DG_N_BACKEND_STYLES, scheme->dark);
    write_colors(out, &dg_highlight_style, scheme->dark);
    write_colors(out, &dg_heat_style, scheme->dark);
    for (size_t i = 0; i < DG_N_LINK_STYLES; i++) {
        const struct dg_link_style *look = &dg_link_styles[i];
        const char *color = scheme->dark ? look->dark : look->light;

        dg_print(out, IN ".%s{stroke:%s}\n" IN ".%s .head," IN "text.%s{fill:%s}\n",
                 look->name, color, look->name, look->name, color);
    }
}

static void write_dashes(struct dg_writer *out, const struct dg_style *looks,
                         size_t n_looks)
{
    for (size_t i = 0; i < n_looks; i++)
        if (looks[i].dashes)
            dg_print(out, IN ".%s{stroke-dasharray:%s}\n", looks[i].name,
                     looks[i].dashes);
}

void dg_write_svg_style(struct dg_writer *out)
{
    static const struct scheme light = {DG_PAPER_LIGHT, DG_INK_LIGHT, false};
    static const struct scheme dark = {DG_PAPER_DARK, DG_INK_DARK, true};

    dg_print(out, "%s", fixed_rules);
    write_dashes(out, dg_box_styles, DG_N_BOX_STYLES);
    write_dashes(out, dg_frame_styles, DG_N_FRAME_STYLES);
    for (size_t i = 0; i < DG_N_LINK_STYLES; i++) {
        const struct dg_link_style *look = &dg_link_styles[i];

        dg_print(out, IN ".%s{stroke-width:%g", look->name, look->width);
        if (look->dashes)
            dg_print(out, ";stroke-dasharray:%s", look->dashes);
        dg_print(out, "}\n");
    }
    dg_print(out, IN ".head{stroke:none}\n");
    write_scheme(out, &light);
    dg_print(out, "@media screen and (prefers-color-scheme:dark){\n");
    write_scheme(out, &dark);
    dg_print(out, "}\n");
}
