/* A report writes what the store knows in one form. It never changes the store. */
#ifndef DG_REPORTS_REPORT_H
#define DG_REPORTS_REPORT_H

#include "base/text.h"
#include "store/store.h"

/* What to write about; each report documents what it heeds. */
struct dg_report_options {
    const char *method; /* NULL: all */
    const char *what;   /* of ls: nodes, values, ... */
    const char *glob;   /* of ls: names to keep; NULL: all */
    int64_t artifact;   /* which one; 0: all */
    bool color;         /* ANSI colours */
    bool ascii;         /* bars and trees without box-drawing characters */
    int width;          /* columns of the terminal; 0: it goes elsewhere: no bars */
    int depth;          /* of ls --tree: levels; 0: all */
};

/* A report appends its text to `out`. */
struct dg_report {
    const char *name;    /* "info-json" */
    const char *summary; /* one line for --help */
    enum dg_status (*write)(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err);
};

#define REPORT(name) extern const struct dg_report dg_report_##name;
#include "reports/list.h"
#undef REPORT

extern const struct dg_report *const dg_reports[]; /* ends with NULL */

const struct dg_report *dg_report_find(const char *name); /* NULL if there is none */

#endif
