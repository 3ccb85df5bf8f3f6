/* Tensors put together: cat, stack and their relatives. */
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/promote.h"

/* What is put together: shapes over the arguments, and where. */
struct parts {
    struct dg_tensor *items;
    size_t n;
    enum dg_type type;
};

/* How a tensor takes part: hstack and its like give it more dimensions. */
typedef struct dg_tensor shape_fn(const struct dg_tensor *tensor);

static enum dg_status take_parts(struct dg_call *call, struct parts *parts,
                                 shape_fn *shape)
{
    struct dg_tensor **tensors = dg_arg_tensors(call, 0, &parts->n);

    if (!parts->n)
        return dg_call_fail(call, DG_ERR_FORMAT, "an empty list of tensors");
    parts->items = dg_alloc(call->context->scratch, parts->n, sizeof(*parts->items));
    for (size_t i = 0; i < parts->n; i++) {
        if (!tensors[i])
            return dg_call_fail(call, DG_ERR_FORMAT, "item %zu is no tensor", i);
        if (tensors[i]->rank == DG_RANK_MOST)
            return dg_call_fail(call, DG_ERR_DEVICE,
                                "item %zu has rank %d; at most %d is supported", i,
                                tensors[i]->rank, DG_RANK_MOST - 1);
        parts->items[i] = shape(tensors[i]);
    }
    parts->type = dg_common_type(call->args[0].as.list.items, parts->n);
    return DG_OK;
}

/* torch leaves out empty vectors, whatever the shape of the others. */
static bool is_left_out(const struct dg_tensor *item)
{
    return item->rank == 1 && !item->sizes[0];
}

static enum dg_status refuse_part(struct dg_call *call, const struct dg_tensor *first,
                                  const struct dg_tensor *item, size_t i, int dim)
{
    char a[200], b[200];

    return dg_call_fail(
        call, DG_ERR_FORMAT,
        "item %zu of shape %s does not fit shape %s in every dimension but %d", i,
        dg_shape_text(item, b, sizeof(b)), dg_shape_text(first, a, sizeof(a)), dim);
}

/* The shape of the result into *joined; its type and storage mean nothing. */
static enum dg_status join_shapes(struct dg_call *call, const struct parts *parts,
                                  int64_t dim_arg, struct dg_tensor *joined, int *dim)
{
    size_t first = 0;

    while (first + 1 < parts->n && is_left_out(&parts->items[first]))
        first++;
    *joined = parts->items[first];
    if (!joined->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a 0-d tensor cannot be joined");
    if (!dg_dimension(call, dim_arg, joined->rank, dim))
        return call->err->status;
    for (size_t i = first + 1; i < parts->n; i++) {
        const struct dg_tensor *item = &parts->items[i];

        if (is_left_out(item))
            continue;
        for (int d = 0; d < joined->rank; d++) {
            if (item->rank != joined->rank ||
                (d != *dim && item->sizes[d] != joined->sizes[d]))
                return refuse_part(call, joined, item, i, *dim);
        }
        if (__builtin_add_overflow(joined->sizes[*dim], item->sizes[*dim],
                                   &joined->sizes[*dim]))
            return dg_call_fail(call, DG_ERR_FORMAT, "the result is too large");
    }
    return DG_OK;
}

static enum dg_status join(struct dg_call *call, const struct parts *parts,
                           int64_t dim_arg)
{
    struct dg_tensor joined, *out, place;
    enum dg_status status;
    int dim;

    status = join_shapes(call, parts, dim_arg, &joined, &dim);
    if (status)
        return status;
    out = dg_result(call, 0, parts->type, joined.rank, joined.sizes);
    if (!out)
        return call->err->status;
    place = dg_shaped(out, out->rank, out->sizes, out->strides);
    for (size_t i = 0; i < parts->n; i++) {
        struct dg_tensor *item = &parts->items[i];

        if (is_left_out(item))
            continue;
        place.sizes[dim] = item->sizes[dim];
        dg_move_elements(&place, item, call->context->n_threads);
        place.offset += item->sizes[dim] * place.strides[dim];
    }
    return DG_OK;
}

static enum dg_status join_shaped(struct dg_call *call, shape_fn *shape, int64_t dim)
{
    struct parts parts;
    enum dg_status status = take_parts(call, &parts, shape);

    return status ? status : join(call, &parts, dim);
}

static struct dg_tensor as_it_is(const struct dg_tensor *tensor)
{
    return *tensor;
}

/* aten::cat: tensors, dim. */
enum dg_status dg_cpu_cat(struct dg_call *call)
{
    return join_shaped(call, as_it_is, dg_arg_int(call, 1, 0));
}

static void insert_dimension(struct dg_tensor *item, int dim)
{
    size_t behind = (size_t)(item->rank - dim) * sizeof(*item->sizes);

    memmove(&item->sizes[dim + 1], &item->sizes[dim], behind);
    memmove(&item->strides[dim + 1], &item->strides[dim], behind);
    item->sizes[dim] = item->strides[dim] = 1;
    item->rank++;
}

/* aten::stack: tensors, dim. */
enum dg_status dg_cpu_stack(struct dg_call *call)
{
    struct parts parts;
    enum dg_status status = take_parts(call, &parts, as_it_is);
    int dim;

    if (status)
        return status;
    if (!dg_dimension(call, dg_arg_int(call, 1, 0), parts.items[0].rank + 1, &dim))
        return call->err->status;
    for (size_t i = 0; i < parts.n; i++) {
        if (!dg_tensor_same_shape(&parts.items[i], &parts.items[0]))
            return refuse_part(call, &parts.items[0], &parts.items[i], i, -1);
    }
    for (size_t i = parts.n; i-- > 0;)
        insert_dimension(&parts.items[i], dim);
    return join(call, &parts, dim);
}

static struct dg_tensor at_least_1d(const struct dg_tensor *tensor)
{
    struct dg_tensor item = *tensor;

    if (!item.rank)
        insert_dimension(&item, 0);
    return item;
}

static struct dg_tensor at_least_2d(const struct dg_tensor *tensor)
{
    struct dg_tensor item = at_least_1d(tensor);

    if (item.rank == 1)
        insert_dimension(&item, 0);
    return item;
}

static struct dg_tensor at_least_3d(const struct dg_tensor *tensor)
{
    struct dg_tensor item = at_least_2d(tensor);

    if (item.rank == 2)
        insert_dimension(&item, 2);
    return item;
}

static struct dg_tensor as_column(const struct dg_tensor *tensor)
{
    struct dg_tensor item = at_least_1d(tensor);

    if (item.rank == 1)
        insert_dimension(&item, 1);
    return item;
}

enum dg_status dg_cpu_hstack(struct dg_call *call)
{
    size_t n;
    struct dg_tensor **tensors = dg_arg_tensors(call, 0, &n);
    bool vectors = n && tensors[0] && tensors[0]->rank <= 1;

    return join_shaped(call, at_least_1d, vectors ? 0 : 1);
}

enum dg_status dg_cpu_vstack(struct dg_call *call)
{
    return join_shaped(call, at_least_2d, 0);
}

enum dg_status dg_cpu_dstack(struct dg_call *call)
{
    return join_shaped(call, at_least_3d, 2);
}

enum dg_status dg_cpu_column_stack(struct dg_call *call)
{
    return join_shaped(call, as_column, 1);
}
