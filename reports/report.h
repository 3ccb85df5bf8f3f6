/* A report writes what the store knows in one form. It never changes the store. */
#ifndef DG_REPORTS_REPORT_H
#define DG_REPORTS_REPORT_H

#include "base/text.h"
#include "store/store.h"

/* What to write about; each report documents what it heeds. */
struct dg_report_options {
    const char *method; /* NULL: all */
    const char *graph;  /* path; it and what is in it; NULL: all */
    const char *around; /* node name; NULL: the whole graph */
    int hops;           /* neighbourhood of `around` */
    int max_boxes;      /* collapse beyond; 0: the default, 300 */
    bool no_plan;       /* draw modules only, not the partitions of a plan */
    const char *what;   /* of ls: nodes, values, ... */
    const char *glob;   /* of ls: names to keep; NULL: all */
    int64_t artifact;   /* which one; 0: all */
    bool color;         /* ANSI colours */
    int width;          /* columns of the terminal; 0: do not wrap */
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
