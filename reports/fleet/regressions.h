/* What became worse: the newest build of each name against the one before, and against
 * the best of those that are looked at. */
#ifndef DG_REPORTS_FLEET_REGRESSIONS_H
#define DG_REPORTS_FLEET_REGRESSIONS_H

#include "reports/fleet/fleet.h"

struct dg_regression {
    const struct dg_fleet_name *name;
    const struct dg_fleet_measure *measure;
    const struct dg_fleet_rule *rule; /* whose findings the number counts, or NULL */
    double newest, before, best;
    const struct dg_fleet_build *since; /* since when it is worse than the best */
    int rank;                           /* 0: errors, 1: warnings, 2: numbers */
    double badness;                     /* in thresholds */
};

struct dg_regressions { /* the worst first */
    struct dg_regression *items;
    size_t n_items;
    size_t n_names; /* that have some */
};

/* Sets `worst` of names, too. */
void dg_regressions_find(struct dg_regressions *found, struct dg_fleet *fleet);
void dg_regressions_clear(struct dg_regressions *found);

#endif
