/* quantized_decomposed: between floats and integers on a grid. */
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/create.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/walk.h"

static const struct dg_arg nothing;

struct dg_arg dg_quantize_number(struct dg_call *call, size_t i)
{
    struct dg_tensor *tensor = dg_arg_tensor(call, i);
    struct dg_arg result = {0};
    struct dg_call item = {call->op, &call->args[i], 1,        &result,
                           1,        call->context,  call->err};

    if (!tensor)
        return *dg_number_at(call, i);
    return dg_cpu_item(&item) ? nothing : result;
}

static double real(const struct dg_arg *number)
{
    return number->kind == DG_ARG_FLOAT ? number->as.real : (double)number->as.integer;
}

static struct dg_tensor *input_as_f32(struct dg_call *call)
{
    return dg_apply(call, dg_cpu_to, dg_tensor_keep(dg_arg_tensor(call, 0)),
                    DG_REST(dg_type_arg(DG_TYPE_F32)));
}

struct dg_tensor *dg_round_to_codes(struct dg_call *call, struct dg_tensor *x)
{
    struct dg_tensor *codes;
    double value;

    if (!call->context->other_grid)
        return dg_apply(call, dg_cpu_round, x, 0, NULL);
    codes = x ? dg_contiguous(call, x) : NULL;
    dg_tensor_drop(x);
    for (int64_t i = 0, n = codes ? dg_tensor_count(codes) : 0; i < n; i++) {
        char *at =
            (char *)dg_tensor_data(codes) + (size_t)i * dg_type_bytes(codes->type);

        dg_load_f64(&value, codes->type, at, 1, 1);
        value = dg_round_to_code(value, dg_near_tie(call, call->near_tie, n));
        dg_store_f64(codes->type, at, 1, &value, 1);
    }
    return codes;
}

enum dg_status dg_cpu_quantize_per_tensor(struct dg_call *call)
{
    struct dg_arg scale = dg_quantize_number(call, 1),
                  zero_point = dg_quantize_number(call, 2);
    struct dg_arg least = dg_quantize_number(call, 3),
                  most = dg_quantize_number(call, 4);
    struct dg_tensor *x = input_as_f32(call);

    x = dg_apply(call, dg_cpu_mul, x, DG_REST(dg_real_arg(1 / real(&scale))));
    x = dg_round_to_codes(call, x);
    x = dg_apply(call, dg_cpu_add, x, DG_REST(zero_point));
    x = dg_apply(call, dg_cpu_clamp, x, DG_REST(least, most));
    return dg_finish(
        call, dg_apply(call, dg_cpu_to_copy, x, DG_REST(*dg_number_at(call, 5))));
}

enum dg_status dg_cpu_dequantize_per_tensor(struct dg_call *call)
{
    struct dg_arg scale = dg_quantize_number(call, 1),
                  zero_point = dg_quantize_number(call, 2);
    struct dg_tensor *x = dg_tensor_keep(dg_arg_tensor(call, 0));

    x = dg_apply(call, dg_cpu_to_copy, x,
                 DG_REST(dg_type_arg(dg_arg_type(call, 6, DG_TYPE_F32))));
    x = dg_apply(call, dg_cpu_sub, x, DG_REST(zero_point));
    return dg_finish(call, dg_apply(call, dg_cpu_mul, x, DG_REST(scale)));
}

struct dg_tensor *dg_along_axis(struct dg_call *call, size_t i, int64_t axis)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0), *values;
    int64_t sizes[DG_RANK_MOST] = {0}, strides[DG_RANK_MOST] = {0};
    int dim;

    values = dg_arg_tensor(call, i);
    if (!input || !values || !dg_dimension(call, axis, input->rank, &dim))
        return NULL;
    if (values->rank != 1 || !input->rank) {
        dg_call_fail(call, DG_ERR_FORMAT,
                     "the numbers for each channel have rank %d, the input %d",
                     values->rank, input->rank);
        return NULL;
    }
    for (int k = dim; k < input->rank; k++)
        sizes[k - dim] = 1;
    sizes[0] = values->sizes[0];
    strides[0] = values->strides[0];
    return dg_tensor_view(values, input->rank - dim, sizes, strides, values->offset);
}

