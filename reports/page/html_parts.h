/* What the parts of the HTML writer share. */
#ifndef DG_REPORTS_HTML_PARTS_H
#define DG_REPORTS_HTML_PARTS_H

#include "base/text_set.h"
#include "reports/page/page.h"

struct dg_html {
    struct dg_writer *out;
    struct dg_text_set anchors; /* ids in the page: links lead only to these */
    size_t n_unnamed;           /* drawings that got an id of their own */
    bool in_section, in_facts;
    struct dg_arena memory;
};

void dg_html_table(struct dg_html *html, const struct dg_block *block);
void dg_html_chart(struct dg_html *html, const struct dg_block *block);
void dg_html_points(struct dg_html *html, const struct dg_block *block);
void dg_html_treemap(struct dg_html *html, const struct dg_block *block);
void dg_html_tree(struct dg_html *html, const struct dg_block *block);
/* What a cell shows of a number over builds. */
void dg_html_trend(struct dg_html *html, const struct dg_trend *trend);
/* The list alone, inside of what the caller opens. */
void dg_html_areas(struct dg_html *html, const struct dg_block *block);

/* The id of a drawing: that of its block, or a new one. */
const char *dg_html_id(struct dg_html *html, const struct dg_block *block);
bool dg_html_has(const struct dg_html *html, struct dg_text anchor);

/* " id=..." or nothing. */
void dg_html_write_id(struct dg_html *html, struct dg_text id);

/* Begins a figure, which the caller ends. */
void dg_html_figure(struct dg_html *html, const char *css_class, struct dg_text id,
                    struct dg_text caption);

/* Begins a drawing in it, up to the words that describe it; `id` names the drawing. */
void dg_html_drawing(struct dg_html *html, const char *css_class, int width, int height,
                     const char *id, struct dg_text title);

/* A command line, to be copied; nothing where there is none. */
void dg_html_command(struct dg_html *html, struct dg_text command);

/* "1,234", "1.5 MiB" */
void dg_html_count(struct dg_writer *out, double count);
void dg_html_amount(struct dg_writer *out, double amount, bool bytes);

/* The class that draws a bar behind an element: "w0" to "w100" in steps of 2. */
int dg_html_bar(double share);

#endif
