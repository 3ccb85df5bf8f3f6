/* Convolutions of images whose channels lie side by side, and each read one channel:
 * direct loops over the channels of a pixel. */
#include <string.h>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/sums.h"

#include "kernels/cpu/vectorize.h"

enum { DOWN = 1, ACROSS = 2 }; /* axes of such images */

/* sums[i] += weight[i] * x[i], one rounding after the other */
typedef void add_fn(void *sums, const void *weight, const void *x, int64_t n);

#define ADD(name, sum, element)                                                        \
    static void name(void *sums_line, const void *weight_line, const void *x_line,     \
                     int64_t n)                                                        \
    {                                                                                  \
        sum *restrict sums = sums_line;                                                \
        const sum *weight = weight_line;                                               \
        const element *x = x_line;                                                     \
                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            sums[i] += weight[i] * (sum)x[i];                                          \
    }

ADD(add_singles, double, float)
ADD(add_doubles, double, double)
ADD(add_narrow, float, float)

enum { BLOCK = 64 }; /* channels: their weights stay in the first cache */

struct job {
    const struct dg_conv *conv;
    const struct dg_tensor *fine, *bias, *coarse;
    const char *weight; /* as the sums: [kernel, coarse] */
    size_t sum;         /* bytes */
    add_fn *add;
};

/* Channels of the result that one thread works on. */
struct block {
    int64_t first, n;
    union {
        double doubles[BLOCK];
        float singles[BLOCK];
    } sums, spread;
    double bias[BLOCK];
};

/* A channel for each of the channels of the result that read it. */
static const void *spread(const struct job *job, const char *pixel, struct block *block)
{
    int64_t times = job->conv->coarse_channels / job->conv->fine_channels;
    bool singles = job->fine->type == DG_TYPE_F32;

    if (times == 1)
        return pixel + block->first * (int64_t)dg_type_bytes(job->fine->type);
    for (int64_t i = 0; i < block->n; i++) {
        int64_t channel = (block->first + i) / times;

        if (singles)
            block->spread.singles[i] = ((const float *)(const void *)pixel)[channel];
        else
            block->spread.doubles[i] = ((const double *)(const void *)pixel)[channel];
    }
    return &block->spread;
}

/* Elements of the kernel from *from to before *to are inside of the image for a window
 * that begins at `start`. */
static void inside(const struct dg_conv_axis *axis, int64_t start, int64_t *from,
                   int64_t *to)
{
    *from = start < 0 ? (axis->dilation - 1 - start) / axis->dilation : 0;
    *to = start < axis->fine
              ? (axis->fine - start + axis->dilation - 1) / axis->dilation
              : 0;
    *to = *to > axis->kernel ? axis->kernel : *to;
}

/* What the window of pixel (y, x) of the result sees. */
static void add_window(const struct job *job, const char *image, int64_t y, int64_t x,
                       struct block *block)
{
    const struct dg_conv *conv = job->conv;
    const struct dg_conv_axis *down = &conv->axes[DOWN], *across = &conv->axes[ACROSS];
    int64_t top = y * down->stride - down->padding, rows[2];
    int64_t left = x * across->stride - across->padding, columns[2];
    int64_t bytes = conv->fine_channels * (int64_t)dg_type_bytes(job->fine->type);

    inside(down, top, &rows[0], &rows[1]);
    inside(across, left, &columns[0], &columns[1]);
    for (int64_t i = rows[0]; i < rows[1]; i++) {
        for (int64_t j = columns[0]; j < columns[1]; j++) {
            int64_t pixel =
                (top + i * down->dilation) * across->fine + left + j * across->dilation;
            int64_t weight = (i * across->kernel + j) * conv->coarse_channels;

            job->add(&block->sums,
                     job->weight + (size_t)(weight + block->first) * job->sum,
                     spread(job, image + pixel * bytes, block), block->n);
        }
    }
}

