/* Transposed convolutions: the weights times the images make columns, of which every
 * place of the result sums up those that reach it. */
#include "kernels/cuda/conv.cuh"
#include "kernels/cuda/types.cuh"

/* Which place of the smaller image reaches place `in` by way of kernel place `kernel`;
 * -1: none. */
static __device__ inline int64_t place_out(const struct window *w, int64_t in,
                                           int64_t kernel)
{
    int64_t place = 0, step = 1;

    for (int d = AXES - 1; d >= w->first; d--) {
        int64_t at = in % w->in[d] + w->pad[d] - kernel % w->kernel[d] * w->dilation[d];

        if (at < 0 || at % w->stride[d] || at / w->stride[d] >= w->out[d])
            return -1;
        place += at / w->stride[d] * step;
        step *= w->out[d];
        in /= w->in[d];
        kernel /= w->kernel[d];
    }
    return place;
}

/* C is what the columns are kept in: no narrower than the sums. */
template <class T>
static __global__ void fold(struct window w, int64_t n, T *out,
                            const computed<T> *columns, const T *bias)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t plane = i / w.n_in;
    computed<T> sum = 0;

    if (i >= n)
        return;
    for (int64_t k = 0; k < w.n_kernel; k++) {
        int64_t place = place_out(&w, i % w.n_in, k);

        if (place >= 0)
            sum += columns[(plane * w.n_kernel + k) * w.n_out + place];
    }
    if (bias)
        sum += value_of(bias[plane % w.channels]);
    out[i] = store<T>::of(sum);
}

/* `each` channels of images for every group. */
template <class T>
static __global__ void grow_groups(struct window w, int64_t n, int64_t groups,
                                   int64_t each, T *out, const T *images,
                                   const T *weight, const T *bias)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t plane = i / w.n_in, feature = plane % w.channels;
    int64_t features = w.channels / groups, group = feature / features;
    int64_t first = plane / w.channels * groups * each + group * each;
    computed<T> sum = 0;

    if (i >= n)
        return;
    for (int64_t k = 0; k < w.n_kernel; k++) {
        int64_t place = place_out(&w, i % w.n_in, k);

        for (int64_t c = 0; c < each && place >= 0; c++)
            sum +=
                value_of(images[(first + c) * w.n_out + place]) *
                value_of(weight[((group * each + c) * features + feature % features) *
                                    w.n_kernel +
                                k]);
    }
    if (bias)
        sum += value_of(bias[feature]);
    out[i] = store<T>::of(sum);
}

/* Columns of `n` images from `first` on, and what they sum up to. */
static enum dg_status grow_images(struct dg_call *call, const struct layers *layers,
                                  const struct window *w, const struct dg_tensor *out,
                                  const struct dg_tensor *columns, int64_t first,
                                  int64_t n)
{
    int64_t coarse = layers->weight->sizes[0], depth = w->channels * w->n_kernel;
    int64_t matrix[2] = {depth, coarse}, steps[2] = {1, depth};
    int64_t image[3] = {n, coarse, w->n_out},
            strides[3] = {coarse * w->n_out, w->n_out, 1};
    struct dg_tensor weight = shaped(layers->weight, 2, matrix, steps);
    struct dg_tensor images = shaped(layers->images, 3, image, strides), part = *out;
    struct factor a = {}, b = {};

    images.offset += first * coarse * w->n_out;
    part.offset += first * w->channels * w->n_in;
    if (take_factor(call, &a, &weight, columns->type, 1, image) ||
        take_factor(call, &b, &images, columns->type, 1, image) ||
        multiply(call, columns, &a, &b, 1, 0))
        return call->err->status;
    return with_float(out->type, [&](auto element) {
        using T = decltype(element);
        int64_t count = n * w->channels * w->n_in;

        return launch(call, fold<T>, blocks_for(count), THREADS, *w, count,
                      (T *)dg_tensor_data(&part),
                      (const computed<T> *)dg_tensor_data(columns),
                      layers->bias ? (const T *)dg_tensor_data(layers->bias) : NULL);
    });
}

