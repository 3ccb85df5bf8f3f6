/* Sizes of what is computed element by element, of sums, and of what is made anew. */
#include <math.h>
#include <string.h>

#include "graph/infer_parts.h"

enum dg_inferred dg_infer_same(struct dg_infer_call *call)
{
    return dg_infer_like(call, dg_infer_tensor(call, NULL));
}

/* Dimensions that must be there, each once. */
enum dg_inferred dg_infer_flip(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    unsigned dims;

    if (self && dg_infer_dims(call, "dims", self->rank, &dims) == DG_INFER_REFUSED)
        return DG_INFER_REFUSED;
    return dg_infer_like(call, self);
}

/* A dimension may be turned twice. */
enum dg_inferred dg_infer_roll(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dims[DG_RANK_MOST];
    int n = dg_infer_ints(call, "dims", dims), at;

    for (int i = 0; self && i < n; i++) {
        if (!dg_infer_dim(call, "dim", dims[i], self->rank, &at))
            return DG_INFER_REFUSED;
    }
    return dg_infer_like(call, self);
}

enum dg_inferred dg_infer_nothing(struct dg_infer_call *call)
{
    return DG_INFER_NOTHING;
}

enum dg_inferred dg_infer_scalar(struct dg_infer_call *call)
{
    call->rank = 0;
    return DG_INFER_SIZES;
}

/* One operand more; false: it does not go with those before. */
static bool widen(struct dg_infer_call *call, const struct dg_known_tensor *tensor)
{
    int more = tensor->rank - call->rank;

    for (int i = call->rank; more > 0 && i-- > 0;)
        call->sizes[i + more] = call->sizes[i];
    for (int i = 0; i < more; i++)
        call->sizes[i] = 1;
    call->rank = more > 0 ? tensor->rank : call->rank;
    for (int i = 0; i < tensor->rank; i++) {
        int64_t *size = &call->sizes[call->rank - tensor->rank + i];

        if (*size != 1 && tensor->sizes[i] != 1 && *size != tensor->sizes[i])
            return false;
        *size = *size == 1 ? tensor->sizes[i] : *size;
    }
    return true;
}

enum dg_inferred dg_infer_broadcast(struct dg_infer_call *call)
{
    enum dg_inferred inferred = DG_INFER_SIZES;
    bool goes = true;

    call->rank = 0;
    for (size_t i = 0; i < call->op->n_inputs; i++) {
        const struct dg_known *known = &call->args[i];

        if (known->kind == DG_ARG_UNKNOWN)
            return DG_INFER_NOTHING;
        if (known->kind != DG_ARG_TENSOR)
            continue;
        goes = widen(call, known->as.tensor) && goes;
        if (known->as.tensor->bounded)
            inferred = DG_INFER_RANK;
    }
    return inferred == DG_INFER_SIZES && !goes ? dg_infer_refuse(call) : inferred;
}

/* The second operand is written over the first, or over a copy of it. */
enum dg_inferred dg_infer_copy(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    const struct dg_known_tensor *src = dg_infer_tensor(call, "src");

    if (self && src && src->rank > self->rank)
        return dg_infer_refuse(call);
    for (int i = 0; self && src && i < src->rank; i++) {
        int at = self->rank - src->rank + i;

        if (src->sizes[i] != 1 && dg_infer_differ(src, i, self, at))
            return dg_infer_refuse(call);
    }
    return dg_infer_like(call, self);
}

/* A dimension that must be there, and nothing else. */
enum dg_inferred dg_infer_along_dim(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dim;
    int at;

    if (self && dg_infer_int(call, "dim", 0, &dim) &&
        !dg_infer_dim(call, "dim", dim, self->rank, &at))
        return DG_INFER_REFUSED;
    return dg_infer_like(call, self);
}

/* The runtime counts from the first dimension only, and aborts else. */
enum dg_inferred dg_infer_size_of(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dim;

    if (!self || !dg_infer_int(call, "dim", 0, &dim) || (dim >= 0 && dim < self->rank))
        return DG_INFER_NOTHING;
    dg_print(call->why, "refuses dim %lld of %d dimensions", (long long)dim,
             self->rank);
    return DG_INFER_REFUSED;
}

/* Of integers; dividing by 0 ends the process. A Scalar may be a float, too, unless
 * only integers have a remainder. */