/* The sums and the bias, rounded as the sums are, as elements of the result. */
static void store(const struct job *job, int64_t pixel, const struct block *block)
{
    bool narrow = job->sum == sizeof(float);
    int64_t at = pixel * job->conv->coarse_channels + block->first;
    double line[BLOCK];

    dg_load_f64(line, narrow ? DG_TYPE_F32 : DG_TYPE_F64, &block->sums, 1, block->n);
    for (int64_t i = 0; i < block->n; i++)
        line[i] += block->bias[i];
    for (int64_t i = 0; i < block->n && narrow; i++)
        line[i] = (double)(float)line[i];
    dg_store_f64(job->coarse->type,
                 (char *)dg_tensor_data(job->coarse) +
                     at * (int64_t)dg_type_bytes(job->coarse->type),
                 1, line, block->n);
}

static void begin_block(const struct job *job, int64_t number, struct block *block)
{
    const struct dg_tensor *bias = job->bias;
    int64_t left = job->conv->coarse_channels - number * BLOCK;

    block->first = number * BLOCK;
    block->n = left < BLOCK ? left : BLOCK;
    memset(block->bias, 0, sizeof(block->bias));
    if (bias)
        dg_load_f64(block->bias, bias->type,
                    (const char *)dg_tensor_data(bias) +
                        block->first * bias->strides[0] *
                            (int64_t)dg_type_bytes(bias->type),
                    bias->strides[0], block->n);
}

static int64_t n_blocks(const struct dg_conv *conv)
{
    return (conv->coarse_channels + BLOCK - 1) / BLOCK;
}

/* Blocks of channels of rows of the results of all samples. */
static void run_rows(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;
    const struct dg_conv *conv = job->conv;
    int64_t height = conv->axes[DOWN].coarse, width = conv->axes[ACROSS].coarse;
    int64_t image =
        conv->n_fine * conv->fine_channels * (int64_t)dg_type_bytes(job->fine->type);
    struct block block;

    for (int64_t i = from; i < to; i++) {
        int64_t row = i / n_blocks(conv);
        const char *sample =
            (const char *)dg_tensor_data(job->fine) + row / height * image;

        begin_block(job, i % n_blocks(conv), &block);
        for (int64_t x = 0; x < width; x++) {
            memset(&block.sums, 0, sizeof(block.sums));
            add_window(job, sample, row % height, x, &block);
            store(job, row * width + x, &block);
        }
    }
}

/* In the type of the sums. */
static const char *weights_of(struct dg_call *call, const struct dg_tensor *weight,
                              bool narrow)
{
    enum dg_type type = narrow ? DG_TYPE_F32 : DG_TYPE_F64;
    int64_t n = dg_tensor_count(weight);
    void *values;

    if (weight->type == type)
        return dg_tensor_data(weight);
    values = dg_scratch(call, n, dg_type_bytes(type));
    if (values && narrow)
        dg_load_f32(values, weight->type, dg_tensor_data(weight), 1, n);
    else if (values)
        dg_load_f64(values, weight->type, dg_tensor_data(weight), 1, n);
    return values;
}

enum dg_status dg_conv_pixels_apart(struct dg_call *call, const struct dg_conv *conv,
                                    const struct dg_tensor *fine,
                                    const struct dg_tensor *weight,
                                    const struct dg_tensor *bias,
                                    struct dg_tensor *coarse)
{
    bool narrow = dg_sums_are_narrow(call->context, fine->type);
    struct job job = {conv,
                      fine,
                      bias,
                      coarse,
                      weights_of(call, weight, narrow),
                      narrow ? sizeof(float) : sizeof(double),
                      narrow                      ? add_narrow
                      : fine->type == DG_TYPE_F32 ? add_singles
                                                  : add_doubles};
    double work = (double)conv->axes[ACROSS].coarse * (double)conv->n_kernel * BLOCK;

    if (!job.weight)
        return call->err->status;
    if (conv->n_coarse)
        dg_parallel(call->context->n_threads,
                    conv->samples * conv->axes[DOWN].coarse * n_blocks(conv),
                    (int64_t)((1 << 17) / (work + 1)) + 1, run_rows, &job);
    return DG_OK;
}
