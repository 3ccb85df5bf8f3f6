/* torchao: to and from a grid that is shared by the elements of a block, whose sizes
 * are given for each dimension. */
#include <float.h>
#include <string.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/walk.h"

/* The input with each dimension that has several blocks as two: which, and how many
 * elements share a number. */
struct blocks {
    int rank;
    int64_t sizes[DG_RANK_MOST];
    bool shared[DG_RANK_MOST]; /* one number along it */
};

static enum dg_status add_dimension(struct dg_call *call, struct blocks *blocks,
                                    int64_t size, bool shared)
{
    if (blocks->rank == DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_FORMAT, "blocks in too many dimensions");
    blocks->sizes[blocks->rank] = size;
    blocks->shared[blocks->rank++] = shared;
    return DG_OK;
}

/* Sizes of blocks are argument `at`. */
static enum dg_status find_blocks(struct dg_call *call, size_t at,
                                  struct blocks *blocks)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);
    int64_t of[DG_RANK_MOST];
    enum dg_status status = DG_OK;

    *blocks = (struct blocks){0};
    if (!input)
        return dg_call_fail(call, DG_ERR_FORMAT, "an argument is missing");
    if (dg_arg_ints(call, at, of, DG_RANK_MOST) != input->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "there are not as many sizes of blocks as dimensions");
    for (int i = 0; i < input->rank && !status; i++) {
        int64_t size = input->sizes[i], block = of[i];
        bool several = block > 1 && block != size;

        if (block < 0 || (several && size % block))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "%lld elements do not make blocks of %lld",
                                (long long)size, (long long)block);
        status = add_dimension(call, blocks, several ? size / block : size,
                               !several && block != 1);
        if (!status && several)
            status = add_dimension(call, blocks, block, true);
    }
    return status;
}

static struct dg_tensor *dense(struct dg_call *call, struct dg_tensor *tensor)
{
    return tensor ? dg_contiguous(call, tensor) : NULL;
}

static struct dg_tensor *input_in_blocks(struct dg_call *call,
                                         const struct blocks *blocks)
{
    struct dg_tensor *input = dense(call, dg_arg_tensor(call, 0));

    return input ? dg_in_shape(call, input, blocks->rank, blocks->sizes) : NULL;
}

/* Argument `i`, a number for each block, so that it broadcasts over them. */
static struct dg_tensor *one_for_each(struct dg_call *call, size_t i,
                                      const struct blocks *blocks)
{
    struct dg_tensor *numbers = dense(call, dg_arg_tensor(call, i));
    int64_t sizes[DG_RANK_MOST];

    for (int k = 0; k < blocks->rank; k++)
        sizes[k] = blocks->shared[k] ? 1 : blocks->sizes[k];
    return numbers ? dg_in_shape(call, numbers, blocks->rank, sizes) : NULL;
}

struct bounds {
    double least, most;
};

/* Arguments `at` and behind it, or those of the type. */
static enum dg_status find_bounds(struct dg_call *call, enum dg_type type, size_t at,
                                  struct bounds *bounds)
{
    switch (type) {
    case DG_TYPE_I8:
        *bounds = (struct bounds){INT8_MIN, INT8_MAX};
        break;
    case DG_TYPE_U8:
        *bounds = (struct bounds){0, UINT8_MAX};
        break;
    case DG_TYPE_I16:
        *bounds = (struct bounds){INT16_MIN, INT16_MAX};
        break;
    case DG_TYPE_I32:
        *bounds = (struct bounds){INT32_MIN, INT32_MAX};
        break;
    default:
        return dg_call_fail(call, DG_ERR_FORMAT, "a grid of %s",
                            dg_type_name(type));
    }
    bounds->least = dg_arg_real(call, at, bounds->least);
    bounds->most = dg_arg_real(call, at + 1, bounds->most);
    return DG_OK;
}

static struct dg_tensor *back_in_shape(struct dg_call *call, struct dg_tensor *x)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);

    return x ? dg_in_shape(call, x, input->rank, input->sizes) : NULL;
}

enum dg_status dg_cpu_quantize_affine(struct dg_call *call)
{
    struct dg_tensor *x, *inverse, *zero_points;
    enum dg_type type = dg_arg_type(call, 4, DG_TYPE_NONE);
    struct blocks blocks;
    struct bounds bounds;

