/* What a step reads, and how many terms its sums have. */
#include <math.h>

#include "exec/slice_parts.h"

#include "exec/ulp.h"

enum dg_type dg_narrower(enum dg_type a, enum dg_type b)
{
    int bits_a = dg_fraction_bits(a), bits_b = dg_fraction_bits(b);

    return bits_b >= 0 && (bits_a < 0 || bits_b < bits_a) ? b : a;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void see_matrix(struct dg_slice_contents *seen, const struct dg_tensor *tensor)
{
    int64_t rows = tensor->rank < 2 ? 0 : tensor->sizes[tensor->rank - 2];
    int64_t side = tensor->rank < 2 ? 0 : tensor->sizes[tensor->rank - 1];

    seen->side = larger(seen->side, rows < side ? rows : side);
    for (int dim = 0; dim < tensor->rank; dim++)
        seen->line = larger(seen->line, tensor->sizes[dim]);
    if (tensor->rank && tensor->sizes[0])
        seen->line = larger(seen->line, dg_tensor_count(tensor) / tensor->sizes[0]);
}

static void see_tensor(struct dg_slice_contents *seen, const struct dg_tensor *tensor)
{
    double size = (double)dg_tensor_count(tensor);

    enum dg_type part = dg_type_part(tensor->type);

    seen->complex = seen->complex || part != tensor->type;
    if (dg_fraction_bits(part) >= 0) {
        seen->floats = true;
        seen->narrowest = dg_narrower(seen->narrowest, part);
        see_matrix(seen, tensor);
    }
    seen->total += size;
    if (size > seen->sizes[0]) {
        seen->sizes[1] = seen->sizes[0];
        seen->sizes[0] = size;
    } else if (size > seen->sizes[1]) {
        seen->sizes[1] = size;
    }
}

void dg_slice_see(struct dg_slice_contents *seen, const struct dg_arg *value)
{
    if (value->kind == DG_ARG_TENSOR)
        see_tensor(seen, value->as.tensor);
    seen->floats = seen->floats || value->kind == DG_ARG_FLOAT;
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        if (value->as.list.items[i].kind == DG_ARG_TENSOR)
            see_tensor(seen, value->as.list.items[i].as.tensor);
    }
}

/* k of [m,k] times [k,n], and what is left of a sum: n of n to 1. A softmax of f64,
 * whose bound these terms are, sums a row: along a dimension, or all but the first. */
int64_t dg_slice_terms(const struct dg_slice_step *before,
                       const struct dg_slice_contents *results)
{
    double most = before->sizes[0], n = most, given = results->total;

    if (results->narrowest == DG_TYPE_F64 && before->sizes[1] <= 1 && given >= most)
        return before->line;
    if (given > 0 && before->sizes[1] > 1)
        n = sqrt(most / given * before->sizes[1]);
    else if (given > 0)
        n = most / given;
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
