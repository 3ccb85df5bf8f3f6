/* Pooling of lines, planes and volumes: the largest, or the mean, of each window. */
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/types.cuh"

enum { AXES = 3 };

/* Depth, height and width; those that are not there have size 1. */
struct windows {
    int64_t planes, in[AXES], out[AXES];
    int64_t kernel[AXES], stride[AXES], pad[AXES], dilation[AXES];
    bool adaptive, with_padding; /* of means: padding counts */
    int64_t divisor;             /* of means; 0: the elements of the window */
};

/* One window along one dimension: elements from, from + step... below `to`. */
struct span {
    int64_t from, to, counted; /* with padding */
};

static __device__ inline struct span span_of(const struct windows *w, int d, int64_t o)
{
    struct span span;
    int64_t end;

    if (w->adaptive) {
        span.from = o * w->in[d] / w->out[d];
        span.to = ((o + 1) * w->in[d] + w->out[d] - 1) / w->out[d];
        span.counted = span.to - span.from;
        return span;
    }
    span.from = o * w->stride[d] - w->pad[d];
    end = span.from + (w->kernel[d] - 1) * w->dilation[d] + 1;
    span.to = end < w->in[d] ? end : w->in[d];
    span.counted =
        (end < w->in[d] + w->pad[d] ? end : w->in[d] + w->pad[d]) - span.from;
    if (span.from < 0)
        span.from +=
            (-span.from + w->dilation[d] - 1) / w->dilation[d] * w->dilation[d];
    return span;
}

/* The window of an output element along each dimension, and the plane it is of. */
static __device__ inline int64_t find_window(const struct windows *w, int64_t i,
                                             struct span *spans)
{
    for (int d = AXES - 1; d >= 0; d--) {
        spans[d] = span_of(w, d, i % w->out[d]);
        i /= w->out[d];
    }
    return i;
}

/* Torch's order: the first of equal ones, the last of NaNs. */
template <class T>
static __global__ void pool_largest(struct windows w, int64_t n, T *out,
                                    int64_t *indices, const T *in)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    struct span z, y, x, spans[AXES];
    computed<T> most = 0;
    int64_t at = -1;
    const T *plane;

    if (i >= n)
        return;
    plane = in + find_window(&w, i, spans) * w.in[0] * w.in[1] * w.in[2];
    z = spans[0], y = spans[1], x = spans[2];
    for (int64_t layer = z.from; layer < z.to; layer += w.dilation[0]) {
        for (int64_t row = y.from; row < y.to; row += w.dilation[1]) {
            for (int64_t column = x.from; column < x.to; column += w.dilation[2]) {
                int64_t place = (layer * w.in[1] + row) * w.in[2] + column;
                computed<T> value = value_of(plane[place]);

                if (at < 0 || value > most || value != value) {
                    most = value;
                    at = place;
                }
            }
        }
    }
    out[i] = store<T>::of(most);
    if (indices)
        indices[i] = at;
}

template <class T>
static __global__ void pool_mean(struct windows w, int64_t n, T *out, const T *in)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    struct span z, y, x, spans[AXES];
    computed<T> sum = 0, divisor;
    const T *plane;

    if (i >= n)
        return;
    plane = in + find_window(&w, i, spans) * w.in[0] * w.in[1] * w.in[2];
    z = spans[0], y = spans[1], x = spans[2];
    for (int64_t layer = z.from; layer < z.to; layer++) {
        for (int64_t row = y.from; row < y.to; row++) {
            for (int64_t column = x.from; column < x.to; column++)
                sum += value_of(plane[(layer * w.in[1] + row) * w.in[2] + column]);
        }
    }
    divisor = (computed<T>)(w.with_padding
                                ? z.counted * y.counted * x.counted
                                : (z.to - z.from) * (y.to - y.from) * (x.to - x.from));
    out[i] = store<T>::of(sum / (w.divisor ? (computed<T>)w.divisor : divisor));
}

