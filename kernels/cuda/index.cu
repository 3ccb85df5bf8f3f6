/* index and index_put: several dimensions indexed at once. */
#include "kernels/cuda/indexed.cuh"

extern "C" {
#include "kernels/cpu/walk.h"
}

/* The indices of a call: which dimensions they stand for, and their common shape. */
struct index_list {
    struct dg_tensor *tensors[DG_RANK_MOST]; /* NULL: the dimension stays */
    int first, n_between; /* the first indexed one; others that follow it apart */
    int rank;
    int64_t sizes[DG_RANK_MOST];
};

static enum dg_status take_list(struct dg_call *call, struct index_list *list,
                                const struct dg_tensor *self)
{
    const struct dg_arg *arg = call->n_args > 1 ? &call->args[1] : NULL;
    int last = -1;

    list->first = -1;
    if (!self || !arg || arg->kind != DG_ARG_LIST ||
        arg->as.list.n_items > (size_t)self->rank)
        return dg_call_fail(call, DG_ERR_DEVICE, "indices that are no list");
    for (int d = 0; d < (int)arg->as.list.n_items; d++) {
        const struct dg_arg *item = &arg->as.list.items[d];

        if (item->kind != DG_ARG_TENSOR)
            continue;
        list->tensors[d] = item->as.tensor;
        if (list->first < 0)
            list->first = d;
        else
            list->n_between += d - last - 1;
        last = d;
    }
    if (list->first < 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "no index is given");
    return dg_broadcast(call, DG_RANK_MOST, list->tensors, &list->rank, list->sizes);
}

/* What indexes `self`, in the shape of the result: the list stands from dimension `at`
 * on. */
static enum dg_status add_indices(struct dg_call *call, struct indexed *of,
                                  const struct dg_tensor *self,
                                  const struct index_list *list, int at)
{
    for (int d = 0; d < self->rank; d++) {
        struct dg_tensor *index = list->tensors[d], *spread_out;

        if (!index)
            continue;
        if (add_index(call, of, self, d, index))
            return call->err->status;
        spread_out = &of->index[of->n - 1];
        *spread_out = spread(of->held[of->n - 1], of->whole.rank, of->whole.sizes);
        for (int i = 0; i < index->rank; i++) {
            if (index->sizes[i] != 1)
                spread_out->strides[at + list->rank - index->rank + i] =
                    of->held[of->n - 1]->strides[i];
        }
    }
    return DG_OK;
}

/* Elements of `self` that the list chooses: the shape of the indices stands where the
 * first indexed dimension was, or in front when the indexed ones are apart. */
static enum dg_status choose(struct dg_call *call, struct indexed *of,
                             const struct dg_tensor *self,
                             const struct index_list *list)
{
    int at = list->n_between ? 0 : list->first, rank = 0, n = 0;
    int64_t sizes[2 * DG_RANK_MOST] = {}, strides[2 * DG_RANK_MOST] = {};

    for (int d = 0; d <= self->rank; d++) {
        for (int i = 0; rank == at && i < list->rank && !n; i++) {
            sizes[rank + i] = list->sizes[i];
            strides[rank + i] = 0;
        }
        if (rank == at && !n) {
            n = 1;
            rank += list->rank;
        }
        if (d < self->rank && !list->tensors[d]) {
            sizes[rank] = self->sizes[d];
            strides[rank++] = self->strides[d];
        }
    }
    if (rank > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "a result of rank %d", rank);
    of->wraps = true;
    of->whole = spread(self, rank, sizes);
    for (int d = 0; d < rank; d++)
        of->whole.strides[d] = strides[d];
    return add_indices(call, of, self, list, at);
}

/* (self, indices) */
enum dg_status dg_cuda_index(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct index_list list = {};
    struct indexed of = {};
    struct dg_tensor *out;

    if (take_list(call, &list, self) || choose(call, &of, self, &list))
        return call->err->status;
    out = dg_result(call, 0, self->type, of.whole.rank, of.whole.sizes);
    return out ? read_indexed(call, out, &of) : call->err->status;
}

/* (self, indices, values, accumulate) */
enum dg_status dg_cuda_index_put(struct dg_call *call)
{
    const struct merging adding = {MERGE_SUM, true, 1};
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *values = dg_arg_tensor(call, 2), *out, *tensors[2];
    struct index_list list = {};
    struct indexed of = {};
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!values || (self && self->type != values->type))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "values are converted on the host only");
    if (take_list(call, &list, self))
        return call->err->status;
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    if (!out || copy_elements(call, out, self) || choose(call, &of, out, &list))
        return call->err->status;
    tensors[0] = &of.whole;
    tensors[1] = values;
    if (dg_broadcast(call, 2, tensors, &rank, sizes))
        return call->err->status;
    for (int d = 0; d < rank; d++) {
        if (rank != of.whole.rank || sizes[d] != of.whole.sizes[d])
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "values do not broadcast to what is indexed");
    }
    return dg_arg_bool(call, 3, false) ? merge_indexed(call, &of, values, &adding)
                                       : write_indexed(call, &of, values);
}
