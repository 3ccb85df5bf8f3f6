/* A report before it is written: blocks one after another. Sections append blocks and
 * know nothing of HTML; writers turn the same blocks into HTML, Markdown or plain text.
 * All text is copied, and is plain: writers escape it. */
#ifndef DG_REPORTS_PAGE_H
#define DG_REPORTS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "reports/page/trend.h"
#include "store/store.h"

/* Which forms show a block. A report in Markdown is a comment that people read in
 * passing: verdict, headline figures, the worst findings. */
enum dg_form {
    DG_FORM_HTML = 1,
    DG_FORM_MARKDOWN = 2,
    DG_FORM_TEXT = 4,
    DG_FORM_ALL = 7,
};

enum dg_tone { DG_TONE_PLAIN, DG_TONE_GOOD, DG_TONE_BAD, DG_TONE_WARN, DG_TONE_NOTE };

enum dg_block_kind {
    DG_BLOCK_SECTION, /* begins a section; without blocks behind it, it is left out */
    DG_BLOCK_HEADING, /* inside a section */
    DG_BLOCK_TEXT,
    DG_BLOCK_COMMAND, /* a command line to copy */
    DG_BLOCK_FACTS,   /* names and values */
    DG_BLOCK_TABLE,
    DG_BLOCK_CHART, /* areas stacked over steps */
    DG_BLOCK_TREEMAP,
    DG_BLOCK_TREE, /* indented lines with counts and bytes */
    DG_BLOCK_PICTURE,
    DG_BLOCK_OPEN, /* <details>: what comes up to the close can be folded */
    DG_BLOCK_CLOSE,
    DG_BLOCK_DATA, /* JSON for scripts and other tools: HTML only */
};

/* How the cells of a column look and sort. */
enum dg_cell_kind {
    DG_CELL_TEXT,
    DG_CELL_CODE,    /* a name, an operator, a path: monospace */
    DG_CELL_COUNT,   /* an integer */
    DG_CELL_BYTES,   /* "1.5 MiB", with a bar for its share of the column's largest */
    DG_CELL_PERCENT, /* of 100, likewise */
    DG_CELL_REAL,
    DG_CELL_NODE,     /* a node's name; leads to its row in the search */
    DG_CELL_FINDING,  /* a number; leads to that finding */
    DG_CELL_SEVERITY, /* error, warning, note; pass, fail, skip */
    DG_CELL_TREND,    /* the newest of several numbers, its change, and their course */
};

struct dg_cell {
    struct dg_text text; /* NULL: a number, or nothing */
    double number;
    const struct dg_trend *trend;
    bool none; /* not known, or not there */
};

struct dg_column {
    struct dg_text name;
    enum dg_cell_kind kind;
};

/* Columns that are empty in all rows are not shown. */
struct dg_sheet { /* of a table */
    struct dg_column *columns;
    struct dg_cell *cells; /* by row */
    size_t n_columns, n_cells;
    size_t n_left_out;   /* rows; `more` tells where they are */
    struct dg_text more; /* a command, or NULL */
};

struct dg_series {
    struct dg_text name;
    double *values; /* of `n` steps from `first` on; of points: of all; else 0 */
    size_t first, n;
};

static inline double dg_series_at(const struct dg_series *series, size_t step)
{
    return step - series->first < series->n ? series->values[step - series->first] : 0;
}

/* Stacked areas over steps. The line of `limit` is drawn where it is not 0. As points:
 * each value by itself, NAN where there is none; the lowest ones are what counts. */
struct dg_chart {
    bool points;
    struct dg_text y_name; /* of points: "SNR, dB" */
    struct dg_text x_name; /* "instruction" */
    bool bytes;            /* values are bytes, else counts */
    struct dg_text *steps; /* what each step is called, or NULL: its number */
    size_t n_steps;
    struct dg_series *series;
    size_t n_series;
    size_t peak; /* the step that is marked */
    double limit;
    struct dg_text limit_name;
};

struct dg_area {               /* of a treemap; also a line of a tree */
    struct dg_text name, note; /* note: beside the name, or NULL */
    size_t parent;             /* an area before it; SIZE_MAX: none */
    int64_t bytes;             /* with what it holds; of a tree -1: not known */
    int64_t count;             /* of what it holds; -1: not told */
};

struct dg_fact {
    struct dg_text name, value;
    double share; /* of 1, drawn as a bar; below 0: none */
    enum dg_tone tone;
};

