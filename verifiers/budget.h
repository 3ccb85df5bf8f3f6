/* Budgets: measures of a program, limits that it must keep, and an older program that
 * limits of growth compare it with. */
#ifndef DG_VERIFIERS_BUDGET_H
#define DG_VERIFIERS_BUDGET_H

#include <stdbool.h>

#include "base/error.h"
#include "store/store.h"

/* A limit, "file-size=1MB", "planned-memory.cuda=12MiB", "file-size=+2%": `name` is
 * what stands before the "=". In a store it is a row of `setting`, "limit.NAME", as it
 * was written. */
struct dg_limit {
    const struct dg_measure *measure;
    char device[24]; /* "": each */
    bool grows;      /* it bounds how much worse the measure may be than the old one */
    bool relative;   /* that as a part of the old one */
    double number;
    char text[48]; /* as it was written */
};

/* What is wrong is told without the item: "expected a number, for instance 3". */
enum dg_status dg_limit_read(struct dg_limit *limit, struct dg_text name,
                             const char *value, struct dg_error *err);

/* Whether what stands behind the "=" is a limit of growth: "+2%", "-1%". */
bool dg_limit_grows(struct dg_text value);

/* Measure the program of `old`, which `path` names, and leave the numbers that limits
 * of `store` compare with there: rows of `setting`, "against" with the path and
 * "was.NAME" with a JSON object for each number. Both stores hold one program of one
 * kind. */
enum dg_status dg_budget_compare(struct dg_store *store, struct dg_store *old,
                                 const char *path, struct dg_error *err);

#endif
