/* Results whose size depends on values: nonzero, masked_select, masked_scatter. */
#include <string.h>

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* `tensor`, broadcast to a shape, as contiguous bytes 0 and 1, and how many are 1; one
 * share, NULL: failed. */
static struct dg_tensor *truths(struct dg_call *call, const struct dg_tensor *tensor,
                                int rank, const int64_t *sizes, int64_t *n_true)
{
    struct dg_tensor *truth =
        dg_tensor_new(call->context->memory, DG_TYPE_BOOL, rank, sizes, call->err);
    struct dg_tensor from;
    const unsigned char *bytes;
    int64_t count;

    if (!truth)
        return NULL;
    from = dg_expanded(tensor, rank, sizes);
    dg_copy_elements(truth, &from, call->context->n_threads);
    bytes = dg_tensor_data(truth);
    count = dg_tensor_count(truth);
    *n_true = 0;
    for (int64_t i = 0; i < count; i++)
        *n_true += bytes[i];
    return truth;
}

/* The coordinates of one element after another. */
static void step(int64_t *at, int rank, const int64_t *sizes)
{
    for (int dim = rank - 1; dim >= 0; dim--) {
        if (++at[dim] < sizes[dim])
            return;
        at[dim] = 0;
    }
}

struct dg_tensor *dg_nonzero(struct dg_call *call, struct dg_tensor *tensor)
{
    int64_t at[DG_RANK_MOST] = {0}, n, *to, count = dg_tensor_count(tensor);
    struct dg_tensor *truth = truths(call, tensor, tensor->rank, tensor->sizes, &n);
    struct dg_tensor *where;
    const unsigned char *bytes;
    size_t row = (size_t)tensor->rank * sizeof(*to);

    if (!truth)
        return NULL;
    where = dg_tensor_new(call->context->memory, DG_TYPE_I64, 2,
                          (const int64_t[]){n, tensor->rank}, call->err);
    if (where) {
        bytes = dg_tensor_data(truth);
        to = dg_tensor_data(where);
        for (int64_t i = 0; i < count; i++) {
            if (bytes[i]) {
                memcpy(to, at, row);
                to += tensor->rank;
            }
            step(at, tensor->rank, tensor->sizes);
        }
    }
    dg_tensor_drop(truth);
    return where;
}

/* aten::nonzero, aten::argwhere. */
enum dg_status dg_cpu_nonzero(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    return self && dg_give(call, 0, dg_nonzero(call, self)) ? DG_OK : call->err->status;
}

/* aten::nonzero_static: self, size, fill_value: exactly `size` rows. */
enum dg_status dg_cpu_nonzero_static(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *where, *out;
    int64_t fill = dg_arg_int(call, 2, -1), size = dg_arg_int(call, 1, 0), rows;

    if (!self)
        return call->err->status;
    out = dg_result(call, 0, DG_TYPE_I64, 2, (const int64_t[]){size, self->rank});
    where = out ? dg_nonzero(call, self) : NULL;
    if (!where)
        return call->err->status;
    dg_fill_elements(out, &fill);
    rows = size < where->sizes[0] ? size : where->sizes[0];
    memcpy(dg_tensor_data(out), dg_tensor_data(where),
           (size_t)(rows * self->rank) * sizeof(fill));
    dg_tensor_drop(where);
    return DG_OK;
}

/* aten::where of a condition alone: a vector of indices for each dimension. */
enum dg_status dg_cpu_where_true(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), shape, *where;
    struct dg_arg *items;

    if (!self)
        return call->err->status;
    shape = dg_as_vector(self);
    where = dg_nonzero(call, &shape);
    if (!where)
        return call->err->status;
    items = dg_give_list(call, shape.rank);
    for (int dim = 0; items && dim < shape.rank; dim++) {
        items[dim].kind = DG_ARG_TENSOR;
        items[dim].as.tensor =
            dg_tensor_view(where, 1, where->sizes, where->strides, dim);
    }
    dg_tensor_drop(where);
    return items ? DG_OK : call->err->status;
}

