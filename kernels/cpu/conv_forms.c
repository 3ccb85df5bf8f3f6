/* The overloads of convolution: their arguments, and the geometry these ask for. */
#include <string.h>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/walk.h"

enum { SIZE_MOST = 1 << 30 };

/* A list of one number for each axis, or of one for all. */
static enum dg_status read_axes(struct dg_call *call, size_t arg, int n_axes,
                                int64_t least, int64_t otherwise, int64_t *values)
{
    int n = dg_arg_ints(call, arg, values, DG_CONV_AXES);

    if (n < 0)
        return call->err->status;
    if (n != 0 && n != 1 && n != n_axes)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "argument %zu has %d numbers for %d axes", arg, n, n_axes);
    for (int i = 0; i < n_axes; i++) {
        values[i] = n == 0 ? otherwise : values[n == 1 ? 0 : i];
        if (values[i] < least || values[i] > SIZE_MOST)
            return dg_call_fail(call, DG_ERR_FORMAT, "argument %zu holds %lld", arg,
                                (long long)values[i]);
    }
    return DG_OK;
}

static enum dg_status set_channels(struct dg_call *call, struct dg_conv *conv,
                                   const struct dg_conv_options *options,
                                   const struct dg_tensor *input,
                                   const struct dg_tensor *weight)
{
    bool batched = input->rank == options->n_axes + 2;
    int64_t channels = input->sizes[batched], expected;

    conv->groups = options->groups;
    conv->samples = batched ? input->sizes[0] : 1;
    conv->coarse_channels = weight->sizes[0];
    if (conv->groups < 1 || conv->groups > SIZE_MOST || weight->sizes[1] > SIZE_MOST ||
        conv->coarse_channels % conv->groups)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld channels in %lld groups",
                            (long long)conv->coarse_channels, (long long)conv->groups);
    conv->fine_channels = weight->sizes[1] * conv->groups;
    expected = options->transposed ? conv->coarse_channels : conv->fine_channels;
    if (channels != expected)
        return dg_call_fail(
            call, DG_ERR_FORMAT,
            "the input has %lld channels, the weight in %lld groups takes %lld",
            (long long)channels, (long long)conv->groups, (long long)expected);
    return DG_OK;
}

/* Size of the result along an axis; it has the least `padding` in front. */
static int64_t result_size(struct dg_conv_axis *axis,
                           const struct dg_conv_options *options, int i, int64_t in)
{
    int64_t reach = axis->dilation * (axis->kernel - 1) + 1, padded;

    if (options->transposed)
        return (in - 1) * axis->stride - 2 * axis->padding + reach +
               options->output_padding[i];
    padded = options->same ? in + reach - 1
                           : in + 2 * axis->padding + options->padding_more[i];
    if (options->same)
        axis->padding = (reach - 1) / 2;
    return padded < reach ? 0 : (padded - reach) / axis->stride + 1;
}

static enum dg_status set_axis(struct dg_call *call, struct dg_conv_axis *axis,
                               const struct dg_conv_options *options, int i, int64_t in,
                               int64_t kernel)
{
    int64_t out;

    if (in > SIZE_MOST || kernel < 1 || kernel > SIZE_MOST)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an image of size %lld, a kernel of %lld", (long long)in,
                            (long long)kernel);
    *axis = (struct dg_conv_axis){0,
                                  0,
                                  kernel,
                                  options->stride[i],
                                  options->same ? 0 : options->padding[i],
                                  options->dilation[i]};
    out = result_size(axis, options, i, in);
    if (out < 1 && in > 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a kernel of %lld does not fit an image of size %lld",
                            (long long)kernel, (long long)in);
    out = out < 0 ? 0 : out;
    axis->fine = options->transposed ? out : in;
    axis->coarse = options->transposed ? in : out;
    return DG_OK;
}

