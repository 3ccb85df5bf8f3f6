/* Values without their repetitions: unique, unique_dim, unique_consecutive. */
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* Rows to tell apart, in f64 or in i64. */
struct rows {
    struct dg_tensor *packed; /* [n, width] of the type of the input */
    struct dg_tensor *keys;   /* the same as f64 or i64 */
    struct dg_tensor *order;  /* i64 [2 n]: rows as sorted; then room to sort */
    struct dg_tensor *first;  /* i64 [n + 1]: where in the order each group starts */
    int64_t n, width, n_groups;
    bool reals;
};

static void close_rows(struct rows *rows)
{
    dg_tensor_drop(rows->packed);
    dg_tensor_drop(rows->keys);
    dg_tensor_drop(rows->order);
    dg_tensor_drop(rows->first);
}

/* Below 0, 0, above 0; NaN comes last. */
static int compare_reals(double a, double b)
{
    if (a != a || b != b)
        return (a != a) - (b != b);
    return (a > b) - (a < b);
}

static int compare_rows(const struct rows *rows, int64_t a, int64_t b)
{
    const double *reals = dg_tensor_data(rows->keys);
    const int64_t *integers = dg_tensor_data(rows->keys);

    for (int64_t i = 0; i < rows->width; i++) {
        int64_t x = a * rows->width + i, y = b * rows->width + i;
        int order = rows->reals
                        ? compare_reals(reals[x], reals[y])
                        : (integers[x] > integers[y]) - (integers[x] < integers[y]);

        if (order)
            return order;
    }
    return 0;
}

/* NaN differs from NaN. */
static bool differ(const struct rows *rows, int64_t a, int64_t b)
{
    const double *reals = dg_tensor_data(rows->keys);

    for (int64_t i = 0; rows->reals && i < rows->width; i++) {
        if (reals[a * rows->width + i] != reals[b * rows->width + i])
            return true;
    }
    return !rows->reals && compare_rows(rows, a, b);
}

static void merge_runs(const struct rows *rows, const int64_t *from, int64_t *to,
                       int64_t start, int64_t middle, int64_t end)
{
    int64_t left = start, right = middle;

    for (int64_t i = start; i < end; i++) {
        if (right == end ||
            (left < middle && compare_rows(rows, from[left], from[right]) <= 0))
            to[i] = from[left++];
        else
            to[i] = from[right++];
    }
}

/* Stable, by runs of 1, 2, 4, ... rows. */
static void sort_rows(struct rows *rows)
{
    int64_t *order = dg_tensor_data(rows->order), *room = order + rows->n;

    for (int64_t run = 1; run < rows->n; run *= 2) {
        for (int64_t start = 0; start < rows->n; start += 2 * run) {
            int64_t middle = start + run < rows->n ? start + run : rows->n;
            int64_t end = middle + run < rows->n ? middle + run : rows->n;

            merge_runs(rows, order, room, start, middle, end);
        }
        memcpy(order, room, (size_t)rows->n * sizeof(*order));
    }
}

static void find_groups(struct rows *rows)
{
    const int64_t *order = dg_tensor_data(rows->order);
    int64_t *first = dg_tensor_data(rows->first);

    rows->n_groups = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        if (!i || differ(rows, order[i - 1], order[i]))
            first[rows->n_groups++] = i;
    }
    first[rows->n_groups] = rows->n;
}

static struct dg_tensor *new_tensor(struct dg_call *call, enum dg_type type, int rank,
                                    const int64_t *sizes)
{
    return dg_tensor_new(call->context->memory, type, rank, sizes, call->err);
}

/* Rows of `self`: its slices along `dim`, or its elements when that is negative. */
static enum dg_status open_rows(struct dg_call *call, struct rows *rows,
                                const struct dg_tensor *self, int dim, bool sorts)
{
    struct dg_tensor shape = dg_shaped(self, self->rank, self->sizes, self->strides);
    int64_t count = dg_tensor_count(self), *order;

    if (dim > 0) { /* slices become rows */
        memmove(&shape.sizes[1], &shape.sizes[0], (size_t)dim * sizeof(*shape.sizes));
        memmove(&shape.strides[1], &shape.strides[0],
                (size_t)dim * sizeof(*shape.strides));
        shape.sizes[0] = self->sizes[dim];
        shape.strides[0] = self->strides[dim];
    }
    rows->n = dim < 0 ? count : self->sizes[dim];
    rows->width = rows->n ? count / rows->n : 0;
    rows->reals = !dg_type_is_integer(self->type) && self->type != DG_TYPE_BOOL;
    rows->packed = new_tensor(call, self->type, shape.rank, shape.sizes);
    rows->keys = new_tensor(call, rows->reals ? DG_TYPE_F64 : DG_TYPE_I64, shape.rank,
                            shape.sizes);
    rows->order = new_tensor(call, DG_TYPE_I64, 2, (const int64_t[]){2, rows->n});
    rows->first = new_tensor(call, DG_TYPE_I64, 1, (const int64_t[]){rows->n + 1});
    if (!rows->packed || !rows->keys || !rows->order || !rows->first)
        return call->err->status;
    dg_move_elements(rows->packed, &shape, call->context->n_threads);
    dg_copy_elements(rows->keys, &shape, call->context->n_threads);
    order = dg_tensor_data(rows->order);
    for (int64_t i = 0; i < rows->n; i++)
        order[i] = i;
    if (sorts)
        sort_rows(rows);
    find_groups(rows);
    return DG_OK;
}

