/* Nodes that sum products: of floats as ATen's operators do, of codes as whole numbers
 * in F64, which holds their sums exactly; scales come behind the sum. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"
#include "kernels/xnnpack/products.h"

struct dg_tensor *dg_xnn_argument(const struct dg_call *call, size_t i)
{
    return dg_tensor_keep(dg_arg_tensor(call, i));
}

static bool is_quantized(const struct dg_call *call)
{
    return call->xnnpack->inputs[DG_XNN_INPUT]->quantized != 0;
}

struct dg_tensor *dg_xnn_factor(struct dg_call *call, size_t i)
{
    return is_quantized(call) ? dg_xnn_centered(call, i)
                              : dg_xnn_as_float(call, dg_xnn_argument(call, i));
}

struct dg_tensor *dg_xnn_weights(struct dg_call *call)
{
    const struct dg_xnn_operand *filter = call->xnnpack->inputs[DG_XNN_FILTER];
    bool centered = filter->quantized != DG_XNN_BY_TENSOR || !filter->zero_point;

    if (!is_quantized(call))
        return dg_xnn_argument(call, DG_XNN_FILTER);
    return centered ? dg_xnn_codes(call, DG_XNN_FILTER)
                    : dg_xnn_centered(call, DG_XNN_FILTER);
}

struct dg_tensor *dg_xnn_contiguous(struct dg_call *call, struct dg_tensor *tensor)
{
    struct dg_tensor *whole = tensor ? dg_contiguous(call, tensor) : NULL;

    dg_tensor_drop(tensor);
    return whole;
}

static struct dg_tensor *as_line(struct dg_call *call, struct dg_tensor *tensor)
{
    struct dg_tensor *whole = dg_xnn_contiguous(call, tensor), *line = NULL;

    if (whole)
        line = dg_tensor_view(whole, 1, (int64_t[]){dg_tensor_count(whole)},
                              (int64_t[]){1}, whole->offset);
    dg_tensor_drop(whole);
    return line;
}

struct dg_tensor *dg_xnn_addend(struct dg_call *call)
{
    if (call->n_args <= DG_XNN_BIAS ||
        call->xnnpack->inputs[DG_XNN_INPUT]->quantized == DG_XNN_BY_SLICE)
        return NULL;
    return as_line(call, dg_xnn_factor(call, DG_XNN_BIAS));
}

/* Scales of results by channel, and how sums become results. */
struct scaling {
    const struct dg_xnn_operand *input, *filter, *out;
    int64_t n_channels;
    const double *bias; /* behind scales; NULL */
    struct dg_xnn_range range;
};

static float filter_scale(const struct scaling *scaling, int64_t channel)
{
    const struct dg_xnn_operand *filter = scaling->filter;

    return filter->quantized == DG_XNN_BY_CHANNEL ? filter->scales[channel]
                                                  : filter->scale;
}

/* The code of a sum: a scale in f32, ties to even. */
static double code_of_sum(const struct scaling *scaling, int64_t channel, double sum)
{
    float scale =
        scaling->input->scale * filter_scale(scaling, channel) / scaling->out->scale;

    struct dg_xnn_range range = scaling->range;

    if (range.near_tie) /* the bias may be half a step of the sum off */
        range.near_tie = fmin(fmax(range.near_tie, scale / 2), DG_NEAR_TIE_MOST);
    return (double)dg_xnn_code(&range, (float)sum * scale);
}

static bool has_scales(const struct scaling *scaling)
{
    const struct dg_xnn_operand *filter = scaling->filter;

    return filter->quantized == DG_XNN_BY_TENSOR ||
           (filter->quantized == DG_XNN_BY_CHANNEL &&
            filter->n_scales >= scaling->n_channels);
}

/* Sums of an input with a scale for each slice: floats, fused with the bias. */
static void scale_slices(const struct scaling *scaling, const double *slices,
                         int64_t n_inner, int64_t n, bool wide, double *sums)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t channel = i % scaling->n_channels;
        double bias = scaling->bias ? scaling->bias[channel] : 0;
        double slice = slices[i / n_inner], scale = filter_scale(scaling, channel);

        sums[i] = wide ? sums[i] * slice * scale + bias
                       : (double)fmaf((float)sums[i] * (float)slice, (float)scale,
                                      (float)bias);
    }
}

