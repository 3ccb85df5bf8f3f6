/* Convolutions of lines, planes and volumes: columns of patches times the weights. */
#include "kernels/cuda/conv.cuh"

#include "kernels/cuda/types.cuh"

/* Where output place and kernel place meet the input; -1: padding. */
static __device__ inline int64_t place_in(const struct window *w, int64_t out,
                                          int64_t kernel)
{
    int64_t place = 0, step = 1;

    for (int d = AXES - 1; d >= w->first; d--) {
        int64_t at = out % w->out[d] * w->stride[d] - w->pad[d] +
                     kernel % w->kernel[d] * w->dilation[d];

        if (at < 0 || at >= w->in[d])
            return -1;
        place += at * step;
        step *= w->in[d];
        out /= w->out[d];
        kernel /= w->kernel[d];
    }
    return place;
}

/* Patches of images: for each, a row for each channel and kernel place, a column for
 * each output place. */
template <class Word>
static __global__ void unfold(struct window w, int64_t n, Word *to, const Word *images)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t n_out = w.n_out, n_kernel = w.n_kernel;
    int64_t row, place;

    if (i >= n)
        return;
    row =
        i / n_out; /* of all images: (image * channels + channel) * n_kernel + place */
    place = place_in(&w, i % n_out, row % n_kernel);
    to[i] = place < 0 ? 0 : images[row / n_kernel * w.n_in + place];
}

/* Each output on its own: what suits groups of few channels. */
template <class T>
static __global__ void convolve_groups(struct window w, int64_t n, int64_t n_features,
                                       int64_t groups, T *out, const T *images,
                                       const T *weight, const T *bias)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t n_out = w.n_out, n_kernel = w.n_kernel;
    int64_t feature = i / n_out % n_features, each = w.channels / groups;
    int64_t image = i / n_out / n_features;
    const T *plane =
        images + (image * w.channels + feature / (n_features / groups) * each) * w.n_in;
    computed<T> sum = bias && i < n ? value_of(bias[feature]) : computed<T>(0);

    if (i >= n)
        return;
    for (int64_t k = 0; k < each * n_kernel; k++) {
        int64_t place = place_in(&w, i % n_out, k % n_kernel);

        computed<T> x = place < 0 ? 0 : value_of(plane[k / n_kernel * w.n_in + place]);

        sum += x * value_of(weight[feature * each * n_kernel + k]);
    }
    out[i] = store<T>::of(sum);
}

/* `n` images from `first` on. */
static enum dg_status
multiply_patches(struct dg_call *call, const struct layers *layers,
                 const struct window *w, const struct dg_tensor *out,
                 struct dg_tensor *patches, int64_t first, int64_t n)
{
    int64_t depth = w->channels * w->n_kernel, n_out = w->n_out;
    int64_t matrix[2] = {layers->features, depth}, steps[2] = {depth, 1};
    int64_t columns[3] = {n, depth, n_out}, strides[3] = {depth * n_out, n_out, 1};
    struct dg_tensor weight = shaped(layers->weight, 2, matrix, steps);
    struct dg_tensor images = *layers->images, unfolded, part = *out;
    struct factor a = {}, b = {};
    enum dg_status status = DG_OK;

    images.offset += first * w->channels * w->n_in;
    part.offset += first * layers->features * n_out;
    part.sizes[0] = n;
    unfolded = shaped(patches ? patches : &images, 3, columns, strides);
    if (patches)
        status = with_word(out->type, [&](auto word) {
            using Word = decltype(word);

            return launch(call, unfold<Word>, blocks_for(n * depth * n_out), THREADS,
                          *w, n * depth * n_out, (Word *)dg_tensor_data(patches),
                          (const Word *)dg_tensor_data(&images));
        });
    if (status || take_factor(call, &a, &weight, out->type, 1, columns) ||
        take_factor(call, &b, &unfolded, out->type, 1, columns))
        return call->err->status;
    return multiply(call, &part, &a, &b, 1, layers->bias ? 1 : 0);
}

