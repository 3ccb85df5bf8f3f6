/* Sums, means, products and counts over dimensions. */
#include <math.h>

#include "kernels/cpu/movement.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/special.h"

static bool is_real(const struct dg_reduction *r)
{
    return dg_type_is_float(r->in->type);
}

/* The type that a sum is kept in: integers and bools are summed in i64. */
static enum dg_type sum_type(const struct dg_call *call, const struct dg_reduction *r,
                             struct dg_reduce_args at)
{
    enum dg_type own = is_real(r) ? r->in->type : DG_TYPE_I64;

    return at.dtype ? dg_arg_type(call, at.dtype, own) : own;
}

static enum dg_status run(struct dg_reduction *r, enum dg_type type, dg_group_fn *fn)
{
    enum dg_status status = dg_reduce_result(r, 0, type);

    if (!status)
        dg_reduce_run(r, fn);
    return status;
}

static enum dg_status reduce(struct dg_call *call, struct dg_reduce_args at,
                             enum dg_type type, dg_group_fn *fn)
{
    struct dg_reduction r;
    enum dg_status status = dg_reduce_begin(&r, call, at);

    if (status)
        return status;
    return run(&r, type == DG_TYPE_NONE ? sum_type(call, &r, at) : type, fn);
}

static enum dg_status reduce_floats(struct dg_call *call, struct dg_reduce_args at,
                                    dg_group_fn *fn)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    enum dg_type type = in ? dg_arg_type(call, at.dtype, in->type) : DG_TYPE_NONE;

    if (in && !dg_type_is_float(type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a mean is a floating point number, and %s is not one",
                            dg_type_name(type));
    return reduce(call, at, type, fn);
}

static void zero_for_nan(double *line, int64_t n, double parameter)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = isnan(line[i]) ? 0 : line[i];
}

static void one_for_number(double *line, int64_t n, double parameter)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = !isnan(line[i]);
}

static int64_t sum_integers(struct dg_group *group)
{
    int64_t line[DG_LINE_MOST], n;
    uint64_t sum = 0;

    while ((n = dg_read_integers(group, line))) {
        for (int64_t i = 0; i < n; i++)
            sum += (uint64_t)line[i];
    }
    return (int64_t)sum;
}

static void sum_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    if (dg_type_is_float(r->out[0]->type))
        dg_put_real(r->out[0], i, dg_group_sum(group, NULL, 0));
    else
        dg_put_integer(r->out[0], i, sum_integers(group));
}

static void nansum_group(const struct dg_reduction *r, struct dg_group *group,
                         int64_t i)
{
    if (is_real(r))
        dg_put_real(r->out[0], i, dg_group_sum(group, zero_for_nan, 0));
    else
        sum_group(r, group, i);
}

static void mean_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    dg_put_real(r->out[0], i, dg_group_sum(group, NULL, 0) / (double)r->n_each);
}

static void nanmean_group(const struct dg_reduction *r, struct dg_group *group,
                          int64_t i)
{
    double sum = dg_group_sum(group, zero_for_nan, 0);

    dg_put_real(r->out[0], i, sum / dg_group_sum(group, one_for_number, 0));
}

/* torch keeps what is multiplied so far in the type of the elements. */
static double product(struct dg_group *group, enum dg_type step)
{
    double line[DG_LINE_MOST], result = 1;
    int64_t n;

    while ((n = dg_read_reals(group, line))) {
        for (int64_t i = 0; i < n; i++)
            result = step == DG_TYPE_F64 ? result * line[i]
                                         : dg_in_type(step, result * line[i]);
    }
    return result;
}

static int64_t product_of_integers(struct dg_group *group)
{
    int64_t line[DG_LINE_MOST], n;
    uint64_t result = 1;

    while ((n = dg_read_integers(group, line))) {
        for (int64_t i = 0; i < n; i++)
            result *= (uint64_t)line[i];
    }
    return (int64_t)result;
}

