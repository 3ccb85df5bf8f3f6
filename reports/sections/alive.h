/* What is alive when memory is fullest, as a chart over the steps of a program. */
#ifndef DG_REPORTS_ALIVE_H
#define DG_REPORTS_ALIVE_H

#include "reports/sections/amount.h"

struct dg_alive {
    struct dg_text name;
    int64_t first, last;   /* steps, both included */
    int64_t begin, nbytes; /* in its arena; begin -1: it shares its bytes with nobody */
    int64_t row; /* what it is in the store: those of one row are one series */
};

enum { DG_ALIVE_SERIES = 7 }; /* of their own; what is left is one more */

struct dg_alive_chart {
    const char *id, *caption, *x_name; /* x_name is kept as it is */
    const double *totals;              /* live bytes at each step */
    size_t n_steps, peak;
    int64_t limit;          /* 0: none */
    const char *limit_name; /* likewise */
    struct dg_alive *items; /* the largest at the peak first */
    size_t n_items;
};

/* Append the chart: the largest items at the peak as areas, the rest above them. */
void dg_alive_chart(struct dg_page *page, const struct dg_alive_chart *chart);

#endif