static enum dg_status convolve_images(struct dg_call *call, const struct layers *layers,
                                      const struct window *w,
                                      const struct dg_tensor *out)
{
    enum { MOST_BYTES = 1 << 28 };
    int64_t each = w->channels * w->n_kernel * w->n_out;
    int64_t chunk = MOST_BYTES / (int64_t)dg_type_bytes(out->type) / (each ? each : 1);
    int64_t ones[AXES] = {1, 1, 1}, none[AXES] = {};
    bool plain = !memcmp(w->kernel, ones, sizeof(ones)) &&
                 !memcmp(w->stride, ones, sizeof(ones)) &&
                 !memcmp(w->pad, none, sizeof(none));
    struct dg_tensor *patches = NULL;
    enum dg_status status = DG_OK;
    int64_t size;

    chunk = chunk < 1 ? 1 : chunk > layers->n_images ? layers->n_images : chunk;
    size = chunk * each;
    if (!plain) {
        patches = dg_tensor_new(call->context->memory, out->type, 1, &size, call->err);
        if (!patches)
            return call->err->status;
    }
    for (int64_t i = 0; i < layers->n_images && !status; i += chunk)
        status = multiply_patches(call, layers, w, out, patches, i,
                                  layers->n_images - i < chunk ? layers->n_images - i
                                                               : chunk);
    dg_tensor_drop(patches);
    return status;
}

static enum dg_status convolve(struct dg_call *call, const struct layers *layers,
                               const struct window *w, const struct dg_tensor *out)
{
    int64_t sizes[DG_RANK_MOST] = {layers->features}, strides[DG_RANK_MOST] = {1};
    int64_t n = dg_tensor_count(out);
    struct dg_tensor bias;

    if (!n)
        return DG_OK;
    if (layers->groups > 1)
        return with_float(out->type, [&](auto element) {
            using T = decltype(element);
            auto data = [](const struct dg_tensor *tensor) {
                return tensor ? (T *)dg_tensor_data(tensor) : NULL;
            };

            return launch(call, convolve_groups<T>, blocks_for(n), THREADS, *w, n,
                          layers->features, layers->groups, data(out),
                          (const T *)data(layers->images),
                          (const T *)data(layers->weight),
                          (const T *)data(layers->bias));
        });
    if (layers->bias) {
        for (int d = 1; d < out->rank - 1; d++)
            sizes[d] = strides[d] = 1;
        bias = shaped(layers->bias, out->rank - 1, sizes, strides);
        if (copy_elements(call, out, &bias))
            return call->err->status;
    }
    return convolve_images(call, layers, w, out);
}

enum dg_status take_axes(struct dg_call *call, size_t arg, int n, int64_t least,
                         int64_t *values)
{
    int64_t given[DG_RANK_MOST];
    int n_given = dg_arg_ints(call, arg, given, DG_RANK_MOST);

    if (n_given < 0 || (n_given > 1 && n_given != n))
        return dg_call_fail(call, DG_ERR_FORMAT, "%d numbers for %d dimensions",
                            n_given, n);
    for (int d = AXES - n; d < AXES && n_given; d++) {
        values[d] = given[n_given == 1 ? 0 : d - (AXES - n)];
        if (values[d] < least || values[d] > INT32_MAX)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a stride, padding or dilation of %lld",
                                (long long)values[d]);
    }
    return DG_OK;
}

enum dg_status count_places(struct dg_call *call, struct window *w)
{
    w->n_in = w->n_out = w->n_kernel = 1;
    for (int d = 0; d < AXES; d++) {
        if (__builtin_mul_overflow(w->n_in, w->in[d], &w->n_in) ||
            __builtin_mul_overflow(w->n_out, w->out[d], &w->n_out) ||
            __builtin_mul_overflow(w->n_kernel, w->kernel[d], &w->n_kernel))
            return dg_call_fail(call, DG_ERR_FORMAT, "an image too large to count");
    }
    return DG_OK;
}

enum dg_status begin_window(struct dg_call *call, struct window *w)
{
    const struct dg_tensor *images = dg_arg_tensor(call, 0);
    const struct dg_tensor *weight = dg_arg_tensor(call, 1);
    int n;

    if (!images || !weight || weight->rank < 3 || weight->rank > AXES + 2 ||
        images->rank < weight->rank - 1 || images->rank > weight->rank ||
        images->type != weight->type || !dg_type_is_float(images->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "a convolution of this kind");
    n = weight->rank - 2;
    *w = {};
    w->first = AXES - n;
    for (int d = 0; d < AXES; d++)
        w->in[d] = w->out[d] = w->kernel[d] = w->stride[d] = w->dilation[d] = 1;
    for (int d = w->first; d < AXES; d++) {
        w->kernel[d] = weight->sizes[weight->rank - AXES + d];
        if (w->kernel[d] > INT32_MAX || w->kernel[d] < 1 ||
            images->sizes[images->rank - AXES + d] > INT32_MAX)
            return dg_call_fail(call, DG_ERR_FORMAT, "a kernel of %lld over %lld",
                                (long long)w->kernel[d],
                                (long long)images->sizes[images->rank - AXES + d]);
    }
    return DG_OK;
}

/* Named padding: "valid" is none, "same" keeps the size where the stride is 1. */
static enum dg_status take_padding(struct dg_call *call, struct window *w)
{
    bool named = call->n_args > 4 && call->args[4].kind == DG_ARG_STRING;

