/* Gradients by differences of neighbours, made of the steps that torch makes. */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/create.h"
#include "kernels/cpu/movement.h"

/* Along one dimension of n points, either `width` apart or at `points`. */
struct axis {
    struct dg_tensor *self, *points;
    struct dg_arg width;
    int dim;
    int64_t n, edge_order;
};

/* What three neighbours are multiplied with. */
struct weights {
    struct dg_arg of[3];
};

static void drop_weights(struct weights *weights)
{
    for (int k = 0; k < 3; k++)
        dg_arg_drop(&weights->of[k]);
}

/* The sum of n elements from `at`, n from the next one and n from the one behind, each
 * times its weight; NULL: also where a weight is missing. */
static struct dg_tensor *weigh(struct dg_call *call, const struct axis *axis,
                               int64_t at, int64_t n, const struct weights *weights)
{
    struct dg_tensor *sum = NULL, *term;

    for (int k = 0; k < 3; k++) {
        if (weights->of[k].kind == DG_ARG_NONE) {
            dg_tensor_drop(sum);
            return NULL;
        }
        if (k && !sum)
            return NULL;
        term = dg_part(call, axis->self, axis->dim, at + k, at + k + n);
        term = dg_apply(call, dg_cpu_mul, term, DG_REST(weights->of[k]));
        sum = k ? dg_apply_two(call, dg_cpu_add, sum, term) : term;
    }
    return sum;
}

/* The elements from `at + step` on less those from `at` on, divided by `width`. */
static struct dg_tensor *slope(struct dg_call *call, const struct axis *axis,
                               int64_t at, int64_t step, int64_t n, struct dg_arg width)
{
    struct dg_tensor *left = dg_part(call, axis->self, axis->dim, at, at + n);
    struct dg_tensor *right =
        left ? dg_part(call, axis->self, axis->dim, at + step, at + step + n) : NULL;

    return dg_apply(call, dg_cpu_div, dg_apply_two(call, dg_cpu_sub, right, left),
                    DG_REST(width));
}

/* Both ends where points are equally far apart. */
static struct dg_tensor *even_edge(struct dg_call *call, const struct axis *axis,
                                   bool last)
{
    static const struct weights first_weights = {{{DG_ARG_FLOAT, .as.real = -1.5},
                                                  {DG_ARG_INT, .as.integer = 2},
                                                  {DG_ARG_FLOAT, .as.real = -0.5}}};
    static const struct weights last_weights = {{{DG_ARG_FLOAT, .as.real = 0.5},
                                                 {DG_ARG_INT, .as.integer = -2},
                                                 {DG_ARG_FLOAT, .as.real = 1.5}}};

    if (axis->edge_order == 1)
        return slope(call, axis, last ? axis->n - 2 : 0, 1, 1, axis->width);
    return dg_apply(call, dg_cpu_div,
                    weigh(call, axis, last ? axis->n - 3 : 0, 1,
                          last ? &last_weights : &first_weights),
                    DG_REST(axis->width));
}

static struct dg_tensor *even_middle(struct dg_call *call, const struct axis *axis)
{
    return dg_apply(call, dg_cpu_div, slope(call, axis, 0, 2, axis->n - 2, axis->width),
                    DG_REST(dg_integer_arg(2)));
}

static struct dg_tensor *two(struct dg_call *call, dg_kernel_fn *kernel,
                             struct dg_tensor *first, struct dg_tensor *second)
{
    return dg_apply_two(call, kernel, dg_tensor_keep(first), dg_tensor_keep(second));
}

/* numerator / (factor * (near + far)), with the share of `numerator` used up */
static struct dg_tensor *over_both(struct dg_call *call, struct dg_tensor *numerator,
                                   struct dg_tensor *factor, struct dg_tensor *near,
                                   struct dg_tensor *far)
{
    struct dg_tensor *below = two(call, dg_cpu_add, near, far);

    below = dg_apply_two(call, dg_cpu_mul, dg_tensor_keep(factor), below);
    return dg_apply_two(call, dg_cpu_div, numerator, below);
}

static struct dg_tensor *negative(struct dg_call *call, struct dg_tensor *tensor)
{
    return dg_apply(call, dg_cpu_neg, tensor, 0, NULL);
}