enum dg_status dg_conv_begin(struct dg_call *call, struct dg_conv *conv,
                             const struct dg_conv_options *options,
                             const struct dg_tensor *input,
                             const struct dg_tensor *weight)
{
    int n = options->n_axes, batched = input->rank - n - 1;
    enum dg_status status = set_channels(call, conv, options, input, weight);

    conv->n_fine = conv->n_coarse = conv->n_kernel = 1;
    for (int i = 0; i < DG_CONV_AXES && status == DG_OK; i++) {
        struct dg_conv_axis *axis = &conv->axes[i];
        int at = i - (DG_CONV_AXES - n);

        *axis = (struct dg_conv_axis){1, 1, 1, 1, 0, 1};
        if (at >= 0)
            status = set_axis(call, axis, options, at, input->sizes[1 + batched + at],
                              weight->sizes[2 + at]);
        if (status == DG_OK &&
            (__builtin_mul_overflow(conv->n_fine, axis->fine, &conv->n_fine) ||
             __builtin_mul_overflow(conv->n_coarse, axis->coarse, &conv->n_coarse) ||
             __builtin_mul_overflow(conv->n_kernel, axis->kernel, &conv->n_kernel)))
            status = dg_call_fail(call, DG_ERR_FORMAT, "an image too large to count");
    }
    return status;
}

static enum dg_status check_tensors(struct dg_call *call, int n_axes,
                                    const struct dg_tensor *input,
                                    const struct dg_tensor *weight)
{
    if (n_axes < 1 || n_axes > DG_CONV_AXES || weight->rank != n_axes + 2 ||
        (input->rank != n_axes + 1 && input->rank != n_axes + 2))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an input of rank %d and a weight of rank %d", input->rank,
                            weight->rank);
    if (dg_kept_type(call->context, input->type) !=
        dg_kept_type(call->context, weight->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "an input of %s and a weight of %s",
                            dg_type_name(input->type), dg_type_name(weight->type));
    return dg_type_is_float(input->type) ||
                   (input->type >= DG_TYPE_U8 && input->type <= DG_TYPE_I64)
               ? DG_OK
               : dg_call_fail(call, DG_ERR_DEVICE, "no convolution of %s",
                              dg_type_name(input->type));
}

enum dg_status dg_conv_read(struct dg_call *call, struct dg_conv_options *options,
                            const struct dg_conv_places *places)
{
    const struct dg_tensor *input = dg_arg_tensor(call, places->input);
    const struct dg_tensor *weight = dg_arg_tensor(call, places->weight);
    enum dg_status status;
    int n;

    if (!input || !weight)
        return dg_call_fail(call, DG_ERR_FORMAT, "a tensor is missing");
    n = options->n_axes = options->n_axes ? options->n_axes : weight->rank - 2;
    status = check_tensors(call, n, input, weight);
    if (status == DG_OK)
        status = read_axes(call, places->stride, n, 1, 1, options->stride);
    if (status == DG_OK && places->padding)
        status = read_axes(call, places->padding, n, 0, 0, options->padding);
    if (status == DG_OK)
        status = read_axes(call, places->dilation, n, 1, 1, options->dilation);
    if (status == DG_OK && places->output_padding)
        status =
            read_axes(call, places->output_padding, n, 0, 0, options->output_padding);
    options->groups = dg_arg_int(call, places->groups, 1);
    return status;
}

static enum dg_status check_bias(struct dg_call *call, const struct dg_tensor *bias,
                                 int64_t channels)
{
    if (!bias || (bias->rank == 1 && bias->sizes[0] == channels))
        return DG_OK;
    return dg_call_fail(
        call, DG_ERR_FORMAT, "a bias of rank %d with %lld elements for %lld channels",
        bias->rank, (long long)dg_tensor_count(bias), (long long)channels);
}

