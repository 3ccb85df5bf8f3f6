/* embedding, gather, scatter, and dimensions that are indexed one at a time. */
#include "kernels/cuda/indexed.cuh"

extern "C" {
#include "kernels/cpu/indexing.h"
}

static enum dg_status no_tensor(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
}

/* (weight, indices) */
enum dg_status dg_cuda_embedding(struct dg_call *call)
{
    struct dg_tensor *weight = dg_arg_tensor(call, 0), *index = dg_arg_tensor(call, 1);
    struct dg_tensor *out;
    struct indexed of = {};
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!weight || !index || weight->rank != 2 || index->rank >= DG_RANK_MOST)
        return no_tensor(call);
    if (add_index(call, &of, weight, 0, index))
        return call->err->status;
    rank = index->rank + 1;
    for (int d = 0; d < index->rank; d++)
        sizes[d] = index->sizes[d];
    sizes[rank - 1] = weight->sizes[1];
    out = dg_result(call, 0, weight->type, rank, sizes);
    if (!out)
        return call->err->status;
    of.whole = spread(weight, rank, sizes);
    of.whole.strides[rank - 1] = weight->strides[1];
    of.index[0] = spread(of.held[0], rank, sizes);
    for (int d = 0; d < index->rank; d++)
        of.index[0].strides[d] = of.held[0]->strides[d];
    return read_indexed(call, out, &of);
}

/* `self` along the dimension of argument 1 by an index tensor of as many dimensions: of
 * its shape are the elements chosen. `values` are put there; NULL: they are read. */
static enum dg_status choose_along(struct dg_call *call, struct indexed *of,
                                   const struct dg_tensor *self,
                                   struct dg_tensor *index,
                                   const struct dg_tensor *values)
{
    int dim;

    if (!dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim) ||
        !dg_indices_fit(call, index, self, dim, values) ||
        add_index(call, of, self, dim, index))
        return call->err->status;
    of->whole = spread(self, index->rank, index->sizes);
    of->index[0] = *of->held[0];
    for (int d = 0; d < index->rank && d < self->rank; d++) {
        if (d != dim)
            of->whole.strides[d] = self->strides[d];
    }
    return DG_OK;
}

static bool same_rank(const struct dg_tensor *a, const struct dg_tensor *b)
{
    return (a->rank ? a->rank : 1) == (b->rank ? b->rank : 1);
}

/* (self, dim, index) */
enum dg_status dg_cuda_gather(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *index = dg_arg_tensor(call, 2);
    struct dg_tensor *out;
    struct indexed of = {};

    if (!self || !index || !same_rank(self, index))
        return no_tensor(call);
    out = dg_result(call, 0, self->type, index->rank, index->sizes);
    if (!out || choose_along(call, &of, self, index, NULL))
        return call->err->status;
    return read_indexed(call, out, &of);
}

/* The result starts as `self`. */
static struct dg_tensor *result_copy(struct dg_call *call, const struct dg_tensor *self)
{
    struct dg_tensor *out = dg_result(call, 0, self->type, self->rank, self->sizes);

    return out && !copy_elements(call, out, self) ? out : NULL;
}

/* The chosen elements become `values`, or are merged with them. */
static enum dg_status put(struct dg_call *call, const struct indexed *to,
                          const struct dg_tensor *values, const struct merging *merging)
{
    return merging ? merge_indexed(call, to, values, merging)
                   : write_indexed(call, to, values);
}

/* (self, dim, index, src) */
static enum dg_status scatter(struct dg_call *call, const struct merging *merging)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *index = dg_arg_tensor(call, 2);
    const struct dg_tensor *source = dg_arg_tensor(call, 3);
    struct dg_tensor *out, values;
    struct indexed of = {};

    if (!self || !index || !source || !same_rank(self, index) ||
        !same_rank(source, index) || source->type != self->type)
        return no_tensor(call);
    out = result_copy(call, self);
    if (!out || choose_along(call, &of, out, index, source))
        return call->err->status;
    values = spread(source, index->rank, index->sizes);
    for (int d = 0; d < index->rank && d < source->rank; d++)
        values.strides[d] = source->strides[d];
    return put(call, &of, &values, merging);
}

/* One element of a number. */
static struct dg_tensor *element_of(struct dg_call *call, enum dg_type type, size_t arg)
{
    struct dg_tensor *one =
        dg_tensor_new(call->context->memory, type, 0, NULL, call->err);

    if (one &&
        fill_elements(call, one, dg_arg_real(call, arg, 0), dg_arg_int(call, arg, 0))) {
        dg_tensor_drop(one);
        return NULL;
    }
    return one;
}

/* (self, dim, index, value) */
static enum dg_status scatter_value(struct dg_call *call, const struct merging *merging)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *index = dg_arg_tensor(call, 2);
    struct dg_tensor *out, *value, values;
    struct indexed of = {};
    enum dg_status status;

    if (!self || !index || !same_rank(self, index))
        return no_tensor(call);
    out = result_copy(call, self);
    if (!out || choose_along(call, &of, out, index, NULL))
        return call->err->status;
    value = element_of(call, out->type, 3);
    if (!value)
        return call->err->status;
    values = spread(value, index->rank, index->sizes);
    status = put(call, &of, &values, merging);
    dg_tensor_drop(value);
    return status;
}