enum dg_inferred dg_infer_divide(struct dg_infer_call *call)
{
    const struct dg_known *dividend = dg_infer_arg(call, "a");
    int64_t divisor;

    if (!dg_infer_int(call, "b", 1, &divisor) || divisor ||
        (dividend->kind != DG_ARG_INT && !strcmp(call->op->args[0].type, "Scalar")))
        return DG_INFER_NOTHING;
    dg_print(call->why, "divides by 0");
    return DG_INFER_REFUSED;
}

enum dg_inferred dg_infer_reduce(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t keep;
    unsigned dims;
    enum dg_inferred inferred;

    if (!self || !dg_infer_int(call, "keepdim", 0, &keep))
        return DG_INFER_NOTHING;
    inferred = dg_infer_dims(call, "dim", self->rank, &dims);
    if (inferred != DG_INFER_SIZES)
        return inferred;
    if (!dims) /* none is named: all are summed over */
        dims = (1u << self->rank) - 1;
    call->rank = 0;
    for (int i = 0; i < self->rank; i++) {
        bool gone = dims >> i & 1;

        if (!gone || keep)
            call->sizes[call->rank++] = gone ? 1 : self->sizes[i];
    }
    return dg_infer_exact(self);
}

/* The same, but an empty list is a list: of nothing to go over. */
enum dg_inferred dg_infer_reduce_some(struct dg_infer_call *call)
{
    const struct dg_known *dims = dg_infer_arg(call, "dim");

    if (dims && dims->kind == DG_ARG_LIST && !dims->as.list.n_items)
        return dg_infer_like(call, dg_infer_tensor(call, NULL));
    return dg_infer_reduce(call);
}

enum dg_inferred dg_infer_size(struct dg_infer_call *call)
{
    call->rank = dg_infer_ints(call, "size", call->sizes);
    return call->rank < 0 ? DG_INFER_NOTHING : DG_INFER_SIZES;
}

/* Any number as a real one. */
static bool real(const struct dg_infer_call *call, const char *name, double otherwise,
                 double *value)
{
    const struct dg_known *known = dg_infer_arg(call, name);

    *value = otherwise;
    if (known && known->kind == DG_ARG_FLOAT)
        *value = known->as.real;
    else if (known && known->kind == DG_ARG_INT)
        *value = (double)known->as.integer;
    else
        return !known;
    return true;
}

/* Kernels take no bool for the ends of a range. */
static bool is_truth(const struct dg_infer_call *call, const char *name)
{
    const struct dg_known *known = dg_infer_arg(call, name);

    return known && known->kind == DG_ARG_BOOL;
}

enum dg_inferred dg_infer_arange(struct dg_infer_call *call)
{
    double start, end, step, n;

    if (is_truth(call, "start") || is_truth(call, "end") || is_truth(call, "step")) {
        dg_print(call->why, "refuses a bool in a range");
        return DG_INFER_REFUSED;
    }
    if (!real(call, "start", 0, &start) || !real(call, "end", 0, &end) ||
        !real(call, "step", 1, &step))
        return DG_INFER_NOTHING;
    n = step != 0 ? ceil((end - start) / step) : -1;
    if (!(n >= 0)) {
        dg_print(call->why, "refuses a range from %g to %g by %g", start, end, step);
        return DG_INFER_REFUSED;
    }
    call->rank = 1;
    call->sizes[0] = n < 1e15 ? (int64_t)n : INT64_MAX;
    return DG_INFER_SIZES;
}

/* As many rows as there are elements that are not zero. */
enum dg_inferred dg_infer_nonzero(struct dg_infer_call *call)
{
    call->rank = 2;
    return DG_INFER_RANK;
}

enum dg_inferred dg_infer_glu(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    enum dg_inferred inferred = dg_infer_like(call, self);
    int64_t dim;
    int at;

    if (!self || !dg_infer_int(call, "dim", -1, &dim))
        return DG_INFER_NOTHING;
    if (!dg_infer_dim(call, "dim", dim, self->rank, &at) || !self->rank)
        return DG_INFER_REFUSED;
    if (!self->bounded && self->sizes[at] % 2)
        return dg_infer_refuse(call);
    call->sizes[at] /= 2;
    return inferred == DG_INFER_SIZES ? inferred : DG_INFER_RANK;
}
