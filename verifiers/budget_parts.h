/* What the files of the family budget share. */
#ifndef DG_VERIFIERS_BUDGET_PARTS_H
#define DG_VERIFIERS_BUDGET_PARTS_H

#include "verifiers/budget.h"
#include "verifiers/verifier.h"

enum dg_unit { DG_UNIT_COUNT, DG_UNIT_BYTES, DG_UNIT_SHARE };

/* What can be told of a program by a number; there is a rule of that name. */
struct dg_measure {
    const char *name; /* NULL ends the table */
    enum dg_unit unit;
    bool least;     /* its limit is the least that it may be; else the most */
    bool by_device; /* a limit may be of a device: NAME.DEVICE */
    /* SQL: whether artifact `a`, that stands alone, has no such number; and what has.
     */
    const char *cannot, *takes;
    /* Why numbers of two programs with unlike `basis` cannot be compared; or NULL. */
    const char *unlike;
    const char *costs; /* SQL: 1 where it takes table call_sum; NULL: never */
    /* A row for each number: artifact; method, NULL for all of them; device, NULL for
     * all; number, NULL where nothing is known; text that says it; note that follows
     * the limit, or NULL; unknown: NULL, or why it may be more; basis: what was
     * counted. Each program that can show it has a row, in each method if the number is
     * of one. */
    const char *sql;
};

extern const struct dg_measure dg_measures[];

/* SQL of conditions on artifact `a`. */
#define DG_BUDGET_UNLOWERED                                                            \
    "a.kind <> 'pte' AND a.id NOT IN (SELECT artifact_id FROM delegate JOIN method"    \
    "  ON method.id = method_id)"
#define DG_BUDGET_UNPLANNED                                                            \
    DG_BUDGET_UNLOWERED " AND a.id NOT IN (SELECT artifact_id FROM part_run)"

const struct dg_measure *dg_measure_find(struct dg_text name);

/* Fill what its SQL reads. */
enum dg_status dg_measure_prepare(const struct dg_measure *measure,
                                  struct dg_store *store, struct dg_error *err);

/* Limits of a measure that hold: of those for one device, and of growth, the last. */
struct dg_limit_list {
    struct dg_limit *items; /* the caller frees them */
    size_t n_items;
};
enum dg_status dg_limits_of(struct dg_limit_list *limits,
                            const struct dg_measure *measure, struct dg_store *store,
                            struct dg_error *err);

/* The one that holds on that device, or NULL: one for cuda:0, for cuda, for each. */
const struct dg_limit *dg_limit_on(const struct dg_limit_list *limits,
                                   const char *device, bool grows);

/* For dg_rule.check and dg_rule.unjudged: the measure that is named like the rule. */
enum dg_status dg_budget_judge(const struct dg_findings *found, struct dg_error *err);
enum dg_status dg_budget_unjudged(const struct dg_findings *found,
                                  struct dg_error *err);

#endif