enum dg_status dg_xnn_read_bias(struct dg_call *call, const double **bias)
{
    const struct dg_tensor *from = dg_arg_tensor(call, DG_XNN_BIAS);
    struct dg_tensor *tensor;
    double *values;

    *bias = NULL;
    if (!from)
        return DG_OK;
    tensor = dg_xnn_as_f64(call, dg_xnn_argument(call, DG_XNN_BIAS));
    values = tensor ? dg_scratch(call, dg_tensor_count(tensor), sizeof(*values)) : NULL;
    if (values)
        memcpy(values, dg_tensor_data(tensor),
               (size_t)dg_tensor_count(tensor) * sizeof(*values));
    dg_tensor_drop(tensor);
    *bias = values;
    return call->err->status;
}

static enum dg_status finish_slices(struct dg_call *call, struct scaling *scaling,
                                    struct dg_tensor *sums)
{
    struct dg_tensor *scales =
        dg_xnn_as_f64(call, dg_tensor_keep(dg_xnn_slice_scales(call, DG_XNN_INPUT)));
    struct dg_xnn_shape shape = dg_xnn_shape_of(sums);
    int64_t n = dg_tensor_count(sums);
    enum dg_status status =
        scales ? dg_xnn_read_bias(call, &scaling->bias) : call->err->status;

    if (!status && n)
        scale_slices(scaling, dg_tensor_data(scales), n / dg_tensor_count(scales), n,
                     dg_xnn_is_wide(call), dg_tensor_data(sums));
    dg_tensor_drop(scales);
    return status ? status : dg_xnn_give_floats(call, &shape, dg_tensor_data(sums));
}

static enum dg_status finish_codes(struct dg_call *call, const struct scaling *scaling,
                                   struct dg_tensor *sums)
{
    struct dg_xnn_shape shape = dg_xnn_shape_of(sums);
    struct dg_xnn_step plain = *call->xnnpack;
    struct dg_call codes = *call;
    double *at = dg_tensor_data(sums);

    for (int64_t i = 0, n = dg_tensor_count(sums); i < n; i++)
        at[i] = code_of_sum(scaling, i % scaling->n_channels, at[i]);
    plain.least = -INFINITY;
    plain.most = INFINITY;
    codes.xnnpack = &plain;
    return dg_xnn_give_floats(&codes, &shape, at);
}

enum dg_status dg_xnn_give_sums(struct dg_call *call, struct dg_tensor *sums)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct scaling scaling = {step->inputs[DG_XNN_INPUT], step->inputs[DG_XNN_FILTER],
                              step->outputs[0], .range = dg_xnn_codes_of(call)};
    struct dg_tensor *copy;
    enum dg_status status;

    if (!is_quantized(call))
        return dg_xnn_give_tensor(call, sums);
    copy = dg_xnn_copied(call, sums);
    if (!copy)
        return call->err->status ? call->err->status
                                 : dg_xnn_cannot(call, "an input is no tensor");
    scaling.n_channels = copy->sizes[copy->rank - 1];
    if (!has_scales(&scaling))
        status = dg_xnn_cannot(call, "its filter has no scale for each channel");
    else if (scaling.input->quantized == DG_XNN_BY_SLICE)
        status = finish_slices(call, &scaling, copy);
    else if (scaling.out->quantized == DG_XNN_BY_TENSOR)
        status = finish_codes(call, &scaling, copy);
    else
        status = dg_xnn_cannot(call, "what it makes of such codes is not known");
    dg_tensor_drop(copy);
    return status;
}

/* Of rows of the input: all dimensions but the last count them. */
static struct dg_gemm products(const struct dg_tensor *input,
                               const struct dg_tensor *filter,
                               const struct dg_tensor *bias,
                               const struct dg_tensor *result)
{
    int64_t k = filter->sizes[1], n = filter->sizes[0];
    struct dg_gemm gemm = {
        .m = n ? dg_tensor_count(result) / n : 0,
        .n = n,
        .k = k,
        .a = {input->type, dg_tensor_data(input), k, 1, {0}},
        .b = {filter->type,
              dg_tensor_data(filter),
              filter->strides[1],
              filter->strides[0],
              {0}},
        .c = {result->type, dg_tensor_data(result), n, 1, {0}},
        .alpha = 1,
        .beta = bias ? 1 : 0,
    };

    if (bias)
        gemm.add = (struct dg_gemm_matrix){
            bias->type, dg_tensor_data(bias), 0, bias->strides[0], {0}};
    return gemm;
}