enum dg_status dg_cpu_quantize_per_channel(struct dg_call *call)
{
    int64_t axis = dg_arg_int(call, 3, 0);
    struct dg_tensor *inverse, *zero_points = dg_along_axis(call, 2, axis), *x;

    inverse = dg_apply(call, dg_cpu_reciprocal, dg_along_axis(call, 1, axis), 0, NULL);
    x = inverse && zero_points ? input_as_f32(call) : NULL;
    x = dg_apply(call, dg_cpu_mul, x, DG_REST(dg_tensor_arg(inverse)));
    x = dg_round_to_codes(call, x);
    x = dg_apply(call, dg_cpu_add, x, DG_REST(dg_tensor_arg(zero_points)));
    x = dg_apply(call, dg_cpu_clamp, x,
                 DG_REST(*dg_number_at(call, 4), *dg_number_at(call, 5)));
    dg_tensor_drop(inverse);
    dg_tensor_drop(zero_points);
    return dg_finish(
        call, dg_apply(call, dg_cpu_to_copy, x, DG_REST(*dg_number_at(call, 6))));
}

struct dg_tensor *dg_dequantize(struct dg_call *call, struct dg_tensor *x,
                                struct dg_tensor *scales, struct dg_tensor *zero_points,
                                enum dg_type type)
{
    if (!scales) {
        dg_tensor_drop(x);
        return NULL;
    }
    if (zero_points)
        x = dg_apply(call, dg_cpu_sub, x, DG_REST(dg_tensor_arg(zero_points)));
    x = dg_apply(call, dg_cpu_mul, x, DG_REST(dg_tensor_arg(scales)));
    return dg_apply(call, dg_cpu_to, x, DG_REST(dg_type_arg(type)));
}

enum dg_status dg_cpu_dequantize_per_channel(struct dg_call *call)
{
    int64_t axis = dg_arg_int(call, 3, 0);
    struct dg_tensor *scales = dg_along_axis(call, 1, axis), *x = NULL;
    struct dg_tensor *zero_points =
        dg_arg_missing(call, 2) ? NULL : dg_along_axis(call, 2, axis);

    if (zero_points || dg_arg_missing(call, 2))
        x = dg_dequantize(call, dg_tensor_keep(dg_arg_tensor(call, 0)), scales,
                          zero_points, dg_arg_type(call, 7, DG_TYPE_F32));
    dg_tensor_drop(scales);
    dg_tensor_drop(zero_points);
    return dg_finish(call, x);
}

/* One scale for each row: here zero points are added before rounding. */
static struct dg_tensor *quantize_rows(struct dg_call *call, struct dg_tensor *x,
                                       struct dg_tensor *scales,
                                       struct dg_tensor *zero_points)
{
    struct dg_tensor *inverse =
        dg_apply(call, dg_cpu_reciprocal, dg_tensor_keep(scales), 0, NULL);

    if (!inverse || !zero_points) {
        dg_tensor_drop(inverse);
        dg_tensor_drop(x);
        return NULL;
    }
    x = dg_apply(call, dg_cpu_mul, x, DG_REST(dg_tensor_arg(inverse)));
    x = dg_apply(call, dg_cpu_add, x, DG_REST(dg_tensor_arg(zero_points)));
    x = dg_round_to_codes(call, x);
    x = dg_apply(call, dg_cpu_clamp, x,
                 DG_REST(*dg_number_at(call, 3), *dg_number_at(call, 4)));
    dg_tensor_drop(inverse);
    return dg_apply(call, dg_cpu_to_copy, x, DG_REST(*dg_number_at(call, 5)));
}

