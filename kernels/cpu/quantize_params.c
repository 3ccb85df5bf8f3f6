/* quantized_decomposed: scales and zero points chosen for a tensor. */
#include <float.h>
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/quantize.h"

/* The least (or, with dg_cpu_amax, the greatest) of all, or of each row. */
static struct dg_tensor *extreme(struct dg_call *call, dg_kernel_fn *kernel, bool rows)
{
    struct dg_arg last = dg_integer_arg(-1);
    struct dg_arg dims = {DG_ARG_LIST, .as.list = {&last, rows}};

    return dg_apply(call, kernel, dg_tensor_keep(dg_arg_tensor(call, 0)),
                    DG_REST(dims, {DG_ARG_BOOL, .as.integer = rows}));
}

struct dg_tensor *dg_bound_of(struct dg_call *call, struct dg_tensor *bound)
{
    double wider = call->context->wider;

    return wider > 0
               ? dg_apply(call, dg_cpu_mul, bound, DG_REST(dg_real_arg(1 + wider)))
               : bound;
}

/* The range of the elements, widened to hold 0; *top NULL: failed. */
static void range_of(struct dg_call *call, bool rows, struct dg_tensor **bottom,
                     struct dg_tensor **top)
{
    *bottom = dg_apply(call, dg_cpu_clamp_max,
                       dg_bound_of(call, extreme(call, dg_cpu_amin, rows)),
                       DG_REST(dg_integer_arg(0)));
    *top = *bottom ? dg_apply(call, dg_cpu_clamp_min,
                              dg_bound_of(call, extreme(call, dg_cpu_amax, rows)),
                              DG_REST(dg_integer_arg(0)))
                   : NULL;
}

/* What both results come from; the shares of both tensors are used up. */
static enum dg_status give(struct dg_call *call, struct dg_tensor *scale,
                           struct dg_tensor *zero_point)
{
    scale = dg_apply(call, dg_cpu_to, scale, DG_REST(dg_type_arg(DG_TYPE_F64)));
    zero_point =
        dg_apply(call, dg_cpu_to, zero_point, DG_REST(dg_type_arg(DG_TYPE_I64)));
    dg_give(call, 0, scale);
    dg_give(call, 1, zero_point);
    return scale && zero_point ? DG_OK : dg_finish(call, NULL);
}

/* A tensor of shape [1], as torch makes of 0-d results. */
static struct dg_tensor *one_of(struct dg_call *call, struct dg_tensor *tensor)
{
    const int64_t size = 1;

    return tensor ? dg_in_shape(call, tensor, 1, &size) : NULL;
}

static struct dg_tensor *at_least_eps(struct dg_call *call, struct dg_tensor *scale)
{
    double eps = dg_arg_real(call, 3, 0);
    struct dg_tensor *bound = dg_tensor_over(DG_TYPE_F64, 0, NULL, &eps);

    bound = dg_apply(call, dg_cpu_to_copy, bound, DG_REST(dg_type_arg(DG_TYPE_F32)));
    bound = one_of(call, bound);
    scale = bound ? dg_apply(call, dg_cpu_maximum, scale, DG_REST(dg_tensor_arg(bound)))
                  : scale;
    dg_tensor_drop(bound);
    return scale;
}

enum dg_status dg_cpu_choose_qparams(struct dg_call *call)
{
    int64_t least = dg_arg_int(call, 1, 0), most = dg_arg_int(call, 2, 0);
    struct dg_tensor *bottom, *top, *scale, *zero_point;

    range_of(call, false, &bottom, &top);
    scale = dg_apply(call, dg_cpu_sub, top, DG_REST(dg_tensor_arg(bottom)));
    scale = dg_apply(call, dg_cpu_div, scale,
                     DG_REST(dg_real_arg((double)most - (double)least)));
    scale = at_least_eps(call, scale);
    if (!scale) {
        dg_tensor_drop(bottom);
        return dg_finish(call, NULL);
    }
    zero_point = dg_apply(call, dg_cpu_div, bottom, DG_REST(dg_tensor_arg(scale)));
    zero_point = dg_apply(call, dg_cpu_round, zero_point, 0, NULL);
    zero_point =
        dg_apply(call, dg_cpu_to, zero_point, DG_REST(dg_type_arg(DG_TYPE_I32)));
    zero_point =
        dg_apply(call, dg_cpu_rsub, zero_point, DG_REST(dg_integer_arg(least)));
    zero_point = dg_apply(call, dg_cpu_clamp, zero_point,
                          DG_REST(dg_integer_arg(least), dg_integer_arg(most)));
    return give(call, scale, zero_point);
}

/* Symmetric: the zero point is the middle of the range of the type. */
enum dg_status dg_cpu_choose_qparams_symmetric(struct dg_call *call)
{
    double steps =
        ((double)dg_arg_int(call, 2, 0) - (double)dg_arg_int(call, 1, 0)) / 2;
    int64_t middle = dg_arg_type(call, 4, DG_TYPE_I8) == DG_TYPE_U8 ? 128 : 0;
    struct dg_tensor *bottom, *top, *scale, *zero_point;

