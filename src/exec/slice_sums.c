/* How many terms the sums of a step have. */
#include <math.h>

#include "exec/slice_parts.h"

/* k of [m,k] times [k,n], and what is left of a sum: n of n to 1. */
int64_t dg_slice_terms(const struct dg_slice_step *before, double results)
{
    double most = before->sizes[0], n = most;

    if (results > 0 && before->sizes[1] > 1)
        n = sqrt(most / results * before->sizes[1]);
    else if (results > 0)
        n = most / results;
    return (int64_t)fmin(fmax(fmin(n, most), 1), 1e15);
}

/* Processors with arithmetic of f16 add up a row of softmax in it. */
int64_t dg_slice_half_sum(const struct dg_step *step, const struct dg_machine *machine)
{
    static const char *const names[] = {"xnnpack::Softmax", NULL};
    const struct dg_arg *result =
        step->n_results ? &machine->slots[step->results[0]] : NULL;

    if (!step->kernel || !dg_step_is_one_of(step, names) ||
        result->kind != DG_ARG_TENSOR || result->as.tensor->type != DG_TYPE_F16 ||
        !result->as.tensor->rank)
        return 0;
    return result->as.tensor->sizes[result->as.tensor->rank - 1];
}
