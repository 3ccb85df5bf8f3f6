/* Indexing where a mask allows it: indices of what it leaves out may be out of range.
 */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/create.h"
#include "kernels/cpu/movement.h"

/* self, mask, indices: those, each within the dimension that it is of. */
struct masked {
    struct dg_tensor *self, *unmasked; /* unmasked: where the mask is false */
    struct dg_arg indices;             /* a list; its tensors are held */
};

static void end(struct masked *masked)
{
    for (size_t i = 0; i < masked->indices.as.list.n_items; i++)
        dg_tensor_drop(masked->indices.as.list.items[i].as.tensor);
    dg_tensor_drop(masked->unmasked);
}

static struct dg_arg clamped(struct dg_call *call, struct dg_tensor *index,
                             int64_t size)
{
    return dg_tensor_arg(
        dg_apply(call, dg_cpu_clamp, dg_tensor_keep(index),
                 DG_REST(dg_integer_arg(-size), dg_integer_arg(size ? size - 1 : 0))));
}

/* Ends with end(), also when it failed. */
static enum dg_status begin(struct dg_call *call, struct masked *masked)
{
    struct dg_tensor *mask = dg_need_tensor(call, 1), **indices;
    size_t n;

    *masked = (struct masked){.self = dg_need_tensor(call, 0)};
    if (!masked->self || !mask)
        return call->err->status;
    indices = dg_arg_tensors(call, 2, &n);
    if (n > (size_t)masked->self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "too many indices for a tensor of rank %d",
                            masked->self->rank);
    masked->indices.kind = DG_ARG_LIST;
    masked->indices.as.list.items = dg_scratch(call, (int64_t)n, sizeof(struct dg_arg));
    if (!masked->indices.as.list.items)
        return call->err->status;
    for (size_t i = 0; i < n; i++) {
        struct dg_arg *item = &masked->indices.as.list.items[i];

        masked->indices.as.list.n_items = i + 1;
        if (!indices[i])
            continue;
        if (indices[i]->type != DG_TYPE_I64 && indices[i]->type != DG_TYPE_I32)
            return dg_call_fail(call, DG_ERR_FORMAT, "an index of %s",
                                dg_type_name(indices[i]->type));
        *item = clamped(call, indices[i], masked->self->sizes[i]);
        if (item->kind == DG_ARG_NONE)
            return call->err->status;
    }
    masked->unmasked =
        dg_apply(call, dg_cpu_logical_not, dg_tensor_keep(mask), 0, NULL);
    return masked->unmasked ? DG_OK : call->err->status;
}

/* self, mask, indices, fill */
enum dg_status dg_cpu_masked_index(struct dg_call *call)
{
    struct masked masked;
    enum dg_status status = begin(call, &masked);
    struct dg_tensor *found;

    if (!status) {
        found = dg_apply(call, dg_cpu_index, dg_tensor_keep(masked.self),
                         DG_REST(masked.indices));
        found =
            dg_apply(call, dg_cpu_masked_fill, found,
                     DG_REST(dg_tensor_arg(masked.unmasked), *dg_number_at(call, 3)));
        status = dg_finish(call, found);
    }
    end(&masked);
    return status;
}

/* self, mask, indices, values */
enum dg_status dg_cpu_masked_index_put(struct dg_call *call)
{
    struct masked masked;
    enum dg_status status = begin(call, &masked);
    struct dg_tensor *values = dg_arg_tensor(call, 3);

    if (!status) {
        values = dg_apply(call, dg_cpu_masked_fill, dg_tensor_keep(values),
                          DG_REST(dg_tensor_arg(masked.unmasked), dg_integer_arg(0)));
        status = dg_finish(
            call,
            values ? dg_apply(call, dg_cpu_index_put, dg_tensor_keep(masked.self),
                              DG_REST(masked.indices, dg_tensor_arg(values),
                                      (struct dg_arg){DG_ARG_BOOL, .as.integer = true}))
                   : NULL);
        dg_tensor_drop(values);
    }
    end(&masked);
    return status;
}