    range_of(call, false, &bottom, &top);
    bottom = dg_apply(call, dg_cpu_neg, bottom, 0, NULL);
    scale = dg_apply(call, dg_cpu_maximum, top, DG_REST(dg_tensor_arg(bottom)));
    dg_tensor_drop(bottom);
    scale = dg_apply(call, dg_cpu_div, scale, DG_REST(dg_real_arg(steps)));
    scale = at_least_eps(call, scale);
    zero_point = dg_apply(call, dg_cpu_full_like, dg_tensor_keep(scale),
                          DG_REST(dg_integer_arg(middle), dg_type_arg(DG_TYPE_I64)));
    return give(call, scale, zero_point);
}

/* The greatest size of each row over 127, in floats. */
enum dg_status dg_cpu_choose_qparams_per_token(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *sizes, *scale;
    struct dg_arg last = dg_integer_arg(-1);
    struct dg_arg dims = {DG_ARG_LIST, .as.list = {&last, 1}};

    if (dg_arg_type(call, 1, DG_TYPE_NONE) != DG_TYPE_I8)
        return dg_call_fail(call, DG_ERR_FORMAT, "rows are quantized to i8 only");
    sizes = dg_apply(call, dg_cpu_abs, dg_tensor_keep(self), 0, NULL);
    scale =
        dg_bound_of(call, dg_apply(call, dg_cpu_amax, sizes,
                                   DG_REST(dims, {DG_ARG_BOOL, .as.integer = true})));
    if (self && self->type == DG_TYPE_F16)
        scale = dg_apply(call, dg_cpu_to, scale, DG_REST(dg_type_arg(DG_TYPE_F32)));
    scale = dg_apply(call, dg_cpu_clamp_min, scale, DG_REST(dg_real_arg(1e-5)));
    scale = dg_apply(call, dg_cpu_div, scale, DG_REST(dg_integer_arg(127)));
    if (!dg_give(call, 0, scale))
        return dg_finish(call, NULL);
    return dg_give(call, 1,
                   dg_apply(call, dg_cpu_zeros_like, dg_tensor_keep(scale), 0, NULL))
               ? DG_OK
               : call->err->status;
}

/* Where rounding of zero costs less: counted from the bottom or from the top. */
static struct dg_tensor *closer_zero(struct dg_call *call, struct dg_tensor *bottom,
                                     struct dg_tensor *top)
{
    struct dg_tensor *sum, *from_top, *from_bottom, *result;

    sum = dg_apply(call, dg_cpu_add, dg_tensor_keep(bottom),
                   DG_REST(dg_integer_arg(-128)));
    from_top =
        dg_apply(call, dg_cpu_add, dg_tensor_keep(top), DG_REST(dg_integer_arg(127)));
    sum = from_top ? dg_apply(call, dg_cpu_add, sum, DG_REST(dg_tensor_arg(from_top)))
                   : sum;
    dg_tensor_drop(from_top);
    sum = dg_apply(call, dg_cpu_gt, sum, DG_REST(dg_integer_arg(0)));
    from_bottom = dg_apply(call, dg_cpu_rsub, dg_tensor_keep(bottom),
                           DG_REST(dg_integer_arg(-128)));
    from_top =
        dg_apply(call, dg_cpu_rsub, dg_tensor_keep(top), DG_REST(dg_integer_arg(127)));
    result = dg_apply(call, dg_cpu_where, sum,
                      DG_REST(dg_tensor_arg(from_bottom), dg_tensor_arg(from_top)));
    dg_tensor_drop(from_bottom);
    dg_tensor_drop(from_top);
    return result;
}

/* As XNNPACK chooses them, for i8. */
enum dg_status dg_cpu_choose_qparams_rows(struct dg_call *call)
{
    struct dg_tensor *bottom, *top, *scale, *zero_point = NULL;

    range_of(call, true, &bottom, &top);
    scale =
        dg_apply(call, dg_cpu_sub, dg_tensor_keep(top), DG_REST(dg_tensor_arg(bottom)));
    scale = dg_apply(call, dg_cpu_div, scale, DG_REST(dg_real_arg(255)));
    scale = dg_apply(call, dg_cpu_clamp_min, scale, DG_REST(dg_real_arg(FLT_EPSILON)));
    if (scale) {
        bottom = dg_apply(call, dg_cpu_div, bottom, DG_REST(dg_tensor_arg(scale)));
        top = dg_apply(call, dg_cpu_div, top, DG_REST(dg_tensor_arg(scale)));
    }
    if (scale && bottom && top)
        zero_point = closer_zero(call, bottom, top);
    dg_tensor_drop(bottom);
    dg_tensor_drop(top);
    zero_point = dg_apply(call, dg_cpu_clamp, zero_point,
                          DG_REST(dg_integer_arg(-128), dg_integer_arg(127)));
    zero_point = dg_apply(call, dg_cpu_round, zero_point, 0, NULL);
    return give(call, scale, zero_point);
}