/* For the middle one of three points that are `near` and `far` apart. */
static struct weights middle_weights(struct dg_call *call, struct dg_tensor *near,
                                     struct dg_tensor *far)
{
    struct dg_tensor *before = negative(call, dg_tensor_keep(far));
    struct dg_tensor *at = two(call, dg_cpu_sub, far, near);
    struct dg_tensor *behind = dg_tensor_keep(near);

    return (struct weights){
        {dg_tensor_arg(over_both(call, before, near, near, far)),
         dg_tensor_arg(
             dg_apply_two(call, dg_cpu_div, at, two(call, dg_cpu_mul, near, far))),
         dg_tensor_arg(over_both(call, behind, far, near, far))}};
}

/* For the first of three points; `near` is the way to the next one. */
static struct weights edge_weights(struct dg_call *call, struct dg_tensor *near,
                                   struct dg_tensor *far)
{
    struct dg_tensor *twice =
        dg_apply(call, dg_cpu_mul, dg_tensor_keep(near), DG_REST(dg_real_arg(2)));
    struct dg_tensor *at =
        negative(call, dg_apply_two(call, dg_cpu_add, twice, dg_tensor_keep(far)));
    struct dg_tensor *next = two(call, dg_cpu_add, near, far);
    struct dg_tensor *behind = negative(call, dg_tensor_keep(near));

    return (struct weights){
        {dg_tensor_arg(over_both(call, at, near, near, far)),
         dg_tensor_arg(
             dg_apply_two(call, dg_cpu_div, next, two(call, dg_cpu_mul, near, far))),
         dg_tensor_arg(over_both(call, behind, far, near, far))}};
}

/* Of the last of three points: those of the first one, seen from the other side. */
static void mirror(struct dg_call *call, struct weights *weights)
{
    struct weights seen = *weights;

    for (int k = 0; k < 3; k++) {
        struct dg_arg *from = &seen.of[2 - k];

        weights->of[k] =
            dg_tensor_arg(from->kind ? negative(call, from->as.tensor) : NULL);
    }
}

/* The element of a vector, negative from its end, as a single number. */
static struct dg_tensor *element(struct dg_call *call, struct dg_tensor *vector,
                                 int64_t i)
{
    return dg_apply(call, dg_cpu_select, dg_tensor_keep(vector),
                    DG_REST(dg_integer_arg(0), dg_integer_arg(i)));
}

static struct dg_tensor *uneven_edge(struct dg_call *call, const struct axis *axis,
                                     struct dg_tensor *widths, bool last)
{
    struct dg_tensor *near = element(call, widths, last ? -1 : 0), *far, *edge = NULL;
    struct weights weights;

    if (near && axis->edge_order == 1)
        edge = slope(call, axis, last ? axis->n - 2 : 0, 1, 1, dg_tensor_arg(near));
    if (!near || axis->edge_order == 1) {
        dg_tensor_drop(near);
        return edge;
    }
    far = element(call, widths, last ? -2 : 1);
    weights = edge_weights(call, near, far);
    if (last)
        mirror(call, &weights);
    edge = weigh(call, axis, last ? axis->n - 3 : 0, 1, &weights);
    drop_weights(&weights);
    dg_tensor_drop(far);
    dg_tensor_drop(near);
    return edge;
}

/* A vector along the dimension of the axis. */
static struct dg_tensor *along(const struct axis *axis, struct dg_tensor *vector)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST] = {0};

    for (int dim = 0; dim < axis->self->rank; dim++)
        sizes[dim] = 1;
    sizes[axis->dim] = vector->sizes[0];
    strides[axis->dim] = vector->strides[0];
    return dg_tensor_view(vector, axis->self->rank, sizes, strides, vector->offset);
}

static struct dg_tensor *uneven_middle(struct dg_call *call, const struct axis *axis,
                                       struct dg_tensor *widths)
{
    struct dg_tensor *shaped = along(axis, widths);
    struct dg_tensor *near = dg_part(call, shaped, axis->dim, 0, -1);
    struct dg_tensor *far = dg_part(call, shaped, axis->dim, 1, INT64_MAX);
    struct weights weights = middle_weights(call, near, far);
    struct dg_tensor *middle = weigh(call, axis, 0, axis->n - 2, &weights);

    drop_weights(&weights);
    dg_tensor_drop(far);
    dg_tensor_drop(near);
    dg_tensor_drop(shaped);
    return middle;
}

static struct dg_tensor *gradient_along(struct dg_call *call, const struct axis *axis)
{
    struct dg_tensor *pieces[3], *widths = NULL, *result = NULL;

