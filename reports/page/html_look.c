/* The style sheet and the script of a page. */
#include "reports/page/html_parts.h"
#include "reports/picture/svg.h"

static const char style[] =
#include "reports/page/report.css.inc"
    ;

const char dg_html_script[] =
#include "reports/page/report.js.inc"
    ;

void dg_html_style(struct dg_writer *out)
{
    dg_print(out, "%s", style);
    for (int percent = 0; percent <= 100; percent += 2)
        dg_print(out, ".w%d{background-size:%d%% 3px}\n", percent, percent);
    dg_write_svg_style(out);
}