    w->same = named && !strcmp(call->args[4].as.string, "same");
    return named ? DG_OK : take_axes(call, 4, AXES - w->first, 0, w->pad);
}

static enum dg_status size_axis(struct dg_call *call, struct window *w, int d)
{
    int64_t reach = w->dilation[d] * (w->kernel[d] - 1) + 1;
    int64_t padded = w->same ? w->in[d] + reach - 1 : w->in[d] + 2 * w->pad[d];

    if (w->same)
        w->pad[d] = (reach - 1) / 2;
    w->out[d] = padded < reach ? 0 : (padded - reach) / w->stride[d] + 1;
    if (!w->out[d] && w->in[d])
        return dg_call_fail(call, DG_ERR_FORMAT, "a kernel of %lld over %lld",
                            (long long)w->kernel[d], (long long)w->in[d]);
    return DG_OK;
}

/* Sizes of the result; (input, weight, bias, stride, padding, dilation). */
static enum dg_status take_window(struct dg_call *call, struct window *w,
                                  int64_t groups, int64_t *sizes)
{
    const struct dg_tensor *images = dg_arg_tensor(call, 0);
    const struct dg_tensor *weight = dg_arg_tensor(call, 1);
    int n;

    if (begin_window(call, w))
        return call->err->status;
    n = AXES - w->first;
    w->channels = images->sizes[images->rank - n - 1];
    if (take_axes(call, 3, n, 1, w->stride) || take_padding(call, w) ||
        take_axes(call, 5, n, 1, w->dilation))
        return call->err->status;
    if (groups < 1 || groups > INT32_MAX || w->channels / groups != weight->sizes[1] ||
        w->channels % groups || weight->sizes[0] % groups)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld channels for weights of %lld by %lld in %lld groups",
                            (long long)w->channels, (long long)weight->sizes[0],
                            (long long)weight->sizes[1], (long long)groups);
    for (int d = 0; d < images->rank; d++)
        sizes[d] = images->sizes[d];
    sizes[images->rank - n - 1] = weight->sizes[0];
    for (int d = w->first; d < AXES; d++) {
        w->in[d] = images->sizes[images->rank - AXES + d];
        if (size_axis(call, w, d))
            return call->err->status;
        sizes[images->rank - AXES + d] = w->out[d];
    }
    return count_places(call, w);
}

enum dg_status take_layers(struct dg_call *call, struct layers *layers)
{
    struct dg_tensor *images = dg_arg_tensor(call, 0), *weight = dg_arg_tensor(call, 1);
    struct dg_tensor *bias = dg_arg_tensor(call, 2);

    layers->n_images = images->rank == weight->rank ? images->sizes[0] : 1;
    if (bias &&
        (dg_tensor_count(bias) != layers->features || bias->type != images->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "a bias of %lld for %lld features",
                            (long long)dg_tensor_count(bias),
                            (long long)layers->features);
    layers->images = contiguous(call, images);
    layers->weight = layers->images ? contiguous(call, weight) : NULL;
    if (!layers->weight)
        return call->err->status;
    layers->bias = bias ? contiguous(call, bias) : NULL;
    return call->err->status;
}

static enum dg_status convolution(struct dg_call *call, int64_t groups)
{
    const struct dg_tensor *images = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];
    struct layers layers = {};
    struct dg_tensor *out;
    struct window w;

    if (take_window(call, &w, groups, sizes))
        return call->err->status;
    layers.features = dg_arg_tensor(call, 1)->sizes[0];
    layers.groups = groups;
    out = dg_result(call, 0, images->type, images->rank, sizes);
    if (!out || take_layers(call, &layers))
        return call->err->status;
    return convolve(call, &layers, &w, out);
}

/* (input, weight, bias, stride, padding, dilation, groups); padding may be named */
enum dg_status dg_cuda_conv_nd(struct dg_call *call)
{
    return convolution(call, dg_arg_int(call, 6, 1));
}

/* ..., dilation, transposed, output_padding, groups) */
enum dg_status dg_cuda_convolution(struct dg_call *call)
{
    return dg_arg_bool(call, 6, false) ? convolve_transposed(call, 7, 5, 8)
                                       : convolution(call, dg_arg_int(call, 8, 1));
}
