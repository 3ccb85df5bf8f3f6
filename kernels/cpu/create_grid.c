/* Diagonals, triangles, grids and one-hot rows. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/create.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/walk.h"

static enum dg_status make_eye(struct dg_call *call, int64_t rows, int64_t columns)
{
    enum dg_type type = dg_requested_type(call, DG_TYPE_F32);
    const double one = 1;
    struct dg_tensor *tensor = dg_result(call, 0, type, 2, (int64_t[]){rows, columns});

    if (!tensor)
        return call->err->status;
    memset(dg_tensor_data(tensor), 0, tensor->storage->size);
    for (int64_t i = 0; i < rows && i < columns; i++)
        dg_store_f64(tensor->type,
                     (char *)dg_tensor_data(tensor) +
                         (size_t)(i * (columns + 1)) * dg_type_bytes(tensor->type),
                     1, &one, 1);
    return DG_OK;
}

enum dg_status dg_cpu_eye(struct dg_call *call)
{
    int64_t rows = dg_arg_int(call, 0, -1);

    return make_eye(call, rows, rows);
}

enum dg_status dg_cpu_eye_m(struct dg_call *call)
{
    return make_eye(call, dg_arg_int(call, 0, -1), dg_arg_int(call, 1, -1));
}

static int64_t between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* How many elements of `row`, from the left, are on or below the diagonal. */
static int64_t below(int64_t row, int64_t diagonal, int64_t columns)
{
    return between(row + 1 + diagonal, 0, columns);
}

static enum dg_status triangle(struct dg_call *call, bool upper)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *result;
    int64_t diagonal, rows, columns, n_rows;
    size_t bytes;
    char *row;

    if (!self || self->rank < 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "a triangle of a tensor of rank %d",
                            self ? self->rank : 0);
    result = dg_result(call, 0, self->type, self->rank, self->sizes);
    if (!result)
        return call->err->status;
    dg_copy_elements(result, self, call->context->n_threads);
    rows = self->sizes[self->rank - 2];
    columns = self->sizes[self->rank - 1];
    diagonal = between(dg_arg_int(call, 1, 0), -rows, columns) - upper;
    bytes = dg_type_bytes(result->type);
    row = dg_tensor_data(result);
    n_rows = columns ? dg_tensor_count(result) / columns : 0;
    for (int64_t i = 0; i < n_rows; i++, row += (size_t)columns * bytes) {
        int64_t kept = below(i % rows, diagonal, columns);

        if (upper)
            memset(row, 0, (size_t)kept * bytes);
        else
            memset(row + (size_t)kept * bytes, 0, (size_t)(columns - kept) * bytes);
    }
    return DG_OK;
}

enum dg_status dg_cpu_tril(struct dg_call *call)
{
    return triangle(call, false);
}

enum dg_status dg_cpu_triu(struct dg_call *call)
{
    return triangle(call, true);
}

/* The first row that has elements on or below the diagonal. */
static int64_t first_row(int64_t rows, int64_t diagonal)
{
    return between(-diagonal, 0, rows);
}

/* How many elements are on or below the diagonal: none in the first rows, then one more
 * in each, then all of them. */
static int64_t count_below(int64_t rows, int64_t columns, int64_t diagonal)
{
    int64_t first = first_row(rows, diagonal), least = below(first, diagonal, columns);
    int64_t growing = between(columns - 1 - diagonal, first, rows) - first;

    return (2 * least + growing - 1) * growing / 2 + (rows - first - growing) * columns;
}

/* Rows of indices above columns of indices, in the order of the elements. */
static enum dg_status triangle_indices(struct dg_call *call, bool upper)
{
    int64_t rows = dg_arg_int(call, 0, -1), columns = dg_arg_int(call, 1, -1);
    int64_t diagonal, count = 0, at = 0, area;
    enum dg_type type = dg_requested_type(call, DG_TYPE_I64);
    struct dg_tensor *result;
    size_t bytes = dg_type_bytes(type);

    if (!dg_shape_count(2, (int64_t[]){rows, columns}, DG_TYPE_I64, &area))
        return dg_call_fail(call, DG_ERR_FORMAT, "a triangle of %lld by %lld",
                            (long long)rows, (long long)columns);
    diagonal = between(dg_arg_int(call, 2, 0), -rows, columns) - upper;
    if (area)
        count = count_below(rows, columns, diagonal);
    if (upper)
        count = area - count;
    result = dg_result(call, 0, type, 2, (int64_t[]){2, count});
    if (!result)
        return call->err->status;
    for (int64_t row = upper || !count ? 0 : first_row(rows, diagonal); at < count;
         row++) {
        int64_t edge = below(row, diagonal, columns);

        for (int64_t column = upper ? edge : 0; column < (upper ? columns : edge);
             column++, at++) {
            char *to = (char *)dg_tensor_data(result) + (size_t)at * bytes;

            dg_store_i64(type, to, 1, &row, 1);
            dg_store_i64(type, to + (size_t)count * bytes, 1, &column, 1);
        }
    }
    return DG_OK;
}

