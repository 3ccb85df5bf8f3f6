/* Matrix products of floats of 8 bits and of weights of 4 and 8 bits, with their
 * scales: made of f64, and rounded once. */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/walk.h"

/* What own sums add in, too. */
static enum dg_type work_type(const struct dg_call *call)
{
    return call->context->precision == DG_PRECISION_OWN_SUMS ? DG_TYPE_F32
                                                             : DG_TYPE_F64;
}

/* Argument `i`, a matrix: one share; NULL: failed. */
static struct dg_tensor *matrix_at(struct dg_call *call, size_t i)
{
    struct dg_tensor *given = dg_need_tensor(call, i);

    if (given && given->rank != 2) {
        dg_call_fail(call, DG_ERR_FORMAT, "argument %zu is of rank %d; 2 is needed", i,
                     given->rank);
        return NULL;
    }
    return given ? dg_as_type(call, given, work_type(call)) : NULL;
}

/* Result 0 is `product`, rounded to `type`; its share is used up. */
static enum dg_status give_rounded(struct dg_call *call, struct dg_tensor *product,
                                   enum dg_type type)
{
    struct dg_tensor *result =
        product ? dg_result(call, 0, type, product->rank, product->sizes) : NULL;

    if (result)
        dg_copy_elements(result, product, call->context->n_threads);
    dg_tensor_drop(product);
    return result ? DG_OK : call->err->status;
}

static struct dg_tensor *transposed(struct dg_call *call, struct dg_tensor *matrix)
{
    return dg_apply(call, dg_cpu_matrix_transpose, matrix, 0, NULL);
}

/* `product` times a scale, a number or one for each row (dim 0) or column (dim 1); the
 * share is used up. NULL: failed. */
static struct dg_tensor *scaled(struct dg_call *call, struct dg_tensor *product,
                                struct dg_tensor *scale, int dim)
{
    struct dg_tensor *factors, *view = NULL;
    int64_t strides[] = {dim == 0, dim == 1}, sizes[] = {1, 1};
    int64_t count = scale ? dg_tensor_count(scale) : 0;

    if (!product)
        return NULL;
    sizes[dim] = count;
    if (count != 1 && (scale == NULL || scale->rank != 2 ||
                       scale->sizes[dim] != count || count != product->sizes[dim])) {
        dg_tensor_drop(product);
        dg_call_fail(call, DG_ERR_DEVICE,
                     "scales that are not one for all, for each row, or each column");
        return NULL;
    }
    factors = dg_as_type(call, scale, product->type);
    if (factors)
        view = dg_tensor_view(factors, 2, sizes, strides, factors->offset);
    dg_tensor_drop(factors);
    return dg_apply_two(call, dg_cpu_mul, product, view);
}

/* The arguments of a scaled product, wherever its overload has them. */
struct scales {
    struct dg_tensor *a, *b, *bias, *result; /* bias and result: NULL: none */
    enum dg_type type;                       /* of the result; NONE: of the first */
};

/* a b, of f8, times both scales, and the bias. What is rounded to f8 is divided by its
 * own scale before. */
static enum dg_status multiply_scaled(struct dg_call *call, const struct scales *scales)
{
    struct dg_tensor *a = matrix_at(call, 0), *b = a ? matrix_at(call, 1) : NULL;
    struct dg_tensor *product = dg_apply_two(call, dg_cpu_mm, a, b);
    enum dg_type type = scales->type;

    if (product && type == DG_TYPE_NONE)
        type = dg_arg_tensor(call, 0)->type;
    product = scaled(call, product, scales->a, 0);
    product = scaled(call, product, scales->b, 1);
    if (product && scales->bias)
        product =
            dg_apply(call, dg_cpu_add, product, DG_REST(dg_tensor_arg(scales->bias)));
    if (product && scales->result && !dg_type_is_float(type))
        product =
            dg_apply(call, dg_cpu_div, product, DG_REST(dg_tensor_arg(scales->result)));
    return give_rounded(call, product, type);
}

