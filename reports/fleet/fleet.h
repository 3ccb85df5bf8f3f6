/* Builds of a store as people compare them: names, numbers over builds, what became
 * worse. Read once; sections of the page only look at it. */
#ifndef DG_REPORTS_FLEET_H
#define DG_REPORTS_FLEET_H

#include "base/arena.h"
#include "graph/builds.h"
#include "reports/page/trend.h"

enum dg_fleet_number { /* which, in the order of dg_fleet_measures */
                       DG_FLEET_SIZE,
                       DG_FLEET_DELEGATED,
                       DG_FLEET_PARTITIONS,
                       DG_FLEET_PEAK,
                       DG_FLEET_HOST_CALLS,
                       DG_FLEET_FLOPS,
                       DG_FLEET_TIME,
                       DG_FLEET_ERRORS,
                       DG_FLEET_WARNINGS,
                       DG_FLEET_NUMBERS,
};

struct dg_fleet_measure {
    const char *title;
    enum dg_trend_unit unit;
    bool more_is_better;
    double threshold; /* it is a regression from here on, as dg_trend_worse() tells */
};
extern const struct dg_fleet_measure dg_fleet_measures[DG_FLEET_NUMBERS];

struct dg_fleet_build {
    int64_t id, artifact;
    struct dg_text labels; /* "branch=main day=3", shortened; NULL: none */
};

struct dg_fleet_rule {
    struct dg_text key, severity, rule; /* "error:memory/extent" is key */
    struct dg_trend trend;              /* findings in the newest `window` builds */
};

struct dg_fleet_name {
    struct dg_text name, path;     /* path: of the newest program */
    struct dg_text before;         /* of the program before it; NULL: there is none */
    struct dg_fleet_build *builds; /* the oldest first */
    size_t n_builds, n_all;        /* n_all: with those that are not looked at */
    struct dg_trend trends[DG_FLEET_NUMBERS];
    struct dg_fleet_rule *rules;
    size_t n_rules;
    /* Rules of the newest build are known, and also those of the build before it. */
    bool newest_by_rule, by_rule;
    double worst; /* its worst regression; 0: none */
};

struct dg_fleet {
    struct dg_fleet_name *names;
    size_t n_names;
    size_t window; /* builds of a name that the newest is held to, itself counted */
    struct dg_arena memory;
};

/* The builds that are meant, of each name the newest `choice->last`. */
enum dg_status dg_fleet_load(struct dg_fleet *fleet, struct dg_store *store,
                             const struct dg_build_choice *choice,
                             struct dg_error *err);
/* Findings by rule, of the newest `window` builds of each name. */
enum dg_status dg_fleet_load_rules(struct dg_fleet *fleet, struct dg_store *store,
                                   struct dg_error *err);
void dg_fleet_clear(struct dg_fleet *fleet);

static inline const struct dg_fleet_build *
dg_fleet_newest(const struct dg_fleet_name *name)
{
    return &name->builds[name->n_builds - 1];
}

/* "12 (branch=main day=3)" */
const char *dg_build_words(struct dg_arena *memory, const struct dg_fleet_build *build);

#endif
