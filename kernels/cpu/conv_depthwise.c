/* Convolutions whose channels each read one channel: direct loops. */
#include "base/arena.h"
#include "kernels/cpu/conv.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/sums.h"

struct job {
    const struct dg_conv *conv;
    const struct dg_tensor *fine, *weight, *bias, *coarse;
    bool narrow;
};

/* sums[i] += weight * x[i * stride] for a row of sums. */
static void add_row(double *sums, const double *x, int64_t stride, double weight,
                    int64_t n)
{
    if (stride == 1) {
        for (int64_t i = 0; i < n; i++)
            sums[i] += weight * x[i];
    } else {
        for (int64_t i = 0; i < n; i++)
            sums[i] += weight * x[i * stride];
    }
}

static void add_row_narrow(double *sums, const double *x, int64_t stride, double weight,
                           int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sums[i] = (double)((float)sums[i] + (float)weight * (float)x[i * stride]);
}

/* Add what kernel element (k0, k1, k2) reads to the sums of all coarse elements. */
static void add_element(const struct job *job, const int64_t k[DG_CONV_AXES],
                        double weight, const double *x, double *sums)
{
    const struct dg_conv_axis *axes = job->conv->axes;
    int64_t from[DG_CONV_AXES], to[DG_CONV_AXES], shift[DG_CONV_AXES];

    for (int axis = 0; axis < DG_CONV_AXES; axis++) {
        dg_conv_range(&axes[axis], k[axis], &from[axis], &to[axis]);
        shift[axis] = k[axis] * axes[axis].dilation - axes[axis].padding;
    }
    for (int64_t d = from[0]; d < to[0]; d++) {
        for (int64_t h = from[1]; h < to[1] && from[2] < to[2]; h++) {
            int64_t depth = d * axes[0].stride + shift[0];
            int64_t row = depth * axes[1].fine + h * axes[1].stride + shift[1];
            int64_t column = from[2] * axes[2].stride + shift[2];
            double *at = sums + (d * axes[1].coarse + h) * axes[2].coarse + from[2];

            (job->narrow ? add_row_narrow
                         : add_row)(at, x + row * axes[2].fine + column, axes[2].stride,
                                    weight, to[2] - from[2]);
        }
    }
}

static void add_all(const struct job *job, int64_t channel, const double *x,
                    double *sums)
{
    const struct dg_conv *conv = job->conv;
    int64_t height = conv->axes[1].kernel, width = conv->axes[2].kernel;

    for (int64_t k = 0; k < conv->n_kernel; k++)
        add_element(job, (int64_t[]){k / width / height, k / width % height, k % width},
                    dg_get_f64(job->weight, channel * conv->n_kernel + k), x, sums);
}

static const char *channel_data(const struct dg_tensor *tensor, int64_t channel,
                                int64_t n)
{
    return (const char *)dg_tensor_data(tensor) +
           channel * n * (int64_t)dg_type_bytes(tensor->type);
}

static void run_channels(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;
    const struct dg_conv *conv = job->conv;
    struct dg_arena memory = {0};
    double *x = dg_alloc(&memory, (size_t)conv->n_fine, sizeof(*x));
    double *sums = dg_alloc(&memory, (size_t)conv->n_coarse, sizeof(*sums));

    for (int64_t i = from; i < to; i++) {
        int64_t channel = i % conv->coarse_channels, sample = i / conv->coarse_channels;
        int64_t source = channel / (conv->coarse_channels / conv->fine_channels);
        double bias =
            job->bias ? dg_get_f64(job->bias, channel * job->bias->strides[0]) : 0;

        dg_load_f64(x, job->fine->type,
                    channel_data(job->fine, sample * conv->fine_channels + source,
                                 conv->n_fine),
                    1, conv->n_fine);
        for (int64_t at = 0; at < conv->n_coarse; at++)
            sums[at] = 0;
        add_all(job, channel, x, sums);
        for (int64_t at = 0; at < conv->n_coarse; at++)
            sums[at] =
                job->narrow ? (double)((float)sums[at] + (float)bias) : sums[at] + bias;
        dg_store_f64(job->coarse->type,
                     (char *)channel_data(job->coarse, i, conv->n_coarse), 1, sums,
                     conv->n_coarse);
    }
    dg_arena_clear(&memory);
}

enum dg_status dg_conv_depthwise(struct dg_call *call, const struct dg_conv *conv,
                                 struct dg_tensor *fine, struct dg_tensor *weight,
                                 struct dg_tensor *bias, struct dg_tensor *coarse)
{
    struct job job = {conv, fine,   weight,
                      bias, coarse, dg_sums_are_narrow(call->context, weight->type)};
    int64_t work = conv->n_coarse * conv->n_kernel + conv->n_fine;

    dg_parallel(call->context->n_threads,
                conv->n_coarse ? conv->samples * conv->coarse_channels : 0,
                (1 << 16) / (work + 1) + 1, run_channels, &job);
    return DG_OK;
}
