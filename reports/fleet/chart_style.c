/* Rules of CSS for the lines of a name, in the colours of pictures and pages. */
#include "reports/fleet/chart.h"
#include "reports/picture/style.h"

struct scheme {
    const char *paper, *ink, *muted, *grid, *line, *good, *bad;
};

static void write_scheme(struct dg_writer *out, const struct scheme *scheme)
{
    dg_print(out, ".paper{fill:%s}\ntext{fill:%s}\n.muted{fill:%s}\n.grid{stroke:%s}\n",
             scheme->paper, scheme->ink, scheme->muted, scheme->grid);
    dg_print(out, ".line{stroke:%s}\n.dot{fill:%s}\n.good{fill:%s}\n.bad{fill:%s}\n",
             scheme->line, scheme->line, scheme->good, scheme->bad);
}

void dg_fleet_chart_style(struct dg_writer *out)
{
    static const struct scheme light = {DG_PAPER_LIGHT, DG_INK_LIGHT, "#586069",
                                        "#d4d8de",      "#0b57b0",    "#14692f",
                                        "#b01923"};
    static const struct scheme dark = {DG_PAPER_DARK, DG_INK_DARK, "#a3abb5", "#3a414b",
                                       "#8cbaf5",     "#72cf88",   "#ff9790"};

    dg_print(out, "svg{font:14px Helvetica,Arial,sans-serif}\n"
                  "text{white-space:pre}\n"
                  ".title{font-size:16px;font-weight:bold}\n"
                  ".end{text-anchor:end}\n"
                  ".line{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
                  ".hover{fill:transparent}\n"
                  ".hover:hover{fill:currentColor;fill-opacity:0.25}\n"
                  ".grid{fill:none}\n");
    write_scheme(out, &light);
    dg_print(out, "@media screen and (prefers-color-scheme:dark){\nsvg{color:#fff}\n");
    write_scheme(out, &dark);
    dg_print(out, "}\n");
}
