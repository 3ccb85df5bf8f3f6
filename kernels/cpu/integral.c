/* Integrals by trapezoids, made of the steps that torch makes. */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"

/* y over x along a dimension. */
struct integral {
    struct dg_tensor *y, *x; /* x NULL: points are `width` apart */
    double width;
    int dim;
};

static enum dg_status begin(struct dg_call *call, struct integral *integral, bool has_x)
{
    *integral = (struct integral){.y = dg_need_tensor(call, 0),
                                  .width = dg_arg_real(call, 1, 1)};
    if (!integral->y)
        return call->err->status;
    if (has_x && !(integral->x = dg_need_tensor(call, 1)))
        return call->err->status;
    if (!integral->y->rank || integral->y->type == DG_TYPE_BOOL ||
        (has_x && integral->x->type == DG_TYPE_BOOL))
        return dg_call_fail(call, DG_ERR_FORMAT, "an integral of a single %s",
                            dg_type_name(integral->y->type));
    return dg_dimension(call, dg_arg_int(call, 2, -1), integral->y->rank,
                        &integral->dim)
               ? DG_OK
               : call->err->status;
}

/* x with the dimensions of y: a vector lies along the one that is integrated over. */
static struct dg_tensor *viewed_x(struct dg_call *call, const struct integral *integral)
{
    struct dg_tensor *x = integral->x, *y = integral->y;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST] = {0};

    if (x->rank == 1 && x->sizes[0] != y->sizes[integral->dim]) {
        dg_call_fail(call, DG_ERR_FORMAT, "%lld points of x for %lld of y",
                     (long long)x->sizes[0], (long long)y->sizes[integral->dim]);
        return NULL;
    }
    if (x->rank >= y->rank && x->rank != 1)
        return dg_tensor_keep(x);
    for (int dim = 0; dim < y->rank; dim++) {
        int from =
            x->rank == 1 ? (dim == integral->dim ? 0 : -1) : dim - (y->rank - x->rank);

        sizes[dim] = from < 0 ? 1 : x->sizes[from];
        strides[dim] = from < 0 ? 0 : x->strides[from];
    }
    return dg_tensor_view(x, y->rank, sizes, strides, x->offset);
}

static struct dg_tensor *of_neighbours(struct dg_call *call, dg_kernel_fn *kernel,
                                       struct dg_tensor *tensor, int dim)
{
    struct dg_tensor *left = dg_part(call, tensor, dim, 0, -1);

    return dg_apply_two(call, kernel,
                        left ? dg_part(call, tensor, dim, 1, INT64_MAX) : NULL, left);
}

/* Twice the area between each two points of x. */
static struct dg_tensor *areas(struct dg_call *call, const struct integral *integral)
{
    struct dg_tensor *x = viewed_x(call, integral);
    struct dg_tensor *widths =
        x ? of_neighbours(call, dg_cpu_sub, x, integral->dim) : NULL;
    struct dg_tensor *heights =
        widths ? of_neighbours(call, dg_cpu_add, integral->y, integral->dim) : NULL;

    dg_tensor_drop(x);
    return dg_apply_two(call, dg_cpu_mul, heights, widths);
}

static struct dg_tensor *sum(struct dg_call *call, struct dg_tensor *of, int dim)
{
    struct dg_arg along = dg_integer_arg(dim);

    return dg_apply(call, dg_cpu_sum_dims, of,
                    DG_REST({DG_ARG_LIST, .as.list = {&along, 1}}));
}

static struct dg_tensor *at_end(struct dg_call *call, const struct integral *integral,
                                int64_t index)
{
    return dg_apply(call, dg_cpu_select, dg_tensor_keep(integral->y),
                    DG_REST(dg_integer_arg(integral->dim), dg_integer_arg(index)));
}

/* Of equal widths: the sum less half of both ends. */
static struct dg_tensor *equal_widths(struct dg_call *call,
                                      const struct integral *integral)
{
    struct dg_tensor *first = at_end(call, integral, 0);
    struct dg_tensor *ends =
        dg_apply_two(call, dg_cpu_add, first, at_end(call, integral, -1));
    struct dg_tensor *all = NULL;

    ends = dg_apply(call, dg_cpu_mul, ends, DG_REST(dg_real_arg(0.5)));
    if (ends)
        all = sum(call, dg_tensor_keep(integral->y), integral->dim);
    return dg_apply(call, dg_cpu_mul, dg_apply_two(call, dg_cpu_sub, all, ends),
                    DG_REST(dg_real_arg(integral->width)));
}

static enum dg_status give_zeros(struct dg_call *call, const struct integral *integral)
{
    int64_t sizes[DG_RANK_MOST];
    struct dg_tensor *zeros;
    int rank = 0;

    for (int dim = 0; dim < integral->y->rank; dim++) {
        if (dim != integral->dim)
            sizes[rank++] = integral->y->sizes[dim];
    }
    zeros = dg_result(call, 0, integral->y->type, rank, sizes);
    if (!zeros)
        return call->err->status;
    dg_zero_elements(zeros);
    return DG_OK;
}

static enum dg_status trapezoid(struct dg_call *call, bool has_x)
{
    struct integral integral;
    enum dg_status status = begin(call, &integral, has_x);

    if (status)
        return status;
    if (!integral.y->sizes[integral.dim])
        return give_zeros(call, &integral);
    if (!has_x)
        return dg_finish(call, equal_widths(call, &integral));
    return dg_finish(call, dg_apply(call, dg_cpu_div,
                                    sum(call, areas(call, &integral), integral.dim),
                                    DG_REST(dg_real_arg(2))));
}

enum dg_status dg_cpu_trapezoid(struct dg_call *call)
{
    return trapezoid(call, true);
}

enum dg_status dg_cpu_trapezoid_dx(struct dg_call *call)
{
    return trapezoid(call, false);
}

static struct dg_tensor *cumulated(struct dg_call *call, struct dg_tensor *of, int dim)
{
    return dg_apply(call, dg_cpu_cumsum, of, DG_REST(dg_integer_arg(dim)));
}

enum dg_status dg_cpu_cumulative_trapezoid(struct dg_call *call)
{
    struct integral integral;
    enum dg_status status = begin(call, &integral, true);

    if (status)
        return status;
    return dg_finish(call,
                     dg_apply(call, dg_cpu_div,
                              cumulated(call, areas(call, &integral), integral.dim),
                              DG_REST(dg_real_arg(2))));
}

enum dg_status dg_cpu_cumulative_trapezoid_dx(struct dg_call *call)
{
    struct integral integral;
    enum dg_status status = begin(call, &integral, false);
    struct dg_tensor *heights;

    if (status)
        return status;
    heights = of_neighbours(call, dg_cpu_add, integral.y, integral.dim);
    heights =
        dg_apply(call, dg_cpu_mul, heights, DG_REST(dg_real_arg(integral.width / 2)));
    return dg_finish(call, cumulated(call, heights, integral.dim));
}
