/* Convolutions of images whose channels lie side by side: each pixel of the result is a
 * product of what its window sees with the weight. */
#include <string.h>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/sums.h"

enum { DOWN = 1, ACROSS = 2 }; /* axes of such images */

/* What a window reads: stretches of an image's row, of channels of one pixel, or of all
 * pixels that lie side by side. */
struct windows {
    const struct dg_conv *conv;
    enum dg_type type;
    int64_t stretch, n_stretches; /* elements; stretches of a row of the kernel */
};

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Elements `from`..`to` of a row of the image, of which those outside of it are 0. */
static void read_stretch(const struct windows *windows, const char *row, int64_t from,
                         int64_t to, double *line)
{
    int64_t n = windows->conv->axes[ACROSS].fine * windows->conv->fine_channels;
    int64_t first = most(from, 0), last = least(to, n);

    if (first >= last || !row) {
        memset(line, 0, (size_t)(to - from) * sizeof(*line));
        return;
    }
    memset(line, 0, (size_t)(first - from) * sizeof(*line));
    dg_load_f64(line + first - from, windows->type,
                row + first * (int64_t)dg_type_bytes(windows->type), 1, last - first);
    memset(line + last - from, 0, (size_t)(to - last) * sizeof(*line));
}

/* The row of the image that row `k` of the kernel reads; NULL in the padding. */
static const char *row_of(const struct windows *windows, const char *image, int64_t top,
                          int64_t k)
{
    const struct dg_conv_axis *axes = windows->conv->axes;
    int64_t row = top + k * axes[DOWN].dilation;

    if (row < 0 || row >= axes[DOWN].fine)
        return NULL;
    return image + row * axes[ACROSS].fine * windows->conv->fine_channels *
                       (int64_t)dg_type_bytes(windows->type);
}

/* What the window of pixel `pixel` of the result sees: channels of a group, for each
 * element of the kernel. */
static void read_window(const void *data, const char *image, int64_t pixel,
                        int64_t from, int64_t n, void *line)
{
    const struct windows *windows = data;
    const struct dg_conv_axis *down = &windows->conv->axes[DOWN];
    const struct dg_conv_axis *across = &windows->conv->axes[ACROSS];
    int64_t top = pixel / across->coarse * down->stride - down->padding;
    int64_t left = pixel % across->coarse * across->stride - across->padding;

    for (int64_t count, done = 0; done < n; done += count) {
        int64_t number = (from + done) / windows->stretch;
        int64_t skipped = (from + done) % windows->stretch;
        int64_t at = left + number % windows->n_stretches * across->dilation;
        const char *row = row_of(windows, image, top, number / windows->n_stretches);
        int64_t first;

        if (windows->n_stretches > 1 && (at < 0 || at >= across->fine)) {
            row = NULL;
            at = 0; /* of a pixel far outside, a product with `at` overflows */
        }
        first = at * windows->conv->fine_channels + skipped;
        count = least(windows->stretch - skipped, n - done);
        read_stretch(windows, row, first, first + count, (double *)line + done);
    }
}

static struct windows windows_of(const struct dg_conv *conv, enum dg_type type)
{
    int64_t width = conv->axes[ACROSS].kernel, channels = conv->fine_channels;

    if (conv->groups == 1 && (width == 1 || conv->axes[ACROSS].dilation == 1))
        return (struct windows){conv, type, width * channels, 1};
    return (struct windows){conv, type, channels / conv->groups, width};
}

/* Pixels of one side, one matrix for each sample and group. */
static struct dg_gemm_matrix pixels_of(const struct dg_tensor *tensor, int64_t n,
                                       int64_t channels, int64_t groups)
{
    return (struct dg_gemm_matrix){tensor->type,
                                   dg_tensor_data(tensor),
                                   channels,
                                   1,
                                   {n * channels, channels / groups}};
}

void dg_conv_pixels(struct dg_call *call, const struct dg_conv *conv,
                    const struct dg_tensor *fine, const struct dg_tensor *weight,
                    const struct dg_tensor *bias, struct dg_tensor *coarse)
{
    int64_t channels = conv->coarse_channels / conv->groups;
    int64_t depth = conv->fine_channels / conv->groups * conv->n_kernel;
    struct windows windows = windows_of(conv, fine->type);
    struct dg_gemm gemm = {
        .m = conv->n_coarse,
        .n = channels,
        .k = depth,
        .batch_rank = 2,
        .batch_sizes = {conv->samples, conv->groups},
        .a = pixels_of(fine, conv->n_fine, conv->fine_channels, conv->groups),
        .b = {weight->type, dg_tensor_data(weight), 1, depth, {0, channels * depth}},
        .c = pixels_of(coarse, conv->n_coarse, conv->coarse_channels, conv->groups),
        .alpha = 1,
        .beta = bias ? 1 : 0,
        .narrow = dg_sums_are_narrow(call->context, fine->type),
    };

    if (bias)
        gemm.add = (struct dg_gemm_matrix){bias->type,
                                           dg_tensor_data(bias),
                                           0,
                                           bias->strides[0],
                                           {0, channels * bias->strides[0]}};
    if (!dg_conv_is_pointwise(conv)) {
        gemm.a_line = read_window;
        gemm.line_data = &windows;
    }
    dg_gemm(call->context, &gemm);
}
