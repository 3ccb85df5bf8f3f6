/* What is alive when memory is fullest, as a chart over the steps of a program. */
#ifndef DG_REPORTS_ALIVE_H
#define DG_REPORTS_ALIVE_H

#include "reports/sections/amount.h"

enum dg_alive_kind { DG_ALIVE_STATE, DG_ALIVE_INPUTS, DG_ALIVE_RESULTS, DG_N_ALIVE };

struct dg_alive {
    struct dg_text name;
    int64_t first, last;   /* steps, both included */
    int64_t begin, nbytes; /* in its arena; begin -1: it shares its bytes with nobody */
    int64_t row; /* what it is in the store: those of one row are one series */
    enum dg_alive_kind kind;
};

enum { DG_ALIVE_SERIES = 6 }; /* of their own; what is left is one for each kind */

struct dg_alive_chart {
    const char *id, *caption, *x_name; /* x_name is kept as it is */
    const double *totals;              /* live bytes at each step */
    size_t n_steps, peak;
    int64_t limit;             /* 0: none */
    const char *limit_name;    /* likewise */
    double *kinds[DG_N_ALIVE]; /* bytes of that kind at each step, what shares bytes
                                  counted twice; NULL: none */
    struct dg_alive *items;    /* the largest at the peak first */
    size_t n_items;
};

/* Append the chart: the largest items at the peak as areas, the rest by kind above
 * them.
 */
void dg_alive_chart(struct dg_page *page, const struct dg_alive_chart *chart);

#endif