    if (find_blocks(call, 1, &blocks) || find_bounds(call, type, 5, &bounds))
        return call->err->status;
    inverse =
        dg_apply(call, dg_cpu_reciprocal, one_for_each(call, 2, &blocks), 0, NULL);
    zero_points = one_for_each(call, 3, &blocks);
    x = inverse && zero_points ? input_in_blocks(call, &blocks) : NULL;
    x = dg_apply(call, dg_cpu_mul, x, DG_REST(dg_tensor_arg(inverse)));
    x = dg_round_to_codes(call, x);
    x = dg_apply(call, dg_cpu_add, x, DG_REST(dg_tensor_arg(zero_points)));
    x = dg_apply(call, dg_cpu_clamp, x,
                 DG_REST(dg_real_arg(bounds.least), dg_real_arg(bounds.most)));
    dg_tensor_drop(inverse);
    dg_tensor_drop(zero_points);
    x = back_in_shape(call, x);
    return dg_finish(call,
                     dg_apply(call, dg_cpu_to_copy, x, DG_REST(dg_type_arg(type))));
}

enum dg_status dg_cpu_dequantize_affine(struct dg_call *call)
{
    struct dg_arg type = dg_type_arg(dg_arg_type(call, 7, DG_TYPE_F32));
    struct dg_tensor *x = NULL, *scales, *zero_points = NULL;
    bool has_zeros = !dg_arg_missing(call, 3);
    struct blocks blocks;

    if (find_blocks(call, 1, &blocks))
        return call->err->status;
    scales = one_for_each(call, 2, &blocks);
    if (scales && has_zeros)
        zero_points =
            dg_apply(call, dg_cpu_to, one_for_each(call, 3, &blocks), DG_REST(type));
    if (scales && (zero_points || !has_zeros))
        x = dg_apply(call, dg_cpu_to_copy, input_in_blocks(call, &blocks),
                     DG_REST(type));
    x = dg_dequantize(call, x, scales, zero_points, type.as.type);
    dg_tensor_drop(scales);
    dg_tensor_drop(zero_points);
    return dg_finish(call, back_in_shape(call, x));
}

/* The least or greatest of each block, and no further from 0 than that. */
static struct dg_tensor *extreme(struct dg_call *call, const struct blocks *blocks,
                                 bool greatest)
{
    struct dg_arg dims[DG_RANK_MOST];
    struct dg_tensor *bound;
    size_t n = 0;

    for (int i = 0; i < blocks->rank; i++) {
        if (blocks->shared[i])
            dims[n++] = dg_integer_arg(i);
    }
    bound = dg_apply(call, greatest ? dg_cpu_amax : dg_cpu_amin,
                     input_in_blocks(call, blocks),
                     DG_REST({DG_ARG_LIST, .as.list = {dims, n}},
                             {DG_ARG_BOOL, .as.integer = dg_arg_bool(call, 9, false)}));
    return dg_apply(call, greatest ? dg_cpu_clamp_min : dg_cpu_clamp_max,
                    dg_bound_of(call, bound), DG_REST(dg_integer_arg(0)));
}

static double least_scale(struct dg_call *call)
{
    enum dg_type type = dg_arg_tensor(call, 0)->type;
    const double least_f16 = 0x1p-14;

    return dg_arg_real(call, 6, type == DG_TYPE_F16 ? least_f16 : (double)FLT_MIN);
}

static struct dg_tensor *divided(struct dg_call *call, struct dg_tensor *x, double by)
{
    return dg_apply(call, dg_cpu_div, x, DG_REST(dg_real_arg(by)));
}

/* The larger of both quotients where bounds differ, as they do in two's complement. */
static struct dg_tensor *unclipped_scale(struct dg_call *call, struct dg_tensor *bottom,
                                         struct dg_tensor *top,
                                         const struct bounds *bounds)
{
    struct dg_tensor *low, *high, *scale;

    low = divided(call, dg_tensor_keep(bottom), bounds->least);
    high = divided(call, dg_tensor_keep(top), bounds->most);
    scale = low && high ? dg_apply(call, dg_cpu_gt, dg_tensor_keep(low),
                                   DG_REST(dg_tensor_arg(high)))
                        : NULL;
    scale = dg_apply(call, dg_cpu_where, scale,
                     DG_REST(dg_tensor_arg(low), dg_tensor_arg(high)));
    dg_tensor_drop(low);
    dg_tensor_drop(high);
    return scale;
}

static struct dg_tensor *symmetric_scale(struct dg_call *call, struct dg_tensor *bottom,
                                         struct dg_tensor *top,
                                         const struct bounds *bounds)
{
    struct dg_tensor *below =
        dg_apply(call, dg_cpu_neg, dg_tensor_keep(bottom), 0, NULL);
    struct dg_tensor *scale =
        below ? dg_apply(call, dg_cpu_maximum, below, DG_REST(dg_tensor_arg(top)))
              : NULL;

    return divided(call, scale, (bounds->most - bounds->least) / 2);
}