enum dg_status dg_cpu_tril_indices(struct dg_call *call)
{
    return triangle_indices(call, false);
}

enum dg_status dg_cpu_triu_indices(struct dg_call *call)
{
    return triangle_indices(call, true);
}

/* Tensor k varies along dimension k alone; "xy" swaps the first two dimensions. */
static struct dg_tensor *grid_of(const struct dg_arg *tensors, int rank, int k, bool xy)
{
    const struct dg_tensor *self = tensors[k].as.tensor;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST] = {0};
    int varies = xy && k < 2 ? 1 - k : k;

    for (int dim = 0; dim < rank; dim++) {
        int from = xy && dim < 2 ? 1 - dim : dim;
        const struct dg_tensor *tensor = tensors[from].as.tensor;

        sizes[dim] = tensor->rank ? tensor->sizes[0] : 1;
    }
    strides[varies] = self->rank ? self->strides[0] : 1;
    return dg_tensor_view(self, rank, sizes, strides, self->offset);
}

enum dg_status dg_cpu_meshgrid(struct dg_call *call)
{
    const struct dg_arg *list = call->n_args ? &call->args[0] : NULL, *form;
    size_t n = list && list->kind == DG_ARG_LIST ? list->as.list.n_items : 0;
    struct dg_arg *grids;
    int64_t sizes[DG_RANK_MOST], count;
    bool xy;

    form = call->n_args > 1 ? &call->args[1] : NULL;
    xy = n > 1 && form && form->kind == DG_ARG_STRING && !strcmp(form->as.string, "xy");
    if (!n || n > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "a grid of %zu tensors", n);
    for (size_t k = 0; k < n; k++) {
        const struct dg_arg *item = &list->as.list.items[k];

        if (item->kind != DG_ARG_TENSOR || item->as.tensor->rank > 1)
            return dg_call_fail(call, DG_ERR_FORMAT, "tensor %zu is not of rank 0 or 1",
                                k);
        sizes[k] = item->as.tensor->rank ? item->as.tensor->sizes[0] : 1;
    }
    if (!dg_shape_count((int)n, sizes, DG_TYPE_F64, &count))
        return dg_call_fail(call, DG_ERR_FORMAT, "the grid is too large");
    grids = calloc(n, sizeof(*grids));
    if (!grids)
        abort();
    for (size_t k = 0; k < n; k++)
        grids[k] =
            (struct dg_arg){DG_ARG_TENSOR, .as.tensor = grid_of(list->as.list.items,
                                                                (int)n, (int)k, xy)};
    call->results[0] = (struct dg_arg){DG_ARG_LIST, .as.list = {grids, n}};
    return DG_OK;
}

static enum dg_status mark(struct dg_call *call, const struct dg_tensor *classes,
                           int64_t n_classes)
{
    const int64_t *class = dg_tensor_data(classes);
    int64_t sizes[DG_RANK_MOST + 1], count = dg_tensor_count(classes), *to;
    struct dg_tensor *result;

    memcpy(sizes, classes->sizes, sizeof(classes->sizes));
    sizes[classes->rank] = n_classes;
    result = dg_result(call, 0, DG_TYPE_I64, classes->rank + 1, sizes);
    if (!result)
        return call->err->status;
    to = dg_tensor_data(result);
    memset(to, 0, result->storage->size);
    for (int64_t i = 0; i < count; i++) {
        if (class[i] < 0 || class[i] >= n_classes)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "class %lld is out of range for %lld classes",
                                (long long)class[i], (long long)n_classes);
        to[i * n_classes + class[i]] = 1;
    }
    return DG_OK;
}

enum dg_status dg_cpu_one_hot(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *classes;
    int64_t n_classes = dg_arg_int(call, 1, -1), greatest = -1;
    enum dg_status status;

    if (!self || self->type != DG_TYPE_I64)
        return dg_call_fail(call, DG_ERR_FORMAT, "one_hot of what is not i64");
    classes = dg_contiguous(call, self);
    if (!classes)
        return call->err->status;
    for (int64_t i = 0; i < dg_tensor_count(classes); i++) {
        int64_t class = ((const int64_t *)dg_tensor_data(classes))[i];

        greatest = class > greatest ? class : greatest;
    }
    if (n_classes == -1 && greatest < INT64_MAX)
        n_classes = greatest + 1;
    status = mark(call, classes, n_classes);
    dg_tensor_drop(classes);
    return status;
}