    if (axis->points) {
        widths = dg_apply(call, dg_cpu_diff, dg_tensor_keep(axis->points), 0, NULL);
        if (!widths)
            return NULL;
    }
    pieces[0] =
        widths ? uneven_edge(call, axis, widths, false) : even_edge(call, axis, false);
    pieces[1] = widths ? uneven_middle(call, axis, widths) : even_middle(call, axis);
    pieces[2] =
        widths ? uneven_edge(call, axis, widths, true) : even_edge(call, axis, true);
    if (pieces[0] && pieces[1] && pieces[2])
        result = dg_join(call, pieces, 3, axis->dim);
    for (int k = 0; k < 3; k++)
        dg_tensor_drop(pieces[k]);
    dg_tensor_drop(widths);
    return result;
}

/* `spacing`: nothing, one number for all, or one number or vector of points of each. */
static enum dg_status read_spacing(struct dg_call *call, struct axis *axis, int i,
                                   int n_axes, const struct dg_arg *spacing)
{
    axis->width = spacing->kind == DG_ARG_NONE ? dg_integer_arg(1) : *spacing;
    if (spacing->kind != DG_ARG_LIST)
        return DG_OK;
    if (spacing->as.list.n_items != (size_t)n_axes)
        return dg_call_fail(call, DG_ERR_FORMAT, "spacing of %zu of %d dimensions",
                            spacing->as.list.n_items, n_axes);
    axis->width = spacing->as.list.items[i];
    if (axis->width.kind != DG_ARG_TENSOR)
        return DG_OK;
    axis->points = axis->width.as.tensor;
    if (axis->points->rank != 1 || axis->points->sizes[0] != axis->n)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "dimension %d of %lld points has not as many coordinates",
                            axis->dim, (long long)axis->n);
    return DG_OK;
}

/* The dimensions that argument `at` names; all where it names none. */
static int read_dims(struct dg_call *call, const struct dg_tensor *self, size_t at,
                     int *dims)
{
    int64_t given[DG_RANK_MOST];
    int n = dg_arg_ints(call, at, given, DG_RANK_MOST);
    bool all = dg_arg_missing(call, at);
    uint32_t seen = 0;

    n = all ? self->rank : n;
    for (int i = 0; i < n; i++) {
        if (!dg_dimension(call, all ? i : given[i], self->rank, &dims[i]))
            return -1;
        if (!self->rank || seen >> dims[i] & 1) {
            dg_call_fail(call, DG_ERR_FORMAT, "dimension %d is listed more than once",
                         dims[i]);
            return -1;
        }
        seen |= 1u << dims[i];
    }
    return n;
}

/* Arguments at these places; `spacing` 0: there is none. */
static enum dg_status gradient(struct dg_call *call, size_t spacing, size_t dims_at)
{
    static const struct dg_arg none;
    struct axis axis = {dg_need_tensor(call, 0)};
    const struct dg_arg *widths = spacing ? dg_number_at(call, spacing) : &none;
    int dims[DG_RANK_MOST], n;
    struct dg_arg *items;

    if (!axis.self)
        return call->err->status;
    axis.edge_order = dg_arg_int(call, dims_at + 1, 1);
    if (axis.self->type == DG_TYPE_U8 || axis.edge_order < 1 || axis.edge_order > 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "a gradient of %s with edges of %lld",
                            dg_type_name(axis.self->type), (long long)axis.edge_order);
    n = read_dims(call, axis.self, dims_at, dims);
    items = n < 0 ? NULL : dg_give_list(call, n);
    for (int i = 0; items && i < n; i++) {
        axis.dim = dims[i];
        axis.n = axis.self->sizes[axis.dim];
        axis.points = NULL;
        if (axis.n <= axis.edge_order)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "%lld points in dimension %d, of which edges need more",
                                (long long)axis.n, axis.dim);
        if (read_spacing(call, &axis, i, n, widths))
            return call->err->status;
        items[i] = dg_tensor_arg(gradient_along(call, &axis));
        if (items[i].kind == DG_ARG_NONE)
            return call->err->status;
    }
    return items ? DG_OK : call->err->status;
}

enum dg_status dg_cpu_gradient(struct dg_call *call)
{
    return gradient(call, 1, 2);
}

enum dg_status dg_cpu_gradient_dims(struct dg_call *call)
{
    return gradient(call, 0, 1);
}