/* One number for each of the last `n` dimensions; one stands for all. */
static enum dg_status take_axes(struct dg_call *call, size_t arg, int n,
                                int64_t otherwise, int64_t *values)
{
    int64_t given[DG_RANK_MOST];
    int n_given = dg_arg_ints(call, arg, given, DG_RANK_MOST);

    if (n_given < 0 || (n_given > 1 && n_given != n))
        return dg_call_fail(call, DG_ERR_FORMAT, "%d numbers for %d dimensions",
                            n_given, n);
    for (int d = AXES - n; d < AXES && n_given; d++)
        values[d] = given[n_given == 1 ? 0 : d - (AXES - n)];
    for (int d = AXES - n; d < AXES && !n_given && otherwise >= 0; d++)
        values[d] = otherwise;
    return DG_OK;
}

static enum dg_status take_input(struct dg_call *call, struct windows *w, int n)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self || self->rank < n + 1 || self->rank > n + 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "pooling of rank %d",
                            self ? self->rank : 0);
    *w = {};
    w->planes = 1;
    for (int d = 0; d < AXES; d++)
        w->in[d] = w->out[d] = w->kernel[d] = w->stride[d] = w->dilation[d] = 1;
    for (int d = 0; d < self->rank - n; d++)
        w->planes *= self->sizes[d];
    for (int d = AXES - n; d < AXES; d++)
        w->in[d] = self->sizes[self->rank - AXES + d];
    return DG_OK;
}

static enum dg_status size_output(struct dg_call *call, struct windows *w, int n,
                                  bool ceil_mode)
{
    for (int d = AXES - n; d < AXES; d++) {
        int64_t room;

        if (w->kernel[d] < 1 || w->stride[d] < 1 || w->dilation[d] < 1 ||
            w->pad[d] < 0 || w->pad[d] > w->kernel[d] / 2 || w->kernel[d] > INT32_MAX ||
            w->dilation[d] > INT32_MAX)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a window of %lld elements, stride %lld, padding %lld",
                                (long long)w->kernel[d], (long long)w->stride[d],
                                (long long)w->pad[d]);
        room = w->in[d] + 2 * w->pad[d] - w->dilation[d] * (w->kernel[d] - 1) - 1;
        if (room < 0 && !ceil_mode)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a window of %lld elements over %lld",
                                (long long)w->kernel[d], (long long)w->in[d]);
        w->out[d] = (room + (ceil_mode ? w->stride[d] - 1 : 0)) / w->stride[d] + 1;
        if (ceil_mode && (w->out[d] - 1) * w->stride[d] >= w->in[d] + w->pad[d])
            w->out[d]--;
        if (w->out[d] < 1)
            return dg_call_fail(call, DG_ERR_FORMAT, "no window fits %lld elements",
                                (long long)w->in[d]);
    }
    return DG_OK;
}

static struct dg_tensor *pooled_result(struct dg_call *call, size_t i,
                                       enum dg_type type, const struct windows *w,
                                       int n)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];

    for (int d = 0; d < self->rank; d++)
        sizes[d] = d < self->rank - n ? self->sizes[d] : w->out[d - self->rank + AXES];
    return dg_result(call, i, type, self->rank, sizes);
}

static enum dg_status find_largest(struct dg_call *call, const struct windows *w, int n,
                                   bool with_indices)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), *indices = NULL;
    struct dg_tensor *out = pooled_result(call, 0, in->type, w, n);
    enum dg_status status;

    if (out && with_indices)
        indices = pooled_result(call, 1, DG_TYPE_I64, w, n);
    if (!out || (with_indices && !indices) || !(in = contiguous(call, in)))
        return call->err->status;
    status = with_number(in->type, [&](auto element) {
        using T = decltype(element);
        int64_t total = dg_tensor_count(out);

        return launch(call, pool_largest<T>, blocks_for(total), THREADS, *w, total,
                      (T *)dg_tensor_data(out),
                      indices ? (int64_t *)dg_tensor_data(indices) : NULL,
                      (const T *)dg_tensor_data(in));
    });
    if (status && !call->err->status)
        dg_call_fail(call, DG_ERR_DEVICE, "%s is pooled on the host only",
                     dg_type_name(in->type));
    dg_tensor_drop(in);
    return status;
}

/* (self, kernel, stride, padding, dilation, ceil_mode) */
static enum dg_status pool_extremes(struct dg_call *call, int n, bool with_indices)
{
    struct windows w;