/* `self` and the mask in their common shape; *n of the mask are true. */
struct masked {
    struct dg_tensor self, *mask;
    int64_t n;
};

static enum dg_status open_masked(struct dg_call *call, struct masked *masked)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *mask = dg_need_tensor(call, 1);
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!self || !mask ||
        dg_broadcast(call, 2, (struct dg_tensor *[]){self, mask}, &rank, sizes))
        return call->err->status;
    if (mask->type != DG_TYPE_BOOL && mask->type != DG_TYPE_U8)
        return dg_call_fail(call, DG_ERR_FORMAT, "a mask of %s; bool is needed",
                            dg_type_name(mask->type));
    masked->mask = truths(call, mask, rank, sizes, &masked->n);
    masked->self = dg_expanded(self, rank, sizes);
    return masked->mask ? DG_OK : call->err->status;
}

/* aten::masked_select: self, mask. */
enum dg_status dg_cpu_masked_select(struct dg_call *call)
{
    struct masked masked;
    struct dg_tensor *whole, *out;

    if (open_masked(call, &masked))
        return call->err->status;
    out = dg_result(call, 0, masked.self.type, 1, &masked.n);
    whole = out ? dg_tensor_new(call->context->memory, masked.self.type,
                                masked.self.rank, masked.self.sizes, call->err)
                : NULL;
    if (whole) {
        size_t bytes = dg_type_bytes(out->type);
        const unsigned char *mask = dg_tensor_data(masked.mask);
        const char *from = dg_tensor_data(whole);
        char *to = dg_tensor_data(out);
        int64_t count = dg_tensor_count(whole);

        dg_move_elements(whole, &masked.self, call->context->n_threads);
        for (int64_t i = 0; i < count; i++) {
            if (!mask[i])
                continue;
            memcpy(to, from + (size_t)i * bytes, bytes);
            to += bytes;
        }
    }
    dg_tensor_drop(masked.mask);
    dg_tensor_drop(whole);
    return whole ? DG_OK : call->err->status;
}

static void put_where_true(struct dg_tensor *out, const struct dg_tensor *mask,
                           const struct dg_tensor *source)
{
    size_t bytes = dg_type_bytes(out->type);
    const unsigned char *truth = dg_tensor_data(mask);
    const char *from = dg_tensor_data(source);
    char *to = dg_tensor_data(out);
    int64_t count = dg_tensor_count(out);

    for (int64_t i = 0; i < count; i++) {
        if (!truth[i])
            continue;
        memcpy(to + (size_t)i * bytes, from, bytes);
        from += bytes;
    }
}

/* aten::masked_scatter: self, mask, source: values of the source, in order. */
enum dg_status dg_cpu_masked_scatter(struct dg_call *call)
{
    struct dg_tensor *source = dg_need_tensor(call, 2), *flat = NULL, *out;
    struct masked masked;
    enum dg_status status = DG_OK;

    if (!source || open_masked(call, &masked))
        return call->err->status;
    if (source->type != masked.self.type)
        status =
            dg_call_fail(call, DG_ERR_FORMAT, "values of %s go into %s",
                         dg_type_name(source->type), dg_type_name(masked.self.type));
    else if (dg_tensor_count(source) < masked.n)
        status = dg_call_fail(call, DG_ERR_FORMAT, "%lld values for %lld places",
                              (long long)dg_tensor_count(source), (long long)masked.n);
    if (!status) {
        out = dg_result_copy(call, &masked.self);
        flat = out ? dg_flattened(call, source) : NULL;
        if (flat)
            put_where_true(out, masked.mask, flat);
        else
            status = call->err->status;
    }
    dg_tensor_drop(masked.mask);
    dg_tensor_drop(flat);
    return status;
}
