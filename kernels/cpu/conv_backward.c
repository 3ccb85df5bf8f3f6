/* Gradients of convolutions. */
#include <string.h>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

struct image {
    const struct dg_conv *conv;
    enum dg_type type;
    int64_t bytes;
};

/* The fine element that a coarse one meets by a kernel element; negative: padding. */
static int64_t meeting(const struct dg_conv_axis *axis, int64_t coarse, int64_t k)
{
    int64_t fine = coarse * axis->stride - axis->padding + k * axis->dilation;

    return fine < axis->fine ? fine : -1;
}

static int64_t place_of(const struct dg_conv *conv, int64_t coarse, int64_t k)
{
    const struct dg_conv_axis *axes = conv->axes;
    int64_t columns = axes[2].coarse, rows = axes[1].coarse, place = 0;
    int64_t at[] = {coarse / columns / rows, coarse / columns % rows, coarse % columns};
    int64_t element[] = {k / axes[2].kernel / axes[1].kernel,
                         k / axes[2].kernel % axes[1].kernel, k % axes[2].kernel};

    for (int i = 0; i < DG_CONV_AXES; i++) {
        int64_t fine = meeting(&axes[i], at[i], element[i]);

        if (fine < 0)
            return -1;
        place = place * axes[i].fine + fine;
    }
    return place;
}

/* Row (sample, coarse element): the fine elements that it meets, by channel and kernel
 * element. */
static void read_met(const void *data, const char *b, int64_t row, int64_t from,
                     int64_t n, void *to)
{
    const struct image *image = data;
    const struct dg_conv *conv = image->conv;
    int64_t sample = row / conv->n_coarse, coarse = row % conv->n_coarse;
    double *line = to;

    for (int64_t i = 0; i < n; i++) {
        int64_t channel = (from + i) / conv->n_kernel;
        int64_t place = place_of(conv, coarse, (from + i) % conv->n_kernel);
        int64_t plane = sample * conv->fine_channels + channel;

        line[i] = 0;
        if (place >= 0)
            dg_load_f64(&line[i], image->type,
                        b + (plane * conv->n_fine + place) * image->bytes, 1, 1);
    }
}

/* [samples, channels, n] as [channels, samples, n] */
static struct dg_tensor channels_first(const struct dg_tensor *tensor, int64_t samples,
                                       int64_t channels, int64_t n)
{
    struct dg_tensor turned = *tensor;

    turned.rank = 3;
    memcpy(turned.sizes, (int64_t[]){channels, samples, n}, 3 * sizeof(n));
    memcpy(turned.strides, (int64_t[]){n, channels * n, 1}, 3 * sizeof(n));
    return turned;
}

/* Over all samples: coarse elements times the fine ones that they meet. */
static void multiply_met(struct dg_call *call, const struct dg_conv *conv,
                         const struct dg_tensor *fine, const struct dg_tensor *coarse,
                         const struct dg_tensor *weight)
{
    int64_t m = conv->coarse_channels / conv->groups,
            k = conv->samples * conv->n_coarse;
    int64_t channels = conv->fine_channels / conv->groups,
            n = channels * conv->n_kernel;
    struct image image = {conv, fine->type, (int64_t)dg_type_bytes(fine->type)};
    struct dg_gemm gemm = {.m = m,
                           .n = n,
                           .k = k,
                           .batch_rank = 1,
                           .batch_sizes = {conv->groups},
                           .alpha = 1,
                           .b_line = read_met,
                           .line_data = &image,
                           .narrow = dg_sums_are_narrow(call->context, fine->type)};

    gemm.a =
        (struct dg_gemm_matrix){coarse->type, dg_tensor_data(coarse), k, 1, {m * k}};
    gemm.b = (struct dg_gemm_matrix){
        fine->type, dg_tensor_data(fine), 0, 0, {channels * conv->n_fine}};
    gemm.c =
        (struct dg_gemm_matrix){weight->type, dg_tensor_data(weight), n, 1, {m * n}};
    dg_gemm(call->context, &gemm);
}

static enum dg_status give_weight(struct dg_call *call, const struct dg_conv *conv,
                                  const struct dg_tensor *fine,
                                  const struct dg_tensor *coarse)
{
    const struct dg_tensor *weight = dg_arg_tensor(call, 2);
    struct dg_tensor view =
        channels_first(coarse, conv->samples, conv->coarse_channels, conv->n_coarse);
    struct dg_tensor *result =
        dg_result(call, 1, weight->type, weight->rank, weight->sizes);
    struct dg_tensor *turned = result ? dg_contiguous(call, &view) : NULL;

    if (!turned)
        return call->err->status;
    multiply_met(call, conv, fine, turned, result);
    dg_tensor_drop(turned);
    return DG_OK;
}