static struct dg_tensor *make_result(struct dg_call *call, const struct dg_conv *conv,
                                     const struct dg_conv_options *options)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);
    int64_t sizes[DG_CONV_AXES + 2];
    int rank = 0;

    if (input->rank == options->n_axes + 2)
        sizes[rank++] = conv->samples;
    sizes[rank++] = options->transposed ? conv->fine_channels : conv->coarse_channels;
    for (int i = DG_CONV_AXES - options->n_axes; i < DG_CONV_AXES; i++)
        sizes[rank++] = options->transposed ? conv->axes[i].fine : conv->axes[i].coarse;
    return dg_result(call, 0, input->type, rank, sizes);
}

static enum dg_status convolve(struct dg_call *call,
                               const struct dg_conv_options *options)
{
    struct dg_tensor *bias = dg_arg_tensor(call, 2), *input, *weight, *result;
    struct dg_conv conv;
    enum dg_status status = dg_conv_begin(call, &conv, options, dg_arg_tensor(call, 0),
                                          dg_arg_tensor(call, 1));

    if (status == DG_OK)
        status =
            check_bias(call, bias,
                       options->transposed ? conv.fine_channels : conv.coarse_channels);
    if (status)
        return status;
    input = dg_contiguous(call, dg_arg_tensor(call, 0));
    weight = input ? dg_contiguous(call, dg_arg_tensor(call, 1)) : NULL;
    result = weight ? make_result(call, &conv, options) : NULL;
    if (!result)
        status = call->err->status;
    else if (options->transposed)
        status = dg_conv_grow(call, &conv, input, weight, bias, result);
    else
        status = dg_conv_shrink(call, &conv, input, weight, bias, result);
    dg_tensor_drop(input);
    dg_tensor_drop(weight);
    return status;
}

static enum dg_status run(struct dg_call *call, struct dg_conv_options *options,
                          const struct dg_conv_places *places)
{
    enum dg_status status = dg_conv_read(call, options, places);

    return status ? status : convolve(call, options);
}

/* input, weight, bias, stride, padding, dilation, transposed, output_padding, groups */
enum dg_status dg_cpu_convolution(struct dg_call *call)
{
    struct dg_conv_options options = {.transposed = dg_arg_bool(call, 6, false)};

    return run(call, &options,
               &(struct dg_conv_places){0, 1, 3, 4, 5, options.transposed ? 7 : 0, 8});
}

/* input, weight, bias, stride, padding, dilation, groups */
static enum dg_status plain(struct dg_call *call, int n_axes)
{
    struct dg_conv_options options = {.n_axes = n_axes};

    return run(call, &options, &(struct dg_conv_places){0, 1, 3, 4, 5, 0, 6});
}

/* The same with padding "same" or "valid". */
static enum dg_status padded(struct dg_call *call, int n_axes)
{
    struct dg_conv_options options = {.n_axes = n_axes};
    const char *padding = call->n_args > 4 && call->args[4].kind == DG_ARG_STRING
                              ? call->args[4].as.string
                              : "valid";

    options.same = !strcmp(padding, "same");
    return run(call, &options, &(struct dg_conv_places){0, 1, 3, 0, 5, 0, 6});
}

/* input, weight, bias, stride, padding, output_padding, groups, dilation */
static enum dg_status transposed(struct dg_call *call, int n_axes)
{
    struct dg_conv_options options = {.n_axes = n_axes, .transposed = true};

    return run(call, &options, &(struct dg_conv_places){0, 1, 3, 4, 7, 5, 6});
}

#define FORMS(n)                                                                       \
    enum dg_status dg_cpu_conv##n##d(struct dg_call *call)                             \
    {                                                                                  \
        return plain(call, n);                                                         \
    }                                                                                  \
    enum dg_status dg_cpu_conv##n##d_padding(struct dg_call *call)                     \
    {                                                                                  \
        return padded(call, n);                                                        \
    }                                                                                  \
    enum dg_status dg_cpu_conv_transpose##n##d(struct dg_call *call)                   \
    {                                                                                  \
        return transposed(call, n);                                                    \
    }

FORMS(1)
FORMS(2)
FORMS(3)