enum dg_status dg_cuda_scatter(struct dg_call *call)
{
    return scatter(call, NULL);
}

enum dg_status dg_cuda_scatter_value(struct dg_call *call)
{
    return scatter_value(call, NULL);
}

enum dg_status dg_cuda_scatter_add(struct dg_call *call)
{
    const struct merging merging = {MERGE_SUM, true, 1};

    return scatter(call, &merging);
}

/* ..., reduce */
enum dg_status dg_cuda_scatter_merge(struct dg_call *call)
{
    struct merging merging = {MERGE_SUM, true, 1};

    return read_merge(call, 4, &merging.how) ? scatter(call, &merging)
                                             : call->err->status;
}

enum dg_status dg_cuda_scatter_value_merge(struct dg_call *call)
{
    struct merging merging = {MERGE_SUM, true, 1};

    return read_merge(call, 4, &merging.how) ? scatter_value(call, &merging)
                                             : call->err->status;
}

/* ..., reduce, include_self */
enum dg_status dg_cuda_scatter_reduce(struct dg_call *call)
{
    struct merging merging = {MERGE_SUM, dg_arg_bool(call, 5, true), 1};

    return read_merge(call, 4, &merging.how) ? scatter(call, &merging)
                                             : call->err->status;
}

/* Slices of `self` along `dim` by a vector of indices, in the shape `like` of them. */
static enum dg_status choose_slices(struct dg_call *call, struct indexed *of,
                                    const struct dg_tensor *self, int dim,
                                    struct dg_tensor *index, int rank,
                                    const int64_t *sizes)
{
    if (index->rank > 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an index of rank %d for one dimension", index->rank);
    if (add_index(call, of, self, dim, index))
        return call->err->status;
    of->whole = spread(self, rank, sizes);
    of->index[0] = spread(of->held[0], rank, sizes);
    for (int d = 0; d < rank && d < self->rank; d++) {
        if (d == dim)
            of->index[0].strides[d] = index->rank ? of->held[0]->strides[0] : 0;
        else
            of->whole.strides[d] = self->strides[d];
    }
    return DG_OK;
}

/* (self, dim, index) */
enum dg_status dg_cuda_index_select(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *index = dg_arg_tensor(call, 2);
    struct dg_tensor shape, *out;
    struct indexed of = {};
    int dim;

    if (!self || !index)
        return no_tensor(call);
    if (!dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    shape = *self;
    if (self->rank)
        shape.sizes[dim] = dg_tensor_count(index);
    out = dg_result(call, 0, self->type, shape.rank, shape.sizes);
    if (!out || choose_slices(call, &of, self, dim, index, shape.rank, shape.sizes))
        return call->err->status;
    return read_indexed(call, out, &of);
}

/* (self, dim, index, source) */
static enum dg_status put_slices(struct dg_call *call, const struct merging *merging)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *index = dg_arg_tensor(call, 2);
    const struct dg_tensor *source = dg_arg_tensor(call, 3);
    struct indexed of = {};
    struct dg_tensor *out;
    int dim;

    if (!self || !index || !source || !self->rank || source->rank != self->rank ||
        source->type != self->type)
        return no_tensor(call);
    if (!dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    for (int d = 0; d < self->rank; d++) {
        int64_t size = d == dim ? dg_tensor_count(index) : self->sizes[d];

        if (source->sizes[d] != size)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a source of size %lld for %lld in dimension %d",
                                (long long)source->sizes[d], (long long)size, d);
    }
    out = result_copy(call, self);
    if (!out || choose_slices(call, &of, out, dim, index, source->rank, source->sizes))
        return call->err->status;
    return put(call, &of, source, merging);
}

enum dg_status dg_cuda_index_copy(struct dg_call *call)
{
    return put_slices(call, NULL);
}

/* ..., alpha */
enum dg_status dg_cuda_index_add(struct dg_call *call)
{
    const struct merging merging = {MERGE_SUM, true, dg_arg_real(call, 4, 1)};

    return put_slices(call, &merging);
}

/* ..., reduce, include_self */
enum dg_status dg_cuda_index_reduce(struct dg_call *call)
{
    struct merging merging = {MERGE_SUM, dg_arg_bool(call, 5, true), 1};

    return read_merge(call, 4, &merging.how) ? put_slices(call, &merging)
                                             : call->err->status;
}

/* (self, dim, index, value): every slice that the vector names becomes one number */
enum dg_status dg_cuda_index_fill(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *index = dg_arg_tensor(call, 2);
    struct dg_tensor *given = dg_arg_tensor(call, 3), shape, *out, *value, values;
    struct indexed of = {};
    enum dg_status status;
    int dim;

    if (!self || !index)
        return no_tensor(call);
    if (given && given->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a value of rank %d; 0 is needed",
                            given->rank);
    if (!dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    shape = *self;
    if (self->rank)
        shape.sizes[dim] = dg_tensor_count(index);
    of.wraps = true;
    out = result_copy(call, self);
    if (!out || choose_slices(call, &of, out, dim, index, shape.rank, shape.sizes))
        return call->err->status;
    value = given ? converted(call, given, out->type) : element_of(call, out->type, 3);
    if (!value)
        return call->err->status;
    values = spread(value, shape.rank, shape.sizes);
    status = write_indexed(call, &of, &values);
    dg_tensor_drop(value);
    return status;
}
