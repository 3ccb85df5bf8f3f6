/* Products with a matrix, whose weights may have scales by blocks of columns. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/products.h"

static struct dg_tensor *matrix_of(struct dg_call *call)
{
    static const int turned[] = {1, 0};
    struct dg_tensor *filter = dg_xnn_weights(call);

    return call->xnnpack->node.flags & DG_XNN_TRANSPOSED
               ? dg_xnn_permuted(filter, 2, turned)
               : filter;
}

/* Columns from `first` on, `n` of them; the last dimension. */
static struct dg_tensor *columns(const struct dg_tensor *tensor, int64_t first,
                                 int64_t n)
{
    int64_t sizes[DG_RANK_MOST];
    int last = tensor->rank - 1;

    memcpy(sizes, tensor->sizes, sizeof(sizes));
    sizes[last] = n;
    return dg_tensor_view(tensor, tensor->rank, sizes, tensor->strides,
                          tensor->offset + first * tensor->strides[last]);
}

/* What a block of columns adds to each result, by scales of its own. */
static void add_block(const struct dg_xnn_operand *filter, int64_t block,
                      int64_t n_blocks, const struct dg_tensor *sums, bool wide,
                      double *to)
{
    int64_t n_channels = sums->sizes[sums->rank - 1];
    const double *at = dg_tensor_data(sums);

    for (int64_t i = 0, n = dg_tensor_count(sums); i < n; i++) {
        float scale = filter->scales[i % n_channels * n_blocks + block];

        to[i] = wide ? to[i] + at[i] * scale
                     : (double)fmaf((float)at[i], scale, (float)to[i]);
    }
}

/* By the scale of its slice, and then the bias: not fused here. */
static void end_blocks(double *values, int64_t n, const double *slices,
                       int64_t n_slices, const double *bias, int64_t n_channels,
                       bool wide)
{
    for (int64_t i = 0; i < n; i++) {
        double slice = slices[i / (n / n_slices)];
        double more = bias ? bias[i % n_channels] : 0;

        values[i] = wide ? values[i] * slice + more
                         : (double)((float)values[i] * (float)slice + (float)more);
    }
}

static enum dg_status sum_blocks(struct dg_call *call, const struct dg_tensor *input,
                                 const struct dg_tensor *filter, double *values)
{
    const struct dg_xnn_operand *blocks = call->xnnpack->inputs[DG_XNN_FILTER];
    int64_t n_blocks = filter->sizes[1] / blocks->group_size;

    for (int64_t block = 0; block < n_blocks; block++) {
        struct dg_tensor *part =
            columns(filter, block * blocks->group_size, blocks->group_size);
        struct dg_tensor *sums = dg_xnn_multiplied(
            call, columns(input, block * blocks->group_size, blocks->group_size), part,
            NULL);

        dg_tensor_drop(part);
        if (!sums)
            return call->err->status;
        add_block(blocks, block, n_blocks, sums, dg_xnn_is_wide(call), values);
        dg_tensor_drop(sums);
    }
    return DG_OK;
}

static bool has_blocks(const struct dg_call *call, const struct dg_tensor *filter)
{
    const struct dg_xnn_operand *blocks = call->xnnpack->inputs[DG_XNN_FILTER];

    return call->xnnpack->inputs[DG_XNN_INPUT]->quantized == DG_XNN_BY_SLICE &&
           !(call->xnnpack->node.flags & DG_XNN_TRANSPOSED) && blocks->group_size > 0 &&
           filter->sizes[1] && filter->sizes[1] % blocks->group_size == 0 &&
           blocks->n_scales >=
               filter->sizes[0] * (filter->sizes[1] / blocks->group_size);
}

static enum dg_status linear_blocks(struct dg_call *call, struct dg_tensor *input,
                                    struct dg_tensor *filter)
{
    struct dg_tensor *scales =
        dg_xnn_as_f64(call, dg_tensor_keep(dg_xnn_slice_scales(call, DG_XNN_INPUT)));
    int64_t n = dg_tensor_count(input) / filter->sizes[1] * filter->sizes[0];
    double *values = scales ? dg_scratch(call, n, sizeof(*values)) : NULL;
    const double *bias;
    enum dg_status status = values ? dg_xnn_read_bias(call, &bias) : call->err->status;

    if (!status)
        status = sum_blocks(call, input, filter, values);
    if (!status && n)
        end_blocks(values, n, dg_tensor_data(scales), dg_tensor_count(scales), bias,
                   filter->sizes[0], dg_xnn_is_wide(call));
    if (!status)
        status = dg_xnn_give_floats(call, &call->xnnpack->result, values);
    dg_tensor_drop(scales);
    return status;
}

static enum dg_status linear_by_groups(struct dg_call *call)
{
    struct dg_tensor *input = dg_xnn_factor(call, DG_XNN_INPUT),
                     *filter = dg_xnn_weights(call);
    enum dg_status status = call->err->status;

    if (input && filter)
        status = has_blocks(call, filter)
                     ? linear_blocks(call, input, filter)
                     : dg_xnn_cannot(call, "its blocks do not fit its filter");
    dg_tensor_drop(input);
    dg_tensor_drop(filter);
    return status;
}

/* Rows of an odd number of 4-bit weights: rule blob/odd-row. */
static bool has_odd_rows(const struct dg_call *call)
{
    const struct dg_xnn_operand *filter = call->xnnpack->inputs[DG_XNN_FILTER];

    return filter->four_bits && filter->shape.rank &&
           filter->shape.sizes[filter->shape.rank - 1] % 2;
}

enum dg_status dg_xnn_linear(struct dg_call *call)
{
    struct dg_tensor *filter, *bias, *sums;

    if (!dg_xnn_has_factors(call) || !dg_xnn_has_slices(call, 1))
        return dg_xnn_cannot(call, "its filter has another type than its input");
    if (!dg_xnn_bias_fits(call))
        return dg_xnn_cannot(call, "its bias has not a number for each channel");
    if (has_odd_rows(call) &&
        call->xnnpack->inputs[DG_XNN_INPUT]->quantized == DG_XNN_BY_SLICE)
        return dg_xnn_cannot(call, "what the runtime makes of rows of an odd number of"
                                   " 4-bit weights is not known");
    if (call->xnnpack->inputs[DG_XNN_FILTER]->quantized == DG_XNN_BY_GROUP)
        return linear_by_groups(call);
    if (dg_xnn_sums_in_halves(call))
        return dg_xnn_half_linear(call);
    filter = matrix_of(call);
    bias = dg_xnn_addend(call);
    sums = filter ? dg_xnn_multiplied(call, dg_xnn_factor(call, DG_XNN_INPUT), filter,
                                      bias)
                  : NULL;
    dg_tensor_drop(filter);
    dg_tensor_drop(bias);
    return dg_xnn_give_sums(call, sums);
}
