/* Elements read by index: gather, index_select, take, embedding. */
#include <string.h>

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* Result 0 has the shape of `index`. */
static enum dg_status gather(struct dg_call *call, const struct dg_tensor *self,
                             int64_t dim_arg, struct dg_tensor *index)
{
    struct dg_tensor from = dg_as_vector(self), *checked, *out, at, to;
    int dim;

    if (!dg_dimension(call, dim_arg, self->rank, &dim))
        return call->err->status;
    at = dg_as_vector(index);
    if (!dg_indices_fit(call, &at, &from, dim, NULL))
        return call->err->status;
    out = dg_result(call, 0, self->type, index->rank, index->sizes);
    if (!out || !dg_tensor_count(out))
        return out ? DG_OK : call->err->status;
    checked = dg_checked_indices(call, index, dim, from.sizes[dim], false);
    if (!checked)
        return call->err->status;
    at = dg_as_vector(checked);
    to = dg_as_vector(out);
    dg_gather_along(&to, &from, dim, &at, call->context->n_threads);
    dg_tensor_drop(checked);
    return DG_OK;
}

/* aten::gather: self, dim, index. */
enum dg_status dg_cpu_gather(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *index = dg_need_tensor(call, 2);

    return self && index ? gather(call, self, dg_arg_int(call, 1, 0), index)
                         : call->err->status;
}

static enum dg_status take_flat(struct dg_call *call, struct dg_tensor *self,
                                struct dg_tensor *index, bool wrap)
{
    struct dg_tensor *flat, *checked, *out;

    out = dg_result(call, 0, self->type, index->rank, index->sizes);
    if (!out)
        return call->err->status;
    checked = dg_checked_indices(call, index, 0, dg_tensor_count(self), wrap);
    flat = checked ? dg_flattened(call, self) : NULL;
    if (flat) {
        int64_t count = dg_tensor_count(out);
        struct dg_tensor to = dg_shaped(out, 1, &count, NULL);
        struct dg_tensor at = dg_shaped(checked, 1, &count, NULL);

        dg_gather_along(&to, flat, 0, &at, call->context->n_threads);
    }
    dg_tensor_drop(checked);
    dg_tensor_drop(flat);
    return flat ? DG_OK : call->err->status;
}

/* aten::take: self, index; -1 is the last element. */
enum dg_status dg_cpu_take(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *index = dg_need_tensor(call, 1);

    return self && index ? take_flat(call, self, index, true) : call->err->status;
}

/* The common shape of both but for `dim`, where each keeps its own size. */
static enum dg_status broadcast_others(struct dg_call *call, struct dg_tensor *self,
                                       struct dg_tensor *index, int dim)
{
    int64_t self_size = self->sizes[dim], index_size = index->sizes[dim];
    int64_t sizes[DG_RANK_MOST];
    enum dg_status status;
    int rank;

    self->sizes[dim] = index->sizes[dim] = 1;
    status = dg_broadcast(call, 2, (struct dg_tensor *[]){self, index}, &rank, sizes);
    self->sizes[dim] = self_size;
    index->sizes[dim] = index_size;
    if (status)
        return status;
    sizes[dim] = self_size;
    *self = dg_expanded(self, rank, sizes);
    sizes[dim] = index_size;
    *index = dg_expanded(index, rank, sizes);
    return DG_OK;
}

static enum dg_status take_along_all(struct dg_call *call, struct dg_tensor *self,
                                     struct dg_tensor *index)
{
    struct dg_tensor *flat = dg_flattened(call, index);
    enum dg_status status =
        flat ? take_flat(call, self, flat, false) : call->err->status;

    dg_tensor_drop(flat);
    return status;
}

/* Indices modulo `size`: one share, NULL: failed. */
static struct dg_tensor *around(struct dg_call *call, struct dg_tensor *index,
                                int64_t size)
{
    struct dg_tensor *wrapped = dg_tensor_new(call->context->memory, DG_TYPE_I64,
                                              index->rank, index->sizes, call->err);
    int64_t *values, count;

    if (!wrapped || !size)
        return wrapped;
    dg_copy_elements(wrapped, index, call->context->n_threads);
    values = dg_tensor_data(wrapped);
    count = dg_tensor_count(wrapped);
    for (int64_t i = 0; i < count; i++) {
        values[i] %= size;
        values[i] += values[i] < 0 ? size : 0;
    }
    return wrapped;
}

/* aten::take_along_dim: self, indices, dim. Indices wrap, however large they are.
 * Without dim both count as flat. */
