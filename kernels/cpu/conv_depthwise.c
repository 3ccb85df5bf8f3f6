/* Convolutions whose channels each read one channel: direct loops. */
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/conv.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/vectorize.h"

/* sums[i] += weight * x[i * stride] for a row of sums, in their type. */
typedef void add_row_fn(void *sums, const void *x, int64_t stride, double weight,
                        int64_t n);

struct job {
    const struct dg_conv *conv;
    const struct dg_tensor *fine, *weight, *bias, *coarse;
    enum dg_type type; /* of sums */
    size_t size;
    add_row_fn *add_row;
};

#define ADD_ROW(name, scalar, attributes)                                              \
    attributes static void name(void *to, const void *from, int64_t stride,            \
                                double weight, int64_t n)                              \
    {                                                                                  \
        scalar *sums = to, factor = (scalar)weight;                                    \
        const scalar *x = from;                                                        \
                                                                                       \
        if (stride == 1) {                                                             \
            for (int64_t i = 0; i < n; i++)                                            \
                sums[i] += factor * x[i];                                              \
        } else {                                                                       \
            for (int64_t i = 0; i < n; i++)                                            \
                sums[i] += factor * x[i * stride];                                     \
        }                                                                              \
    }

ADD_ROW(add_f64_narrow, double, )
ADD_ROW(add_f32_narrow, float, )
#ifdef DG_AVX2
ADD_ROW(add_f64_avx2, double, DG_AVX2)
ADD_ROW(add_f32_avx2, float, DG_AVX2)
#endif

/* Add what kernel element (k0, k1, k2) reads to the sums of all coarse elements. */
static void add_element(const struct job *job, const int64_t k[DG_CONV_AXES],
                        double weight, const char *x, char *sums)
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
            int64_t at = (d * axes[1].coarse + h) * axes[2].coarse + from[2];

            job->add_row(sums + at * (int64_t)job->size,
                         x + (row * axes[2].fine + column) * (int64_t)job->size,
                         axes[2].stride, weight, to[2] - from[2]);
        }
    }
}

static void add_all(const struct job *job, int64_t channel, const char *x, char *sums)
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

static void add_bias(const struct job *job, int64_t channel, void *data)
{
    double bias =
        job->bias ? dg_get_f64(job->bias, channel * job->bias->strides[0]) : 0;
    double *sums = data;
    float *singles = data;

    for (int64_t i = 0; i < job->conv->n_coarse && job->type == DG_TYPE_F64; i++)
        sums[i] += bias;
    for (int64_t i = 0; i < job->conv->n_coarse && job->type == DG_TYPE_F32; i++)
        singles[i] += (float)bias;
}

/* Memory of one thread: a channel of each image. */
struct bench {
    char *x, *sums;
    double *line; /* before it is stored */
};

static void store(const struct job *job, int64_t number, const struct bench *bench)
{
    int64_t n = job->conv->n_coarse;
    char *to = (char *)channel_data(job->coarse, number, n);

    if (job->coarse->type == job->type) {
        memcpy(to, bench->sums, (size_t)n * job->size);
        return;
    }
    dg_load_f64(bench->line, job->type, bench->sums, 1, n);
    dg_store_f64(job->coarse->type, to, 1, bench->line, n);
}

static void run_channel(const struct job *job, int64_t number,
                        const struct bench *bench)
{
    const struct dg_conv *conv = job->conv;
    int64_t channel = number % conv->coarse_channels;
    int64_t source = number / conv->coarse_channels * conv->fine_channels +
                     channel / (conv->coarse_channels / conv->fine_channels);
    const char *from = channel_data(job->fine, source, conv->n_fine);

    if (job->type == DG_TYPE_F64)
        dg_load_f64((void *)bench->x, job->fine->type, from, 1, conv->n_fine);
    else
        dg_load_f32((void *)bench->x, job->fine->type, from, 1, conv->n_fine);
    memset(bench->sums, 0, (size_t)conv->n_coarse * job->size);
    add_all(job, channel, bench->x, bench->sums);
    add_bias(job, channel, bench->sums);
    store(job, number, bench);
}

static void run_channels(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;
    size_t n = (size_t)job->conv->n_coarse;
    struct dg_arena memory = {0};
    struct bench bench = {dg_alloc(&memory, (size_t)job->conv->n_fine, job->size),
                          dg_alloc(&memory, n, job->size),
                          dg_alloc(&memory, n, sizeof(double))};

    for (int64_t i = from; i < to; i++)
        run_channel(job, i, &bench);
    dg_arena_clear(&memory);
}

enum dg_status dg_conv_depthwise(struct dg_call *call, const struct dg_conv *conv,
                                 struct dg_tensor *fine, struct dg_tensor *weight,
                                 struct dg_tensor *bias, struct dg_tensor *coarse)
{
    bool narrow = dg_sums_are_narrow(call->context, weight->type);
    struct job job = {conv,
                      fine,
                      weight,
                      bias,
                      coarse,
                      narrow ? DG_TYPE_F32 : DG_TYPE_F64,
                      narrow ? sizeof(float) : sizeof(double),
                      narrow ? DG_WIDEST(add_f32) : DG_WIDEST(add_f64)};
    int64_t work = conv->n_coarse * conv->n_kernel + conv->n_fine;

    dg_parallel(call->context->n_threads,
                conv->n_coarse ? conv->samples * conv->coarse_channels : 0,
                (1 << 16) / (work + 1) + 1, run_channels, &job);
    return DG_OK;
}