enum dg_status dg_cpu_quantize_per_token(struct dg_call *call)
{
    return dg_finish(call,
                     quantize_rows(call, dg_tensor_keep(dg_arg_tensor(call, 0)),
                                   dg_arg_tensor(call, 1), dg_arg_tensor(call, 2)));
}

enum dg_status dg_cpu_dequantize_per_token(struct dg_call *call)
{
    return dg_finish(call, dg_dequantize(call, dg_tensor_keep(dg_arg_tensor(call, 0)),
                                         dg_arg_tensor(call, 1), dg_arg_tensor(call, 2),
                                         dg_arg_type(call, 6, DG_TYPE_F32)));
}

struct dg_tensor *dg_in_rows(struct dg_call *call, struct dg_tensor *tensor,
                             int64_t size)
{
    struct dg_tensor *dense = tensor ? dg_contiguous(call, tensor) : NULL, *rows = NULL;
    int64_t count = dense ? dg_tensor_count(dense) : 0;

    if (dense && size > 0 && count % size == 0)
        rows = dg_tensor_view(dense, 2, (int64_t[]){count / size, size},
                              (int64_t[]){size, 1}, dense->offset);
    else if (dense)
        dg_call_fail(call, DG_ERR_FORMAT, "%lld elements do not make groups of %lld",
                     (long long)count, (long long)size);
    dg_tensor_drop(dense);
    return rows;
}

struct dg_tensor *dg_in_shape(struct dg_call *call, struct dg_tensor *rows, int rank,
                              const int64_t *sizes)
{
    int64_t strides[DG_RANK_MOST], count = 0;
    struct dg_tensor *result = NULL;

    if (rows && dg_shape_count(rank, sizes, rows->type, &count) &&
        count == dg_tensor_count(rows)) {
        dg_contiguous_strides(rank, sizes, strides);
        result = dg_tensor_view(rows, rank, sizes, strides, rows->offset);
    } else if (rows) {
        dg_call_fail(call, DG_ERR_FORMAT,
                     "scales and zero points make %lld elements of %lld",
                     (long long)dg_tensor_count(rows), (long long)count);
    }
    dg_tensor_drop(rows);
    return result;
}

/* A single group may be said to be larger than the row it is. */
static int64_t group_size(struct dg_call *call, size_t at)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);
    const struct dg_tensor *scales = dg_arg_tensor(call, 1);
    int64_t size = dg_arg_int(call, at, 128), columns;

    if (!input || !input->rank || !scales || !scales->rank)
        return 0;
    columns = input->sizes[input->rank - 1];
    return size > columns && scales->sizes[scales->rank - 1] == 1 ? columns : size;
}

static enum dg_status by_group(struct dg_call *call, int64_t size, bool to_integers,
                               enum dg_type type)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);
    struct dg_tensor *x = dg_in_rows(call, dg_arg_tensor(call, 0), size);
    struct dg_tensor *scales = dg_in_rows(call, dg_arg_tensor(call, 1), 1);
    struct dg_tensor *zero_points = dg_in_rows(call, dg_arg_tensor(call, 2), 1);

    if (to_integers)
        x = quantize_rows(call, x, scales, zero_points);
    else
        x = dg_dequantize(call, x, scales, zero_points, type);
    if (x)
        x = dg_in_shape(call, x, input->rank, input->sizes);
    dg_tensor_drop(scales);
    dg_tensor_drop(zero_points);
    return dg_finish(call, x);
}

enum dg_status dg_cpu_quantize_per_group(struct dg_call *call)
{
    return by_group(call, group_size(call, 6), true, DG_TYPE_NONE);
}

enum dg_status dg_cpu_dequantize_per_group(struct dg_call *call)
{
    return by_group(call, group_size(call, 6), false,
                    dg_arg_type(call, 7, DG_TYPE_F32));
}