/* The sum of each channel of the gradient: a product with ones. */
static enum dg_status give_bias(struct dg_call *call, const struct dg_tensor *gradient,
                                int64_t samples, int64_t channels, int64_t n)
{
    double one = 1;
    struct dg_gemm gemm = {.m = channels,
                           .n = 1,
                           .k = samples * n,
                           .b = {.type = DG_TYPE_F64, .data = &one},
                           .alpha = 1,
                           .narrow = dg_sums_are_narrow(call->context, gradient->type)};
    struct dg_tensor view = channels_first(gradient, samples, channels, n);
    struct dg_tensor *result = dg_result(call, 2, gradient->type, 1, &channels);
    struct dg_tensor *turned = result ? dg_contiguous(call, &view) : NULL;

    if (!turned)
        return call->err->status;
    gemm.a =
        (struct dg_gemm_matrix){turned->type, dg_tensor_data(turned), gemm.k, 1, {0}};
    gemm.c = (struct dg_gemm_matrix){result->type, dg_tensor_data(result), 1, 1, {0}};
    dg_gemm(call->context, &gemm);
    dg_tensor_drop(turned);
    return DG_OK;
}

static enum dg_status give_input(struct dg_call *call, const struct dg_conv *conv,
                                 bool transposed, struct dg_tensor *gradient)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 1);
    struct dg_tensor *result =
        dg_result(call, 0, input->type, input->rank, input->sizes);
    struct dg_tensor *weight =
        result ? dg_contiguous(call, dg_arg_tensor(call, 2)) : NULL;
    enum dg_status status = DG_OK;

    if (!weight)
        return call->err->status;
    if (transposed)
        status = dg_conv_shrink(call, conv, gradient, weight, NULL, result);
    else
        status = dg_conv_grow(call, conv, gradient, weight, NULL, result);
    dg_tensor_drop(weight);
    return status;
}

/* Each gradient that argument 10 asks for. */
static enum dg_status give(struct dg_call *call, const struct dg_conv *conv,
                           bool transposed, struct dg_tensor *gradient,
                           struct dg_tensor *input)
{
    int64_t asked[3] = {1, 1, 1};
    enum dg_status status = DG_OK;

    if (dg_arg_ints(call, 10, asked, 3) < 0)
        return call->err->status;
    if (asked[0])
        status = give_input(call, conv, transposed, gradient);
    if (status == DG_OK && asked[1])
        status = give_weight(call, conv, transposed ? gradient : input,
                             transposed ? input : gradient);
    if (status == DG_OK && asked[2])
        status = transposed ? give_bias(call, gradient, conv->samples,
                                        conv->fine_channels, conv->n_fine)
                            : give_bias(call, gradient, conv->samples,
                                        conv->coarse_channels, conv->n_coarse);
    return status;
}

static enum dg_status check_gradient(struct dg_call *call, const struct dg_conv *conv,
                                     bool transposed)
{
    const struct dg_tensor *gradient = dg_arg_tensor(call, 0);
    int64_t count =
        conv->samples * (transposed ? conv->fine_channels * conv->n_fine
                                    : conv->coarse_channels * conv->n_coarse);

    if (!dg_type_is_float(dg_arg_tensor(call, 1)->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "gradients of integers");
    if (gradient && dg_tensor_count(gradient) == count &&
        gradient->type == dg_arg_tensor(call, 1)->type)
        return DG_OK;
    return dg_call_fail(
        call, DG_ERR_FORMAT, "a gradient of %lld elements for a result of %lld",
        (long long)(gradient ? dg_tensor_count(gradient) : 0), (long long)count);
}

/* grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
 * output_padding, groups, output_mask */
enum dg_status dg_cpu_convolution_backward(struct dg_call *call)
{
    struct dg_conv_options options = {.transposed = dg_arg_bool(call, 7, false)};
    struct dg_tensor *gradient, *input;
    struct dg_conv conv;
    enum dg_status status = dg_conv_read(
        call, &options,
        &(struct dg_conv_places){1, 2, 4, 5, 6, options.transposed ? 8 : 0, 9});

    if (status == DG_OK)
        status = dg_conv_begin(call, &conv, &options, dg_arg_tensor(call, 1),
                               dg_arg_tensor(call, 2));
    if (status == DG_OK)
        status = check_gradient(call, &conv, options.transposed);
    if (status)
        return status;
    gradient = dg_contiguous(call, dg_arg_tensor(call, 0));
    input = gradient ? dg_contiguous(call, dg_arg_tensor(call, 1)) : NULL;
    status = input ? give(call, &conv, options.transposed, gradient, input)
                   : call->err->status;
    dg_tensor_drop(gradient);
    dg_tensor_drop(input);
    return status;
}