/* Result 0: the first row of each group, along the dimension they came from. */
static enum dg_status give_values(struct dg_call *call, const struct rows *rows,
                                  const struct dg_tensor *self, int dim)
{
    const int64_t *order = dg_tensor_data(rows->order), *first;
    struct dg_tensor *out, places, packed;
    int64_t sizes[DG_RANK_MOST] = {rows->n_groups};
    struct dg_axes axes = {0};
    int64_t *source;

    if (dim >= 0) {
        memcpy(sizes, self->sizes, sizeof(sizes));
        sizes[dim] = rows->n_groups;
    }
    out = dg_result(call, 0, self->type, dim < 0 ? 1 : self->rank, sizes);
    if (!out)
        return call->err->status;
    source = dg_tensor_data(rows->order);
    source += rows->n;
    first = dg_tensor_data(rows->first);
    for (int64_t i = 0; i < rows->n_groups; i++)
        source[i] = order[first[i]];
    places = *out;
    packed = dg_shaped(rows->packed, 1, &rows->n, NULL);
    if (dim >= 0) { /* the packed rows seen as slices again */
        packed = dg_shaped(rows->packed, self->rank, self->sizes, NULL);
        packed.strides[dim] = rows->width;
        for (int64_t d = self->rank - 1, step = 1; d >= 0; d--) {
            if (d == dim)
                continue;
            packed.strides[d] = step;
            step *= self->sizes[d];
        }
    }
    axes.source[dim < 0 ? 0 : dim] = source;
    dg_take_axes(&places, &packed, &axes, NULL, call->context->n_threads);
    return DG_OK;
}

/* Results 1 and 2: the group of each row, and how many rows each group has; empty when
 * not asked for. */
static enum dg_status give_groups(struct dg_call *call, const struct rows *rows,
                                  const struct dg_tensor *self, int dim, bool inverse,
                                  bool counts)
{
    static const int64_t none[] = {0};
    const int64_t *order = dg_tensor_data(rows->order);
    const int64_t *first = dg_tensor_data(rows->first);
    int64_t *to;

    if (!inverse)
        dg_result(call, 1, DG_TYPE_I64, 1, none);
    else if (dim < 0)
        dg_result(call, 1, DG_TYPE_I64, self->rank, self->sizes);
    else
        dg_result(call, 1, DG_TYPE_I64, 1, &rows->n);
    if (call->n_results > 2)
        dg_result(call, 2, DG_TYPE_I64, 1, counts ? &rows->n_groups : none);
    for (size_t i = 1; i < call->n_results; i++) {
        if (call->results[i].kind != DG_ARG_TENSOR)
            return call->err->status;
    }
    to = inverse ? dg_tensor_data(call->results[1].as.tensor) : NULL;
    for (int64_t group = 0; to && group < rows->n_groups; group++) {
        for (int64_t i = first[group]; i < first[group + 1]; i++)
            to[order[i]] = group;
    }
    to = counts ? dg_tensor_data(call->results[2].as.tensor) : NULL;
    for (int64_t group = 0; to && group < rows->n_groups; group++)
        to[group] = first[group + 1] - first[group];
    return DG_OK;
}

/* dim -1: elements of the whole. */
static enum dg_status unique(struct dg_call *call, int dim, bool sorts, bool inverse,
                             bool counts)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct rows rows = {0};
    enum dg_status status;

    if (!self)
        return call->err->status;
    if (dim >= 0) /* torch gives both then, asked or not */
        inverse = counts = true;
    status = open_rows(call, &rows, self, dim, sorts);
    if (!status)
        status = give_values(call, &rows, self, dim);
    if (!status)
        status =
            give_groups(call, &rows, self, dim, inverse, counts && call->n_results > 2);
    close_rows(&rows);
    return status;
}

/* aten::_unique2: self, sorted, return_inverse, return_counts. */
enum dg_status dg_cpu_unique(struct dg_call *call)
{
    return unique(call, -1, true, dg_arg_bool(call, 2, false),
                  dg_arg_bool(call, 3, false));
}

/* The dimension that argument `i` names, of a tensor that has it. */
static bool slice_dimension(struct dg_call *call, size_t i, int *dim)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    if (!self || !dg_dimension(call, dg_arg_int(call, i, 0), self->rank, dim))
        return false;
    if (self->rank)
        return true;
    *dim = -1;
    return true;
}

/* aten::unique_dim: self, dim, sorted, return_inverse, return_counts. */
enum dg_status dg_cpu_unique_dim(struct dg_call *call)
{
    int dim;

    return slice_dimension(call, 1, &dim)
               ? unique(call, dim, true, dg_arg_bool(call, 3, false),
                        dg_arg_bool(call, 4, false))
               : call->err->status;
}

/* aten::unique_dim_consecutive: self, dim, return_inverse, return_counts. */
enum dg_status dg_cpu_unique_dim_consecutive(struct dg_call *call)
{
    int dim;

    return slice_dimension(call, 1, &dim)
               ? unique(call, dim, false, dg_arg_bool(call, 2, false),
                        dg_arg_bool(call, 3, false))
               : call->err->status;
}

/* aten::unique_consecutive: self, return_inverse, return_counts, dim. */
enum dg_status dg_cpu_unique_consecutive(struct dg_call *call)
{
    int dim = -1;

    if (!dg_arg_missing(call, 3) && !slice_dimension(call, 3, &dim))
        return call->err->status;
    return unique(call, dim, false, dg_arg_bool(call, 1, false),
                  dg_arg_bool(call, 2, false));
}