enum dg_status dg_cpu_take_along_dim(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *index = dg_need_tensor(call, 1);
    struct dg_tensor from, at, *wrapped;
    enum dg_status status;
    int dim;

    if (!self || !index)
        return call->err->status;
    if (dg_arg_missing(call, 2))
        return take_along_all(call, self, index);
    if (self->rank != index->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "indices of rank %d for rank %d",
                            index->rank, self->rank);
    from = dg_as_vector(self);
    at = dg_as_vector(index);
    if (!dg_dimension(call, dg_arg_int(call, 2, 0), self->rank, &dim) ||
        broadcast_others(call, &from, &at, dim))
        return call->err->status;
    wrapped = around(call, &at, from.sizes[dim]);
    status = wrapped ? gather(call, &from, dim, wrapped) : call->err->status;
    dg_tensor_drop(wrapped);
    return status;
}

/* `out`, of the type of `self`: that with dimension `dim` replaced by those that a
 * vector names. */
static enum dg_status select_into(struct dg_call *call, const struct dg_tensor *out,
                                  const struct dg_tensor *self, int dim,
                                  struct dg_tensor *index)
{
    struct dg_tensor from = dg_as_vector(self), *checked, at, to;
    int64_t inner[DG_RANK_MOST];

    checked = dg_checked_indices(call, index, dim, from.sizes[dim], false);
    if (!checked)
        return call->err->status;
    memcpy(inner, from.sizes, sizeof(inner));
    inner[dim] = dg_tensor_count(checked);
    to = dg_shaped(out, from.rank, inner, NULL);
    at = dg_shaped(checked, 1, &inner[dim], NULL);
    at = dg_spread_along(&at, dim, from.rank, inner);
    dg_gather_along(&to, &from, dim, &at, call->context->n_threads);
    dg_tensor_drop(checked);
    return DG_OK;
}

/* Result 0 of a wide run, of a table that was not widened: what is read of it is. */
static enum dg_status select_widened(struct dg_call *call, struct dg_tensor *out,
                                     const struct dg_tensor *self, int dim,
                                     struct dg_tensor *index)
{
    struct dg_tensor *narrow = dg_tensor_new(call->context->memory, self->type,
                                             out->rank, out->sizes, call->err);
    enum dg_status status =
        narrow ? select_into(call, narrow, self, dim, index) : call->err->status;

    if (!status)
        dg_copy_elements(out, narrow, call->context->n_threads);
    dg_tensor_drop(narrow);
    return status;
}

static enum dg_status select_indices(struct dg_call *call, const struct dg_tensor *self,
                                     int dim, struct dg_tensor *index, int rank,
                                     const int64_t *sizes)
{
    struct dg_tensor *out = dg_result(call, 0, self->type, rank, sizes);

    if (!out)
        return call->err->status;
    return out->type == self->type ? select_into(call, out, self, dim, index)
                                   : select_widened(call, out, self, dim, index);
}

/* aten::index_select: self, dim, index. */
enum dg_status dg_cpu_index_select(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *index = dg_need_tensor(call, 2);
    int64_t sizes[DG_RANK_MOST];
    int dim;

    if (!self || !index ||
        !dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    if (index->rank > 1 || (!self->rank && dg_tensor_count(index) != 1))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "indices of rank %d and %lld elements for a tensor of rank "
                            "%d; a vector is needed",
                            index->rank, (long long)dg_tensor_count(index), self->rank);
    memcpy(sizes, self->sizes, sizeof(sizes));
    sizes[dim] = dg_tensor_count(index);
    return select_indices(call, self, dim, index, self->rank, sizes);
}

/* aten::embedding: weight, indices. */
enum dg_status dg_cpu_embedding(struct dg_call *call)
{
    struct dg_tensor *weight = dg_need_tensor(call, 0);
    struct dg_tensor *index = dg_need_tensor(call, 1);
    int64_t sizes[DG_RANK_MOST + 1];

    if (!weight || !index)
        return call->err->status;
    if (weight->rank != 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "weights of rank %d; 2 is needed",
                            weight->rank);
    memcpy(sizes, index->sizes, sizeof(index->sizes));
    sizes[index->rank] = weight->sizes[1];
    return select_indices(call, weight, 0, index, index->rank + 1, sizes);
}

/* How many numbers below n there are when each comes as often as `repeats` says, alone
 * for all of them, or one by one; -1: none can come so often. */
