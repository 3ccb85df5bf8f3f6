/* Values of a method of a .pte, as far as they are known before it runs. */
#ifndef DG_VERIFIERS_PLAN_VALUES_H
#define DG_VERIFIERS_PLAN_VALUES_H

#include "graph/infer.h"
#include "graph/model_values.h"

struct dg_plan_values {
    const struct dg_model_values *values;
    const struct dg_value_graph *graph; /* NULL: it has no values */
    bool *written;                      /* by index: what it is changes */
    bool few_lists;                     /* else no list is known */
};

/* Start from {0}; clear *method whether or not this succeeds. O(values + operands). */
enum dg_status dg_plan_values_read(struct dg_plan_values *method,
                                   struct dg_store *store, int64_t graph,
                                   struct dg_error *err);
void dg_plan_values_clear(struct dg_plan_values *method);

/* Value `idx`, or UNKNOWN; what it points at lives in `memory`. */
void dg_plan_know(struct dg_known *known, const struct dg_plan_values *method,
                  int64_t idx, struct dg_arena *memory);

#endif