struct dg_block {
    enum dg_block_kind kind;
    unsigned forms;       /* DG_FORM_* */
    struct dg_text id;    /* anchor; NULL: none */
    struct dg_text title; /* heading, caption, summary of details */
    struct dg_text text;  /* paragraph, command, SVG, JSON; description of a picture */
    enum dg_tone tone;
    bool open;              /* details that are unfolded at first */
    struct dg_text command; /* that shows the same or more, or NULL */
    struct dg_sheet sheet;
    struct dg_chart chart;
    struct dg_area *areas;
    size_t n_areas;
    struct dg_fact *facts;
    size_t n_facts;
    struct dg_text desc; /* of a picture: what it shows, for those who cannot see it */
};

struct dg_page {
    struct dg_text title;
    unsigned forms; /* of the blocks that are appended next; 0: all */
    struct dg_block *blocks;
    size_t n_blocks;
    struct dg_arena memory;
};

/* Building. Pointers to blocks live until the next block. */
void dg_page_section(struct dg_page *page, const char *id, const char *title);
void dg_page_heading(struct dg_page *page, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "#memory" in a text or fact is a link where the page has that anchor. */
void dg_page_say(struct dg_page *page, enum dg_tone tone, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void dg_page_command(struct dg_page *page, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void dg_page_open(struct dg_page *page, const char *id, bool open, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void dg_page_close(struct dg_page *page);

/* A fact joins the facts before it, where nothing lies between. `share` below 0: no
 * bar. */
void dg_page_fact(struct dg_page *page, double share, const char *name, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

/* Then columns, then cells row by row. */
struct dg_block *dg_page_table(struct dg_page *page, const char *id,
                               const char *caption);
void dg_table_column(struct dg_page *page, const char *name, enum dg_cell_kind kind);
/* Columns as queries name them, "Size:bytes"; NULL ends them. */
void dg_table_columns(struct dg_page *page, ...) __attribute__((sentinel));
void dg_table_text(struct dg_page *page, struct dg_text text);
void dg_table_number(struct dg_page *page, double number);
void dg_table_trend(struct dg_page *page, const struct dg_trend *trend);
void dg_table_none(struct dg_page *page);
/* Rows beyond those shown, and the command that shows them. */
void dg_table_more(struct dg_page *page, size_t n_left_out, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A table of the rows of `sql`, with ?1 = id; nothing where there are none. A column is
 * named "Size:bytes": text (or nothing), code, count, bytes, percent, real, node,
 * finding, severity. At most `most` rows (0: all); the rest is counted, and `more` says
 * where it is. *n_rows may be NULL. */
enum dg_status dg_page_query(struct dg_page *page, const char *id, const char *caption,
                             struct dg_store *store, const char *sql, int64_t row,
                             size_t most, const char *more, size_t *n_rows,
                             struct dg_error *err);

/* The same of rows that the caller opened, with other parameters; closes them. */
enum dg_status dg_page_rows(struct dg_page *page, const char *id, const char *caption,
                            struct dg_rows *rows, size_t most, const char *more,
                            size_t *n_rows, struct dg_error *err);

/* A chart, treemap or tree, to be filled. */
struct dg_block *dg_page_block(struct dg_page *page, enum dg_block_kind kind,
                               const char *id, const char *caption);
struct dg_area *dg_page_area(struct dg_page *page, size_t parent, struct dg_text name,
                             int64_t bytes, int64_t count); /* of the newest block */

/* `svg` is an <svg> that is part of a page; `desc` says in words what it shows. */
void dg_page_picture(struct dg_page *page, const char *id, const char *title,
                     struct dg_text svg, const char *desc, const char *command);
void dg_page_data(struct dg_page *page, const char *id, struct dg_text json);

void dg_page_clear(struct dg_page *page);

/* What of a page a form shows: blocks of that form, without sections and details that
 * are empty then. Borrowed from *page; the caller frees the array. */
const struct dg_block **dg_page_shown(const struct dg_page *page, enum dg_form form,
                                      size_t *n_shown);

/* Writing. */
struct dg_page_options {
    int width;  /* of text: columns; 0: 80 */
    bool color; /* ANSI */
    bool ascii; /* bars and trees without box-drawing characters */
};
void dg_page_html(struct dg_writer *out, const struct dg_page *page);
void dg_page_markdown(struct dg_writer *out, const struct dg_page *page);
void dg_page_text(struct dg_writer *out, const struct dg_page *page,
                  const struct dg_page_options *options);

#endif