static int64_t count_repeats(struct dg_call *call, const struct dg_tensor *repeats,
                             int64_t n)
{
    bool alone = !repeats->rank || repeats->sizes[0] == 1;
    int64_t total = 0;

    for (int64_t i = 0; i < (alone ? n > 0 : n); i++) {
        int64_t times = dg_get_i64(repeats, alone ? 0 : i * repeats->strides[0]);
        int64_t all = times;

        if (times < 0 || (alone && __builtin_mul_overflow(n, times, &all)) ||
            __builtin_add_overflow(total, all, &total)) {
            dg_call_fail(call, DG_ERR_FORMAT, "element %lld repeated %lld times",
                         (long long)i, (long long)times);
            return -1;
        }
    }
    return total;
}

/* Those numbers; NULL: failed. */
static struct dg_tensor *repeated_numbers(struct dg_call *call,
                                          const struct dg_tensor *repeats, int64_t n)
{
    int64_t total = count_repeats(call, repeats, n), *to;
    bool alone = !repeats->rank || repeats->sizes[0] == 1;
    struct dg_tensor *numbers =
        total < 0
            ? NULL
            : dg_tensor_new(call->context->memory, DG_TYPE_I64, 1, &total, call->err);

    if (!numbers)
        return NULL;
    to = dg_tensor_data(numbers);
    for (int64_t i = 0; i < n && total; i++) {
        int64_t times = dg_get_i64(repeats, alone ? 0 : i * repeats->strides[0]);

        for (int64_t k = 0; k < times; k++)
            *to++ = i;
    }
    return numbers;
}

static bool are_repeats(struct dg_call *call, const struct dg_tensor *repeats)
{
    if (repeats->rank <= 1 && dg_type_is_integer(repeats->type))
        return true;
    dg_call_fail(call, DG_ERR_FORMAT,
                 "repeats are %s of rank %d; a vector of integers is needed",
                 dg_type_name(repeats->type), repeats->rank);
    return false;
}

/* aten::repeat_interleave.Tensor: repeats. */
enum dg_status dg_cpu_repeat_interleave(struct dg_call *call)
{
    struct dg_tensor *repeats = dg_need_tensor(call, 0), *numbers, *out;

    if (!repeats || !are_repeats(call, repeats))
        return call->err->status;
    numbers = repeated_numbers(call, repeats, dg_tensor_count(repeats));
    if (!numbers)
        return call->err->status;
    out = dg_result(call, 0, repeats->type, 1, numbers->sizes);
    if (out)
        dg_copy_elements(out, numbers, call->context->n_threads);
    dg_tensor_drop(numbers);
    return out ? DG_OK : call->err->status;
}

static enum dg_status interleave(struct dg_call *call, const struct dg_tensor *self,
                                 int dim, const struct dg_tensor *repeats)
{
    struct dg_tensor shape = dg_as_vector(self), *numbers;
    int64_t n = shape.sizes[dim];
    enum dg_status status;

    if (repeats->rank && repeats->sizes[0] != 1 && repeats->sizes[0] != n)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld repeats for dimension %d of size %lld",
                            (long long)repeats->sizes[0], dim, (long long)n);
    numbers = repeated_numbers(call, repeats, n);
    if (!numbers)
        return call->err->status;
    shape.sizes[dim] = numbers->sizes[0];
    status = select_indices(call, self, dim, numbers, shape.rank, shape.sizes);
    dg_tensor_drop(numbers);
    return status;
}

static enum dg_status interleave_along(struct dg_call *call, struct dg_tensor *self,
                                       const struct dg_tensor *repeats)
{
    struct dg_tensor *flat;
    enum dg_status status;
    int dim;

    if (!dg_arg_missing(call, 2))
        return dg_dimension(call, dg_arg_int(call, 2, 0), self->rank, &dim)
                   ? interleave(call, self, dim, repeats)
                   : call->err->status;
    flat = dg_flattened(call, self);
    if (!flat)
        return call->err->status;
    status = interleave(call, flat, 0, repeats);
    dg_tensor_drop(flat);
    return status;
}

/* aten::repeat_interleave.self_Tensor: self, repeats, dim. */
enum dg_status dg_cpu_repeat_interleave_each(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_tensor *repeats = dg_need_tensor(call, 1);

    return self && repeats && are_repeats(call, repeats)
               ? interleave_along(call, self, repeats)
               : call->err->status;
}

/* aten::repeat_interleave.self_int: self, repeats, dim. */
enum dg_status dg_cpu_repeat_interleave_all(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t times = dg_arg_int(call, 1, 0);
    struct dg_storage storage = {(unsigned char *)&times, sizeof(times), 1, NULL};
    struct dg_tensor repeats = {DG_TYPE_I64, .storage = &storage};

    return self ? interleave_along(call, self, &repeats) : call->err->status;
}