/* self, mat2, scale_a, scale_b, bias, scale_result, out_dtype */
enum dg_status dg_cpu_scaled_mm(struct dg_call *call)
{
    return multiply_scaled(
        call, &(struct scales){dg_arg_tensor(call, 2), dg_arg_tensor(call, 3),
                               dg_arg_tensor(call, 4), dg_arg_tensor(call, 5),
                               dg_arg_type(call, 6, DG_TYPE_NONE)});
}

/* The one tensor of list `i`; NULL: it has none, or several. */
static struct dg_tensor *only_tensor(const struct dg_call *call, size_t i)
{
    const struct dg_arg *arg = i < call->n_args ? &call->args[i] : NULL;

    return arg && arg->kind == DG_ARG_LIST && arg->as.list.n_items == 1 &&
                   arg->as.list.items[0].kind == DG_ARG_TENSOR
               ? arg->as.list.items[0].as.tensor
               : NULL;
}

/* self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias,
 * out_dtype, contraction_dim: lists of scales, of which a tensor and its rows have
 * one. */
enum dg_status dg_cpu_scaled_mm_recipes(struct dg_call *call)
{
    struct scales scales = {only_tensor(call, 2), only_tensor(call, 5),
                            dg_arg_tensor(call, 8), NULL,
                            dg_arg_type(call, 9, DG_TYPE_NONE)};
    int64_t dims[DG_RANK_MOST];
    int n_dims = dg_arg_ints(call, 10, dims, DG_RANK_MOST);

    if (n_dims < 0)
        return call->err->status;
    if (n_dims || !scales.a || !scales.b)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "scales of blocks, or products over other dimensions");
    return multiply_scaled(call, &scales);
}

/* aten::_weight_int8pack_mm: self, mat2 [n, k] of i8, scales [n] */
enum dg_status dg_cpu_weight_int8_mm(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *scales = dg_need_tensor(call, 2);
    struct dg_tensor *a, *b, *product, *factors;

    if (!self || !scales)
        return call->err->status;
    a = matrix_at(call, 0);
    b = a ? transposed(call, matrix_at(call, 1)) : NULL;
    product = dg_apply_two(call, dg_cpu_mm, a, b);
    if (product && (scales->rank != 1 || scales->sizes[0] != product->sizes[1])) {
        dg_tensor_drop(product);
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "scales that are not one for each row "
                            "of the weight");
    }
    factors = product ? dg_as_type(call, scales, product->type) : NULL;
    return give_rounded(call, dg_apply_two(call, dg_cpu_mul, product, factors),
                        self->type);
}

/* Weights of 4 bits as torch packs them on processors with AVX512: of 64 rows together
 * those of the second half are the high bits of the first's; of the rows behind, 16, 32
 * or 48, each odd one those of the row before. Columns lie one behind the other. */
struct packed {
    unsigned char *bytes; /* [n, k / 2] */
    int64_t n, k;
};

/* The byte of row `n` and column `k`; *shift is where its bits are. */
static unsigned char *packed_byte(const struct packed *packed, int64_t n, int64_t k,
                                  int *shift)
{
    enum { BLOCK = 64 };
    int64_t first = n - n % BLOCK, row = n - first;
    bool whole = packed->n - first >= BLOCK;
    int64_t column = (whole ? BLOCK : packed->n - first) / 2;

    *shift = (whole ? row >= BLOCK / 2 : row % 2) ? 4 : 0;
    return packed->bytes + first / 2 * packed->k + k * column +
           (whole ? row % (BLOCK / 2) : row / 2);
}

static bool open_packed(struct dg_call *call, struct packed *packed,
                        struct dg_tensor *tensor)
{
    bool fits = tensor->type == DG_TYPE_U8 && tensor->rank == 2 &&
                dg_tensor_contiguous(tensor) && tensor->sizes[0] % 16 == 0 &&
                !__builtin_mul_overflow(tensor->sizes[1], 2, &packed->k);