static struct dg_tensor *asymmetric_scale(struct dg_call *call,
                                          struct dg_tensor *bottom,
                                          struct dg_tensor *top,
                                          const struct bounds *bounds)
{
    struct dg_tensor *range =
        dg_apply(call, dg_cpu_sub, dg_tensor_keep(top), DG_REST(dg_tensor_arg(bottom)));

    return divided(call, range, bounds->most - bounds->least);
}

static struct dg_tensor *zero_of(struct dg_call *call, bool symmetric,
                                 struct dg_tensor *bottom, struct dg_tensor *scale,
                                 const struct bounds *bounds)
{
    double middle = trunc((bounds->most + bounds->least + 1) / 2);
    struct dg_tensor *zero;

    if (symmetric)
        return dg_apply(call, dg_cpu_full_like, dg_tensor_keep(scale),
                        DG_REST(dg_real_arg(middle)));
    zero = scale ? dg_apply(call, dg_cpu_div, dg_tensor_keep(bottom),
                            DG_REST(dg_tensor_arg(scale)))
                 : NULL;
    zero = dg_apply(call, dg_cpu_round, zero, 0, NULL);
    zero = dg_apply(call, dg_cpu_rsub, zero, DG_REST(dg_real_arg(bounds->least)));
    return dg_apply(call, dg_cpu_clamp, zero,
                    DG_REST(dg_real_arg(bounds->least), dg_real_arg(bounds->most)));
}

/* As one number for each block, where dimensions are kept. */
static struct dg_tensor *as_blocks(struct dg_call *call, struct dg_tensor *numbers)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];

    if (!numbers || !dg_arg_bool(call, 9, false))
        return numbers;
    dg_arg_ints(call, 2, sizes, DG_RANK_MOST);
    for (int i = 0; i < input->rank; i++)
        sizes[i] = sizes[i] ? input->sizes[i] / sizes[i] : 0;
    return dg_in_shape(call, numbers, input->rank, sizes);
}

typedef struct dg_tensor *scale_fn(struct dg_call *call, struct dg_tensor *bottom,
                                   struct dg_tensor *top, const struct bounds *bounds);

static scale_fn *mapping_of(const struct dg_call *call)
{
    static const struct {
        const char *name;
        scale_fn *scale;
    } mappings[] = {{"SYMMETRIC", symmetric_scale},
                    {"SYMMETRIC_NO_CLIPPING_ERR", unclipped_scale},
                    {"ASYMMETRIC", asymmetric_scale}};

    for (size_t i = 0; i < sizeof(mappings) / sizeof(*mappings); i++) {
        if (call->n_args > 1 && call->args[1].kind == DG_ARG_STRING &&
            !strcmp(call->args[1].as.string, mappings[i].name))
            return mappings[i].scale;
    }
    return NULL;
}

/* Uses up both. */
static enum dg_status give(struct dg_call *call, bool symmetric,
                           struct dg_tensor *scale, struct dg_tensor *zero)
{
    enum dg_type type = dg_arg_tensor(call, 0)->type;
    enum dg_type scales = dg_arg_type(call, 7, type);
    enum dg_type zeros = dg_arg_type(call, 8, symmetric ? type : DG_TYPE_I32);

    scale =
        dg_apply(call, dg_cpu_to, as_blocks(call, scale), DG_REST(dg_type_arg(scales)));
    zero =
        dg_apply(call, dg_cpu_to, as_blocks(call, zero), DG_REST(dg_type_arg(zeros)));
    dg_give(call, 0, scale);
    dg_give(call, 1, zero);
    return scale && zero ? DG_OK : dg_finish(call, NULL);
}

enum dg_status dg_cpu_choose_qparams_affine(struct dg_call *call)
{
    scale_fn *scale_of = mapping_of(call);
    bool symmetric = scale_of != asymmetric_scale;
    struct dg_tensor *bottom, *top, *scale = NULL, *zero = NULL;
    struct blocks blocks;
    struct bounds bounds;

    if (!scale_of)
        return dg_call_fail(call, DG_ERR_FORMAT, "a mapping of another type");
    if (find_blocks(call, 2, &blocks) ||
        find_bounds(call, dg_arg_type(call, 3, DG_TYPE_NONE), 4, &bounds))
        return call->err->status;
    bottom = extreme(call, &blocks, false);
    top = bottom ? extreme(call, &blocks, true) : NULL;
    if (bottom && top)
        scale = scale_of(call, bottom, top, &bounds);
    scale = dg_apply(call, dg_cpu_clamp_min, scale,
                     DG_REST(dg_real_arg(least_scale(call))));
    if (scale)
        zero = zero_of(call, symmetric, bottom, scale, &bounds);
    dg_tensor_drop(bottom);
    dg_tensor_drop(top);
    return give(call, symmetric, scale, zero);
}
