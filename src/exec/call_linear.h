/* Steps that are linear in an argument: two evaluations share the exact sums.
 *
 * With a weight that both have, what the wide evaluation gives is what the reference
 * gives before it rounds, and the product of what the argument is besides. That is
 * small as a rule, so that f32 says it to more digits than f64 sums have: a product of
 * f32, half as long, takes the place of one of f64. */
#ifndef DG_EXEC_CALL_LINEAR_H
#define DG_EXEC_CALL_LINEAR_H

#include "exec/call_parts.h"

/* What the reference leaves at such a step, until the wide evaluation takes it or
 * the reference goes on: later steps may write into what this one read. */
struct dg_linear_sums {
    const struct dg_step *step; /* NULL: nothing is left */
    struct dg_arg *args;        /* shares */
    size_t n_args;
    struct dg_tensor *sums; /* the result before it is rounded */
};

/* Run the call, leaving sums or with those that are left; false: it is to be computed
 * as any other. */
bool dg_call_linear(struct dg_running *running);

void dg_linear_sums_clear(struct dg_linear_sums *linear);

#endif