    packed->n = tensor->sizes[0];
    packed->bytes = dg_tensor_data(tensor);
    if (!fits)
        dg_call_fail(call, DG_ERR_FORMAT,
                     "a packed weight is [n, k / 2] bytes, n in sixteens");
    return fits;
}

/* aten::_convert_weight_to_int4pack_for_cpu: self [n, k] of i32, innerKTiles */
enum dg_status dg_cpu_pack_int4(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *codes, *result;
    struct packed packed;
    const int32_t *code;

    if (!self)
        return call->err->status;
    if (self->type != DG_TYPE_I32 || self->rank != 2 || self->sizes[1] % 2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "codes are a matrix of i32 with an even number of columns");
    result = dg_result(call, 0, DG_TYPE_U8, 2,
                       (int64_t[]){self->sizes[0], self->sizes[1] / 2});
    if (!result || !open_packed(call, &packed, result))
        return call->err->status;
    codes = dg_contiguous(call, self);
    if (!codes)
        return call->err->status;
    code = dg_tensor_data(codes);
    dg_zero_elements(result);
    for (int64_t i = 0; i < dg_tensor_count(codes); i++) {
        int shift;
        unsigned char *byte = packed_byte(&packed, i / packed.k, i % packed.k, &shift);

        *byte = (unsigned char)(*byte | (code[i] & 15) << shift);
    }
    dg_tensor_drop(codes);
    return DG_OK;
}

/* [k, n]: (code - 8) * scale + zero, of groups of columns; one share, NULL: failed. */
static struct dg_tensor *unpack(struct dg_call *call, const struct packed *packed,
                                int64_t group, struct dg_tensor *scales_and_zeros)
{
    struct dg_tensor *pairs = dg_as_type(call, scales_and_zeros, DG_TYPE_F64), *weight;
    const double *pair;

    weight = pairs ? dg_tensor_new(call->context->memory, DG_TYPE_F64, 2,
                                   (int64_t[]){packed->k, packed->n}, call->err)
                   : NULL;
    for (int64_t i = 0; weight && i < dg_tensor_count(weight); i++) {
        int64_t k = i / packed->n, n = i % packed->n;
        int shift, code = *packed_byte(packed, n, k, &shift);

        pair = (double *)dg_tensor_data(pairs) + 2 * (k / group * packed->n + n);
        ((double *)dg_tensor_data(weight))[i] =
            (double)((code >> shift & 15) - 8) * pair[0] + pair[1];
    }
    dg_tensor_drop(pairs);
    return weight;
}

/* aten::_weight_int4pack_mm_for_cpu: self, mat2, qGroupSize, qScaleAndZeros [k / group,
 * n, 2] */
enum dg_status dg_cpu_weight_int4_mm(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *mat2 = dg_need_tensor(call, 1);
    struct dg_tensor *pairs = dg_need_tensor(call, 3), *a, *weight, *b;
    int64_t group = dg_arg_int(call, 2, 0);
    struct packed packed;

    if (!self || !mat2 || !pairs || !open_packed(call, &packed, mat2))
        return call->err->status;
    if (group < 1 || packed.k % group || pairs->rank != 3 ||
        pairs->sizes[0] != packed.k / group || pairs->sizes[1] != packed.n ||
        pairs->sizes[2] != 2)
        return dg_call_fail(
            call, DG_ERR_FORMAT,
            "scales and zeros do not fit groups of %lld columns of %lld",
            (long long)group, (long long)packed.k);
    a = matrix_at(call, 0);
    weight = a ? unpack(call, &packed, group, pairs) : NULL;
    b = weight ? dg_as_type(call, weight, work_type(call)) : NULL;
    dg_tensor_drop(weight);
    return give_rounded(call, dg_apply_two(call, dg_cpu_mm, a, b), self->type);
}