static void product_group(const struct dg_reduction *r, struct dg_group *group,
                          int64_t i)
{
    enum dg_type type = r->out[0]->type;
    bool own = r->call->context->precision == DG_PRECISION_OWN_SUMS;

    if (dg_type_is_float(type))
        dg_put_real(r->out[0], i, product(group, own ? type : DG_TYPE_F64));
    else
        dg_put_integer(r->out[0], i, product_of_integers(group));
}

/* How many elements are not 0, of which NaN is one. */
static int64_t count(struct dg_group *group)
{
    double line[DG_LINE_MOST];
    int64_t n, found = 0;

    while ((n = dg_read_reals(group, line))) {
        for (int64_t i = 0; i < n; i++)
            found += line[i] != 0;
    }
    return found;
}

static void count_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    dg_put_integer(r->out[0], i, count(group));
}

static void any_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    dg_put_integer(r->out[0], i, count(group) > 0);
}

static void all_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    dg_put_integer(r->out[0], i, count(group) == r->n_each);
}

/* any() and all() of u8 are u8, of all other types bool. An empty list of dimensions is
 * none here, while it is all of them to other reductions. */
static enum dg_status reduce_truth(struct dg_call *call, struct dg_reduce_args at,
                                   dg_group_fn *fn)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    bool none = at.dims && !dg_arg_missing(call, at.dims) &&
                call->args[at.dims].kind == DG_ARG_LIST &&
                !call->args[at.dims].as.list.n_items;
    struct dg_reduction r;
    enum dg_status status = none ? dg_reduce_over(&r, call, in, 0, NULL, true)
                                 : dg_reduce_begin(&r, call, at);

    if (status)
        return status;
    return run(&r, in->type == DG_TYPE_U8 ? DG_TYPE_U8 : DG_TYPE_BOOL, fn);
}

#define REDUCTION(name, ...)                                                           \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return __VA_ARGS__;                                                            \
    }
#define AT(dims, keepdim, dtype) ((struct dg_reduce_args){dims, keepdim, dtype})

REDUCTION(sum, reduce(call, AT(0, 0, 1), DG_TYPE_NONE, sum_group))
REDUCTION(sum_dims, reduce(call, AT(1, 2, 3), DG_TYPE_NONE, sum_group))
REDUCTION(nansum, reduce(call, AT(1, 2, 3), DG_TYPE_NONE, nansum_group))
REDUCTION(mean, reduce_floats(call, AT(0, 0, 1), mean_group))
REDUCTION(mean_dims, reduce_floats(call, AT(1, 2, 3), mean_group))
REDUCTION(nanmean, reduce_floats(call, AT(1, 2, 3), nanmean_group))
REDUCTION(prod, reduce(call, AT(0, 0, 1), DG_TYPE_NONE, product_group))
REDUCTION(prod_dim, reduce(call, AT(1, 2, 3), DG_TYPE_NONE, product_group))
REDUCTION(count_nonzero, reduce(call, AT(1, 0, 0), DG_TYPE_I64, count_group))
REDUCTION(any, reduce_truth(call, AT(0, 0, 0), any_group))
REDUCTION(any_dims, reduce_truth(call, AT(1, 2, 0), any_group))
REDUCTION(all, reduce_truth(call, AT(0, 0, 0), all_group))
REDUCTION(all_dims, reduce_truth(call, AT(1, 2, 0), all_group))

enum dg_status dg_cpu_trace(struct dg_call *call)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), diagonal;
    struct dg_reduction r;
    enum dg_status status;

    if (!in || in->rank != 2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a matrix is needed, and the rank is %d",
                            in ? in->rank : -1);
    diagonal = dg_shaped(in, 1, &in->sizes[in->sizes[0] > in->sizes[1]],
                         (int64_t[]){in->strides[0] + in->strides[1]});
    status = dg_reduce_over(&r, call, &diagonal, -1, NULL, false);
    return status ? status : run(&r, is_real(&r) ? in->type : DG_TYPE_I64, sum_group);
}
