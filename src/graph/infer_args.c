/* Arguments of a call for the functions that infer sizes. */
#include <string.h>

#include "graph/infer_parts.h"

/* The first argument that the schema calls a tensor: a number comes before it in
 * pow.Scalar. What is behind an argument that is not known is no stand-in for it. */
static const struct dg_known *first_tensor(const struct dg_infer_call *call)
{
    for (size_t i = 0; i < call->op->n_inputs; i++) {
        if (!strcmp(call->op->args[i].type, "Tensor"))
            return &call->args[i];
    }
    return NULL;
}

const struct dg_known_tensor *dg_infer_tensor(const struct dg_infer_call *call,
                                              const char *name)
{
    const struct dg_known *known = name ? dg_infer_arg(call, name) : first_tensor(call);

    return known && known->kind == DG_ARG_TENSOR ? known->as.tensor : NULL;
}

bool dg_infer_int(const struct dg_infer_call *call, const char *name, int64_t otherwise,
                  int64_t *value)
{
    const struct dg_known *known = dg_infer_arg(call, name);

    *value = otherwise;
    if (!known || known->kind == DG_ARG_NONE)
        return true;
    if (known->kind != DG_ARG_INT && known->kind != DG_ARG_BOOL)
        return false;
    *value = known->as.integer;
    return true;
}

int dg_infer_ints(const struct dg_infer_call *call, const char *name, int64_t *values)
{
    const struct dg_known *known = dg_infer_arg(call, name);
    int n = 0;

    if (!known || known->kind == DG_ARG_NONE)
        return 0;
    if (known->kind == DG_ARG_INT) {
        *values = known->as.integer;
        return 1;
    }
    if (known->kind != DG_ARG_LIST || known->as.list.n_items > DG_RANK_MOST)
        return -1;
    for (size_t i = 0; i < known->as.list.n_items; i++) {
        if (known->as.list.items[i].kind != DG_ARG_INT)
            return -1;
        values[n++] = known->as.list.items[i].as.integer;
    }
    return n;
}

enum dg_inferred dg_infer_exact(const struct dg_known_tensor *tensor)
{
    return tensor->bounded ? DG_INFER_RANK : DG_INFER_SIZES;
}

enum dg_inferred dg_infer_like(struct dg_infer_call *call,
                               const struct dg_known_tensor *tensor)
{
    if (!tensor)
        return DG_INFER_NOTHING;
    call->rank = tensor->rank;
    for (int i = 0; i < tensor->rank; i++)
        call->sizes[i] = tensor->sizes[i];
    return tensor->bounded ? DG_INFER_BOUND : DG_INFER_SIZES;
}

bool dg_infer_dim(const struct dg_infer_call *call, const char *name, int64_t dim,
                  int rank, int *result)
{
    int64_t room = rank ? rank : 1;

    if (dim < -room || dim >= room) {
        dg_print(call->why, "refuses %s %lld of %d dimensions", name, (long long)dim,
                 rank);
        return false;
    }
    *result = (int)(dim < 0 ? dim + room : dim);
    return true;
}

enum dg_inferred dg_infer_dims(const struct dg_infer_call *call, const char *name,
                               int rank, unsigned *dims)
{
    int64_t values[DG_RANK_MOST];
    int n = dg_infer_ints(call, name, values), at;

    *dims = 0;
    for (int i = 0; i < n; i++) {
        if (!dg_infer_dim(call, "dim", values[i], rank, &at))
            return DG_INFER_REFUSED;
        if (*dims >> at & 1) {
            dg_print(call->why, "refuses dim %d twice", at);
            return DG_INFER_REFUSED;
        }
        *dims |= 1u << at;
    }
    return n < 0 ? DG_INFER_NOTHING : DG_INFER_SIZES;
}

bool dg_infer_differ(const struct dg_known_tensor *a, int i,
                     const struct dg_known_tensor *b, int k)
{
    return !a->bounded && !b->bounded && a->sizes[i] != b->sizes[k];
}

int64_t dg_infer_count(const struct dg_known_tensor *tensor)
{
    int64_t count = 1;

    for (int i = 0; i < tensor->rank; i++) {
        if (__builtin_mul_overflow(count, tensor->sizes[i], &count))
            return INT64_MAX;
    }
    return count;
}