struct dg_tensor *dg_xnn_multiplied(struct dg_call *call, struct dg_tensor *input,
                                    const struct dg_tensor *filter,
                                    const struct dg_tensor *bias)
{
    struct dg_tensor *rows = dg_xnn_contiguous(call, input), *result = NULL;
    int64_t sizes[DG_RANK_MOST];
    struct dg_gemm gemm;

    if (call->err->status) { /* of the bias, too */
        dg_tensor_drop(rows);
        return NULL;
    }
    if (rows && (!rows->rank || filter->rank != 2 ||
                 rows->sizes[rows->rank - 1] != filter->sizes[1])) {
        dg_xnn_cannot(call, "its filter does not fit its input");
    } else if (rows) {
        memcpy(sizes, rows->sizes, sizeof(sizes));
        sizes[rows->rank - 1] = filter->sizes[0];
        result = dg_tensor_new(call->context->memory, rows->type, rows->rank, sizes,
                               call->err);
    }
    if (result) {
        gemm = products(rows, filter, bias, result);
        gemm.narrow = dg_sums_are_narrow(call->context, rows->type);
        dg_gemm(call->context, &gemm);
    }
    dg_tensor_drop(rows);
    return result;
}

bool dg_xnn_has_slices(const struct dg_call *call, int n_inner)
{
    const struct dg_xnn_operand *input = call->xnnpack->inputs[DG_XNN_INPUT];

    return input->quantized != DG_XNN_BY_SLICE || input->n_inner == n_inner;
}

bool dg_xnn_has_factors(const struct dg_call *call)
{
    return is_quantized(call) == (call->xnnpack->inputs[DG_XNN_FILTER]->quantized != 0);
}

bool dg_xnn_bias_fits(const struct dg_call *call)
{
    const struct dg_xnn_shape *result = &call->xnnpack->result;

    return call->n_args <= DG_XNN_BIAS ||
           dg_tensor_count(dg_arg_tensor(call, DG_XNN_BIAS)) ==
               result->sizes[result->rank - 1];
}

bool dg_xnn_sums_in_halves(const struct dg_call *call)
{
    return call->context->precision == DG_PRECISION_OWN_SUMS &&
           call->xnnpack->inputs[DG_XNN_INPUT]->type == DG_TYPE_F16;
}

enum dg_status dg_xnn_product(struct dg_call *call)
{
    int rank = call->n_args > 1 ? call->xnnpack->node.inputs[1].rank : 0;
    int order[DG_XNN_RANK] = {0, 1, 2, 3, 4, 5};
    struct dg_tensor *second, *product;

    if (rank < 2 || is_quantized(call) || call->xnnpack->inputs[1]->quantized)
        return dg_xnn_cannot(call, "what it makes of such codes is not known");
    if (call->xnnpack->node.flags & DG_XNN_TRANSPOSED) {
        order[rank - 2] = rank - 1;
        order[rank - 1] = rank - 2;
    }
    second = dg_xnn_permuted(dg_xnn_factor(call, 1), rank, order);
    product = second ? dg_apply(call, dg_cpu_matmul, dg_xnn_factor(call, 0),
                                DG_REST(dg_tensor_arg(second)))
                     : NULL;
    dg_tensor_drop(second);
    return dg_xnn_give_tensor(call, product);
}

/* Over the last dimension. */
enum dg_status dg_xnn_softmax(struct dg_call *call)
{
    if (is_quantized(call))
        return dg_xnn_cannot(call, "the runtime has no softmax of codes");
    return dg_xnn_give_tensor(
        call,
        dg_apply(call, dg_cpu_softmax, dg_xnn_as_float(call, dg_xnn_argument(call, 0)),
                 DG_REST(dg_integer_arg(-1), (struct dg_arg){DG_ARG_NONE})));
}
