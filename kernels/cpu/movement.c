/* What kernels that move elements share. */
#include "kernels/cpu/movement.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/walk.h"

struct dg_tensor *dg_need_tensor(struct dg_call *call, size_t i)
{
    struct dg_tensor *tensor = dg_arg_tensor(call, i);

    if (!tensor)
        dg_call_fail(call, DG_ERR_FORMAT, "argument %zu is no tensor", i);
    return tensor;
}

struct dg_tensor **dg_arg_tensors(struct dg_call *call, size_t i, size_t *n)
{
    const struct dg_arg *arg = i < call->n_args ? &call->args[i] : NULL;
    struct dg_tensor **tensors;

    *n = arg && arg->kind == DG_ARG_LIST ? arg->as.list.n_items : 0;
    tensors = dg_alloc(call->context->scratch, *n + 1, sizeof(*tensors));
    for (size_t k = 0; k < *n; k++) {
        const struct dg_arg *item = &arg->as.list.items[k];

        tensors[k] = item->kind == DG_ARG_TENSOR ? item->as.tensor : NULL;
    }
    return tensors;
}

int64_t *dg_arg_all_ints(struct dg_call *call, size_t i, size_t *n)
{
    const struct dg_arg *arg = i < call->n_args ? &call->args[i] : NULL;
    int64_t *values;

    *n = arg && arg->kind == DG_ARG_LIST ? arg->as.list.n_items : 0;
    values = dg_alloc(call->context->scratch, *n + 1, sizeof(*values));
    for (size_t k = 0; k < *n; k++) {
        if (arg->as.list.items[k].kind == DG_ARG_INT)
            values[k] = arg->as.list.items[k].as.integer;
    }
    return values;
}

void dg_scalar_bytes(const struct dg_call *call, size_t i, enum dg_type type,
                     void *bytes)
{
    double real = dg_arg_real(call, i, 0);
    int64_t integer = dg_arg_int(call, i, 0);
    double _Complex number;

    if (dg_arg_complex(call, i, &number)) {
        dg_store_complex(type, bytes, 1, &number, 1);
        return;
    }
    if (i < call->n_args && call->args[i].kind != DG_ARG_FLOAT) {
        dg_store_i64(type, bytes, 1, &integer, 1);
        return;
    }
    if (dg_type_is_float(type) && dg_type_bytes(type) == 2)
        real = (float)real; /* as torch does: it rounds twice */
    dg_store_f64(type, bytes, 1, &real, 1);
}

struct dg_tensor dg_shaped(const struct dg_tensor *base, int rank, const int64_t *sizes,
                           const int64_t *strides)
{
    struct dg_tensor shaped = {.type = base->type,
                               .rank = rank,
                               .offset = base->offset,
                               .storage = base->storage};

    if (!rank)
        return shaped;
    memcpy(shaped.sizes, sizes, (size_t)rank * sizeof(*sizes));
    if (strides)
        memcpy(shaped.strides, strides, (size_t)rank * sizeof(*strides));
    else
        dg_contiguous_strides(rank, sizes, shaped.strides);
    return shaped;
}

struct dg_tensor dg_expanded(const struct dg_tensor *tensor, int rank,
                             const int64_t *sizes)
{
    int64_t strides[DG_RANK_MOST] = {0};
    int shift = rank - tensor->rank;

    for (int dim = 0; dim < tensor->rank; dim++) {
        if (tensor->sizes[dim] != 1)
            strides[dim + shift] = tensor->strides[dim];
    }
    return dg_shaped(tensor, rank, sizes, strides);
}

struct dg_tensor *dg_flattened(struct dg_call *call, struct dg_tensor *tensor)
{
    int64_t count = dg_tensor_count(tensor), stride = 1;
    struct dg_tensor *contiguous = dg_contiguous(call, tensor), *flat;

    if (!contiguous)
        return NULL;
    flat = dg_tensor_view(contiguous, 1, &count, &stride, contiguous->offset);
    dg_tensor_drop(contiguous);
    return flat;
}

enum dg_status dg_give_view(struct dg_call *call, const struct dg_tensor *base,
                            int rank, const int64_t *sizes, const int64_t *strides,
                            int64_t offset)
{
    if (rank > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "a tensor of rank %d; at most %d is supported", rank,
                            DG_RANK_MOST);
    dg_give(call, 0, dg_tensor_view(base, rank, sizes, strides, offset));
    return DG_OK;
}

struct dg_arg *dg_give_list_as(struct dg_call *call, size_t result, int64_t n)
{
    enum { ITEMS_MOST = 1 << 20 };
    struct dg_arg *items =
        n > ITEMS_MOST ? NULL : calloc((size_t)n + 1, sizeof(*items));

    if (!items) {
        dg_call_fail(call, DG_ERR_DEVICE, "%lld tensors; at most %d are supported",
                     (long long)n, ITEMS_MOST);
        return NULL;
    }
    call->results[result].kind = DG_ARG_LIST;
    call->results[result].as.list.items = items;
    call->results[result].as.list.n_items = (size_t)n;
    return items;
}

struct dg_arg *dg_give_list(struct dg_call *call, int64_t n)
{
    return dg_give_list_as(call, 0, n);
}

struct dg_tensor *dg_result_copy(struct dg_call *call, struct dg_tensor *from)
{
    struct dg_tensor *copy = dg_result(call, 0, from->type, from->rank, from->sizes);

    if (copy)
        dg_move_elements(copy, from, call->context->n_threads);
    return copy;
}

#define MOVE(size, type)                                                               \
    case size: {                                                                       \
        type *target = (type *)(void *)to;                                             \
        const type *source = (const type *)(const void *)from;                         \
        for (int64_t i = 0; i < n; i++)                                                \
            target[i * to_stride] = source[i * from_stride];                           \
        break;                                                                         \
    }

void dg_move_line(size_t bytes, char *to, int64_t to_stride, const char *from,
                  int64_t from_stride, int64_t n)
{
    if (to_stride == 1 && from_stride == 1) {
        memmove(to, from, (size_t)n * bytes);
        return;
    }
    switch (bytes) {
        MOVE(1, uint8_t)
        MOVE(2, uint16_t)
        MOVE(4, uint32_t)
        MOVE(8, uint64_t)
        MOVE(16, struct dg_sixteen)
    }
}

static void move_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    dg_move_line(*(const size_t *)data, at[0], strides[0], at[1], strides[1], n);
}

void dg_move_elements(struct dg_tensor *to, struct dg_tensor *from, int n_threads)
{
    size_t bytes = dg_type_bytes(to->type);
    struct dg_walk walk;

    if (to->type != from->type) {
        dg_copy_elements(to, from, n_threads);
        return;
    }
    dg_walk_begin(&walk, 2, (struct dg_tensor *[]){to, from});
    dg_walk_lines(&walk, n_threads, move_line, &bytes);
}

void dg_fill_elements(struct dg_tensor *to, const void *bytes)
{
    size_t size = dg_type_bytes(to->type), total = (size_t)dg_tensor_count(to) * size;
    char *data = dg_tensor_data(to);
    size_t done = size;

    if (!total)
        return;
    memcpy(data, bytes, size);
    for (; done < total; done *= 2)
        memcpy(data + done, data, done < total - done ? done : total - done);
}

void dg_zero_elements(struct dg_tensor *to)
{
    size_t total = (size_t)dg_tensor_count(to) * dg_type_bytes(to->type);

    if (total)
        memset(dg_tensor_data(to), 0, total);
}
