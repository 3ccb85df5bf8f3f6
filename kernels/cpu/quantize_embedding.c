/* Rows of a quantized table, and fake quantization: to the grid and back. */
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/create.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/quantize.h"

/* Bytes that hold 8 / bits numbers each; the least of them is -2^(bits - 1). */
static struct dg_tensor *unpacked(struct dg_call *call, struct dg_tensor *packed,
                                  int bits)
{
    int64_t sizes[DG_RANK_MOST], count = dg_tensor_count(packed), per_byte = 8 / bits;
    const uint8_t *from = dg_tensor_data(packed);
    struct dg_tensor *result;
    int8_t *to;

    for (int dim = 0; dim < packed->rank; dim++)
        sizes[dim] = packed->sizes[dim];
    if (__builtin_mul_overflow(sizes[packed->rank - 1], per_byte,
                               &sizes[packed->rank - 1]))
        return NULL;
    result = dg_tensor_new(call->context->memory, DG_TYPE_I8, packed->rank, sizes,
                           call->err);
    if (!result)
        return NULL;
    to = dg_tensor_data(result);
    for (int64_t i = 0; i < count * per_byte; i++) {
        /* Four bits begin with the upper half, two bits with the lowest pair. */
        int64_t place = i % per_byte,
                shift = bits == 4 ? 4 * (1 - place) : bits * place;
        int value = from[i / per_byte] >> shift & ((1 << bits) - 1);

        to[i] = (int8_t)(value - (1 << (bits - 1)));
    }
    return result;
}

/* Rows of argument `i`, a column or more of numbers for each row of the table. */
static struct dg_tensor *numbers_of_rows(struct dg_call *call, size_t i)
{
    const struct dg_tensor *all = dg_arg_tensor(call, i);
    struct dg_tensor *table, *rows;

    if (!all || all->rank < 1 || all->rank > 2)
        return NULL;
    table = dg_tensor_view(
        all, 2, (int64_t[]){all->sizes[0], all->rank == 2 ? all->sizes[1] : 1},
        (int64_t[]){all->strides[0], all->rank == 2 ? all->strides[1] : 1},
        all->offset);
    rows = dg_apply(call, dg_cpu_embedding, table, DG_REST(*dg_number_at(call, 5)));
    table = dg_in_rows(call, rows, 1);
    dg_tensor_drop(rows);
    return table;
}

static enum dg_status embedding(struct dg_call *call, int bits)
{
    struct dg_tensor *weight = dg_arg_tensor(call, 0), *all = dg_arg_tensor(call, 1);
    int64_t n_groups = all && all->rank == 2 ? all->sizes[1] : 1;
    struct dg_tensor *rows, *x = NULL, *scales, *zero_points, *packed;

    if (!weight || weight->rank != 2 || !all || n_groups < 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a table of rank %d with %lld groups in a row",
                            weight ? weight->rank : 0, (long long)n_groups);
    rows = dg_apply(call, dg_cpu_embedding, dg_tensor_keep(weight),
                    DG_REST(*dg_number_at(call, 5)));
    if (rows && bits < 8) {
        packed = rows;
        rows = unpacked(call, packed, bits);
        dg_tensor_drop(packed);
    }
    if (rows)
        x = dg_in_rows(call, rows, rows->sizes[rows->rank - 1] / n_groups);
    scales = x ? numbers_of_rows(call, 1) : NULL;
    zero_points = x ? numbers_of_rows(call, 2) : NULL;
    if (x && (zero_points || dg_arg_missing(call, 2)))
        x = dg_dequantize(call, x, scales, zero_points,
                          dg_arg_type(call, 6, all->type));
    if (x)
        x = dg_in_shape(call, x, rows->rank, rows->sizes);
    dg_tensor_drop(rows);
    dg_tensor_drop(scales);
    dg_tensor_drop(zero_points);
    return dg_finish(call, x);
}

enum dg_status dg_cpu_embedding_byte(struct dg_call *call)
{
    return embedding(call, 8);
}

enum dg_status dg_cpu_embedding_4bit(struct dg_call *call)
{
    return embedding(call, 4);
}

enum dg_status dg_cpu_embedding_2bit(struct dg_call *call)
{
    return embedding(call, 2);
}

/* To the grid and back: what training sees of quantization. Uses up x. */
static struct dg_tensor *to_grid_and_back(struct dg_call *call, struct dg_tensor *x,
                                          struct dg_arg inverse, struct dg_arg scale,
                                          struct dg_arg zero_point, size_t bounds)
{
    x = dg_apply(call, dg_cpu_mul, x, DG_REST(inverse));
    x = dg_apply(call, dg_cpu_round, x, 0, NULL);
    x = dg_apply(call, dg_cpu_add, x, DG_REST(zero_point));
    x = dg_apply(call, dg_cpu_clamp, x,
                 DG_REST(*dg_number_at(call, bounds), *dg_number_at(call, bounds + 1)));
    x = dg_apply(call, dg_cpu_sub, x, DG_REST(zero_point));
    return dg_apply(call, dg_cpu_mul, x, DG_REST(scale));
}

enum dg_status dg_cpu_fake_quantize(struct dg_call *call)
{
    struct dg_arg given = dg_quantize_number(call, 1);
    double scale = dg_rounded(call->context, DG_TYPE_F32, given.as.real);
    struct dg_tensor *self = dg_tensor_keep(dg_arg_tensor(call, 0));

    if (given.kind != DG_ARG_FLOAT) {
        dg_tensor_drop(self);
        return dg_call_fail(call, DG_ERR_FORMAT, "the scale is not a real number");
    }
    return dg_finish(call, to_grid_and_back(call, self, dg_real_arg(1 / scale),
                                            dg_real_arg(scale),
                                            dg_quantize_number(call, 2), 3));
}

enum dg_status dg_cpu_fake_quantize_channels(struct dg_call *call)
{
    int64_t axis = dg_arg_int(call, 3, 0);
    struct dg_tensor *scales = dg_along_axis(call, 1, axis), *x = NULL;
    struct dg_tensor *zero_points = dg_along_axis(call, 2, axis);
    struct dg_tensor *inverse =
        dg_apply(call, dg_cpu_reciprocal, dg_tensor_keep(scales), 0, NULL);

    if (inverse && zero_points)
        x = to_grid_and_back(call, dg_tensor_keep(dg_arg_tensor(call, 0)),
                             dg_tensor_arg(inverse), dg_tensor_arg(scales),
                             dg_tensor_arg(zero_points), 4);
    dg_tensor_drop(inverse);
    dg_tensor_drop(scales);
    dg_tensor_drop(zero_points);
    return dg_finish(call, x);
}