static enum dg_status grow_chunks(struct dg_call *call, const struct layers *layers,
                                  const struct window *w, const struct dg_tensor *out)
{
    enum { MOST_BYTES = 1 << 28 };
    enum dg_type type = out->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
    int64_t each = w->channels * w->n_kernel * w->n_out;
    int64_t chunk = MOST_BYTES / (int64_t)dg_type_bytes(type) / (each ? each : 1);
    struct dg_tensor *columns, part;
    enum dg_status status = DG_OK;
    int64_t sizes[3];

    chunk = chunk < 1 ? 1 : chunk > layers->n_images ? layers->n_images : chunk;
    sizes[0] = chunk;
    sizes[1] = w->channels * w->n_kernel;
    sizes[2] = w->n_out;
    columns = dg_tensor_new(call->context->memory, type, 3, sizes, call->err);
    if (!columns)
        return call->err->status;
    part = *columns;
    for (int64_t i = 0; i < layers->n_images && !status; i += chunk) {
        part.sizes[0] = layers->n_images - i < chunk ? layers->n_images - i : chunk;
        status = grow_images(call, layers, w, out, &part, i, part.sizes[0]);
    }
    dg_tensor_drop(columns);
    return status;
}

static enum dg_status grow(struct dg_call *call, const struct layers *layers,
                           const struct window *w, const struct dg_tensor *out)
{
    int64_t n = dg_tensor_count(out);

    if (!n)
        return DG_OK;
    if (layers->groups == 1)
        return grow_chunks(call, layers, w, out);
    return with_float(out->type, [&](auto element) {
        using T = decltype(element);

        return launch(call, grow_groups<T>, blocks_for(n), THREADS, *w, n,
                      layers->groups, layers->weight->sizes[0] / layers->groups,
                      (T *)dg_tensor_data(out),
                      (const T *)dg_tensor_data(layers->images),
                      (const T *)dg_tensor_data(layers->weight),
                      layers->bias ? (const T *)dg_tensor_data(layers->bias) : NULL);
    });
}

static enum dg_status take_channels(struct dg_call *call, struct window *w,
                                    int64_t groups, int64_t *sizes)
{
    const struct dg_tensor *images = dg_arg_tensor(call, 0);
    const struct dg_tensor *weight = dg_arg_tensor(call, 1);
    int at = images->rank - (AXES - w->first) - 1;

    if (groups < 1 || groups > INT32_MAX || weight->sizes[1] > INT32_MAX ||
        images->sizes[at] != weight->sizes[0] || weight->sizes[0] % groups)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld channels for weights of %lld by %lld in %lld groups",
                            (long long)images->sizes[at], (long long)weight->sizes[0],
                            (long long)weight->sizes[1], (long long)groups);
    for (int d = 0; d < at; d++)
        sizes[d] = images->sizes[d];
    sizes[at] = w->channels = weight->sizes[1] * groups;
    return DG_OK;
}

static enum dg_status size_result(struct dg_call *call, struct window *w,
                                  const int64_t *more, int64_t *sizes)
{
    const struct dg_tensor *images = dg_arg_tensor(call, 0);

    for (int d = w->first; d < AXES; d++) {
        int at = images->rank - AXES + d;
        int64_t reach = w->dilation[d] * (w->kernel[d] - 1) + 1;

        w->out[d] = images->sizes[at];
        w->in[d] = (w->out[d] - 1) * w->stride[d] - 2 * w->pad[d] + reach + more[d];
        if (w->in[d] < 1 && w->out[d])
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a kernel of %lld does not fit an image of size %lld",
                                (long long)w->kernel[d], (long long)w->out[d]);
        w->in[d] = w->in[d] < 0 ? 0 : w->in[d];
        sizes[at] = w->in[d];
    }
    return count_places(call, w);
}

enum dg_status convolve_transposed(struct dg_call *call, size_t output_padding,
                                   size_t dilation, size_t groups)
{
    const struct dg_tensor *images = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST], more[AXES] = {};
    struct layers layers = {};
    struct dg_tensor *out;
    struct window w;
    int n;

    if (begin_window(call, &w))
        return call->err->status;
    n = AXES - w.first;
    layers.groups = dg_arg_int(call, groups, 1);
    if (take_axes(call, 3, n, 1, w.stride) || take_axes(call, 4, n, 0, w.pad) ||
        take_axes(call, output_padding, n, 0, more) ||
        take_axes(call, dilation, n, 1, w.dilation) ||
        take_channels(call, &w, layers.groups, sizes) ||
        size_result(call, &w, more, sizes))
        return call->err->status;
    layers.features = w.channels;
    out = dg_result(call, 0, images->type, images->rank, sizes);
    if (!out || take_layers(call, &layers))
        return call->err->status;
    return grow(call, &layers, &w, out);
}

/* (input, weight, bias, stride, padding, output_padding, groups, dilation) */
enum dg_status dg_cuda_conv_transpose_nd(struct dg_call *call)
{
    return convolve_transposed(call, 5, 7, 6);
}
