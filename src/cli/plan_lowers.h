/* Whether the plan that was made can be lowered. */
#ifndef DG_CLI_PLAN_LOWERS_H
#define DG_CLI_PLAN_LOWERS_H

#include "base/text.h"
#include "formats/input.h"

struct dg_plan_error {
    const char *rule, *message, *fix;
    const char *method, *graph, *node; /* NULL: of none */
};

struct dg_plan_errors {
    struct dg_plan_error *items; /* the first ones */
    size_t n_items, n_all;
    struct dg_arena memory;
};

/* Hold the newest plan to the rules of plans: what is an error there, fails in
 * lowering. Clear *out whether or not this succeeds. */
enum dg_status dg_plan_errors_find(struct dg_plan_errors *out, struct dg_store *store,
                                   struct dg_error *err);
void dg_plan_errors_clear(struct dg_plan_errors *errors);

/* Warn of the first of them. */
void dg_plan_errors_warn(const struct dg_plan_errors *errors, const char *path);

/* As a member of a JSON object. */
void dg_plan_errors_json(struct dg_writer *out, const struct dg_plan_errors *errors);

#endif