    if (take_input(call, &w, n) || take_axes(call, 1, n, -1, w.kernel))
        return call->err->status;
    for (int d = 0; d < AXES; d++)
        w.stride[d] = w.kernel[d];
    if (take_axes(call, 2, n, -1, w.stride) || take_axes(call, 3, n, 0, w.pad) ||
        take_axes(call, 4, n, 1, w.dilation) ||
        size_output(call, &w, n, dg_arg_bool(call, 5, false)))
        return call->err->status;
    return find_largest(call, &w, n, with_indices);
}

static enum dg_status pool_means(struct dg_call *call, const struct windows *w, int n)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), *out;
    enum dg_status status;

    if (!dg_type_is_float(in->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "the mean of %s",
                            dg_type_name(in->type));
    out = pooled_result(call, 0, in->type, w, n);
    if (!out || !(in = contiguous(call, in)))
        return call->err->status;
    status = with_float(in->type, [&](auto element) {
        using T = decltype(element);
        int64_t total = dg_tensor_count(out);

        return launch(call, pool_mean<T>, blocks_for(total), THREADS, *w, total,
                      (T *)dg_tensor_data(out), (const T *)dg_tensor_data(in));
    });
    dg_tensor_drop(in);
    return status;
}

/* (self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override) */
static enum dg_status pool_averages(struct dg_call *call, int n)
{
    struct windows w;

    if (take_input(call, &w, n) || take_axes(call, 1, n, -1, w.kernel))
        return call->err->status;
    for (int d = 0; d < AXES; d++)
        w.stride[d] = w.kernel[d];
    if (take_axes(call, 2, n, -1, w.stride) || take_axes(call, 3, n, 0, w.pad) ||
        size_output(call, &w, n, dg_arg_bool(call, 4, false)))
        return call->err->status;
    w.with_padding = dg_arg_bool(call, 5, true);
    w.divisor = dg_arg_int(call, 6, 0);
    return pool_means(call, &w, n);
}

/* (self, output_size) */
static enum dg_status take_adaptive(struct dg_call *call, struct windows *w, int n)
{
    if (take_input(call, w, n))
        return call->err->status;
    w->adaptive = true;
    for (int d = AXES - n; d < AXES; d++)
        w->out[d] = w->in[d];
    if (take_axes(call, 1, n, -1, w->out))
        return call->err->status;
    for (int d = AXES - n; d < AXES; d++) {
        if (w->out[d] < 0 || !w->in[d])
            return dg_call_fail(call, DG_ERR_FORMAT, "%lld windows of %lld elements",
                                (long long)w->out[d], (long long)w->in[d]);
    }
    return DG_OK;
}

static enum dg_status pool_adaptively(struct dg_call *call, int n)
{
    struct windows w;
    enum dg_status status = take_adaptive(call, &w, n);

    return status ? status : pool_means(call, &w, n);
}

static enum dg_status pool_extremes_adaptively(struct dg_call *call, int n)
{
    struct windows w;
    enum dg_status status = take_adaptive(call, &w, n);

    return status ? status : find_largest(call, &w, n, true);
}

#define POOL(name, form, ...)                                                          \
    enum dg_status dg_cuda_##name(struct dg_call *call)                                \
    {                                                                                  \
        return form(call, __VA_ARGS__);                                                \
    }
POOL(max_pool1d, pool_extremes, 1, false)
POOL(max_pool2d, pool_extremes, 2, false)
POOL(max_pool1d_with_indices, pool_extremes, 1, true)
POOL(max_pool2d_with_indices, pool_extremes, 2, true)
POOL(avg_pool1d, pool_averages, 1)
POOL(avg_pool2d, pool_averages, 2)
POOL(adaptive_avg_pool1d, pool_adaptively, 1)
POOL(adaptive_avg_pool2d, pool_adaptively, 2)
POOL(max_pool3d, pool_extremes, 3, false)
POOL(max_pool3d_with_indices, pool_extremes, 3, true)
POOL(avg_pool3d, pool_averages, 3)
POOL(adaptive_avg_pool3d, pool_adaptively, 3)
POOL(adaptive_max_pool1d, pool_extremes_adaptively, 1)
POOL(adaptive_max_pool2d, pool_extremes_adaptively, 2)
POOL(adaptive_max_pool3d, pool_extremes_adaptively, 3)
