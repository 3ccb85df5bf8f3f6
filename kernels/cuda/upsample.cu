/* Planes of another size: the nearest element, or a weighted sum of neighbours.
 *
 * Positions are in f32 unless the tensor is f64, as torch has them: which element is
 * the nearest is right only when it is rounded like there. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/places.cuh"
#include "kernels/cuda/types.cuh"

extern "C" {
#include "kernels/cpu/upsample.h"
}

enum method { NEAREST, NEAREST_EXACT, LINEAR, CUBIC };

/* One dimension; of fewer than three the first ones have one element. */
struct axis {
    int64_t in, out;
    struct divisor divisor; /* by `out` */
    double factor;          /* output to input; 0: by the sizes */
    double scale;           /* input elements for each output element */
    bool align_corners;
};

struct resampling {
    struct axis axes[DG_SPACE_MOST];
    uint32_t n; /* output elements */
};

template <int N, class P> struct taps {
    int64_t indices[N];
    P weights[N];
};

/* Extreme factors lead beyond int64, and to NaN. */
template <class P> static __device__ inline int64_t bounded(P index, int64_t size)
{
    return !(index > 0) ? 0 : index < (P)size ? (int64_t)index : size - 1;
}

static __device__ inline int64_t nearest(const struct axis *axis, uint32_t o,
                                         float shift)
{
    return bounded(floor(product_alone((float)o + shift, (float)axis->scale)),
                   axis->in);
}

template <class P>
static __device__ inline P position(const struct axis *axis, uint32_t o)
{
    P half = axis->align_corners ? P(0) : P(0.5);

    return product_alone((P)axis->scale, (P)o + half) - half;
}

template <class P>
static __device__ inline void find_taps(struct taps<2, P> *taps,
                                        const struct axis *axis, uint32_t o)
{
    P at = axis->in == axis->out ? (P)o : position<P>(axis, o), share;
    int64_t left;

    at = at > 0 ? at : P(0);
    left = bounded(at, axis->in);
    share = clamped(at - (P)left, P(0), P(1));
    taps->indices[0] = left;
    taps->indices[1] = left + 1 < axis->in ? left + 1 : axis->in - 1;
    taps->weights[0] = 1 - share;
    taps->weights[1] = share;
}

/* The kernel of cubic convolution: |x| <= 1, and 1 < |x| < 2. */
template <class P> static __device__ inline P cubic_near(P x)
{
    const P a = P(-0.75);

    return ((a + 2) * x - (a + 3)) * x * x + 1;
}

template <class P> static __device__ inline P cubic_far(P x)
{
    const P a = P(-0.75);

    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

template <class P>
static __device__ inline void find_taps(struct taps<4, P> *taps,
                                        const struct axis *axis, uint32_t o)
{
    P at = position<P>(axis, o), left = floor(at), share = at - left;

    taps->weights[0] = cubic_far(share + 1);
    taps->weights[1] = cubic_near(share);
    taps->weights[2] = cubic_near(1 - share);
    taps->weights[3] = cubic_far(2 - share);
    for (int k = 0; k < 4; k++)
        taps->indices[k] = bounded(left - 1 + k, axis->in);
}

template <class P>
static __device__ inline void find_taps(struct taps<1, P> *taps,
                                        const struct axis *axis, uint32_t o)
{
    taps->indices[0] = 0;
    taps->weights[0] = 1;
}

/* Where output element `position` lies: along each dimension, and in which plane. */
struct spot {
    uint32_t at[DG_SPACE_MOST], plane;
};

static __device__ inline struct spot spot_of(const struct resampling *of,
                                             uint32_t position)
{
    struct spot spot;

    for (int d = DG_SPACE_MOST - 1; d >= 0; d--) {
        uint32_t rest = of->axes[d].divisor.quotient(position);

        spot.at[d] = position - rest * of->axes[d].divisor.value;
        position = rest;
    }
    spot.plane = position;
    return spot;
}

template <class Word>
static __global__ void take_nearest(struct resampling of, float shift, Word *out,
                                    const Word *in)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    struct spot spot;
    int64_t at;

    if (i >= of.n)
        return;
    spot = spot_of(&of, i);
    at = spot.plane;
    for (int d = 0; d < DG_SPACE_MOST; d++)
        at = at * of.axes[d].in + nearest(&of.axes[d], spot.at[d], shift);
    out[i] = in[at];
}

/* N taps along each of the last SPACE dimensions. */
template <int N, int SPACE, class T>
static __global__ void weigh(struct resampling of, T *out, const T *in)
{
    using P = computed<T>;
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    struct taps<SPACE == 3 ? N : 1, P> z;
    struct taps<SPACE >= 2 ? N : 1, P> y;
    struct taps<N, P> x;
    struct spot spot;
    P sum = 0;

    if (i >= of.n)
        return;
    spot = spot_of(&of, i);
    find_taps(&z, &of.axes[0], spot.at[0]);
    find_taps(&y, &of.axes[1], spot.at[1]);
    find_taps(&x, &of.axes[2], spot.at[2]);
    in += (int64_t)spot.plane * of.axes[0].in * of.axes[1].in * of.axes[2].in;
    for (int k = 0; k < (SPACE == 3 ? N : 1); k++) {
        P layer = 0;

        for (int j = 0; j < (SPACE >= 2 ? N : 1); j++) {
            const T *row =
                in + (z.indices[k] * of.axes[1].in + y.indices[j]) * of.axes[2].in;
            P line = 0;

            for (int l = 0; l < N; l++)
                line += x.weights[l] * value_of(row[x.indices[l]]);
            layer += y.weights[j] * line;
        }
        sum += z.weights[k] * layer;
    }
    out[i] = store<T>::of(sum);
}

/* Rounded at each step, as torch does: to f32, or not at all. */
static double scale_of(const struct axis *axis, bool wide)
{
    double whole = axis->align_corners ? axis->in - 1 : axis->in;
    double parts = axis->align_corners ? axis->out - 1 : axis->out, scale;

    if (!axis->align_corners && axis->factor > 0)
        scale = 1 / axis->factor;
    else
        scale = parts > 0 ? whole / parts : 0;
    return wide ? scale : (float)scale;
}

/* Of an axis whose sizes and factor are known. */
static void finish_axis(struct dg_call *call, struct axis *axis, enum method method,
                        struct dg_upsample_schema schema)
{
    bool wide = method >= LINEAR && dg_arg_tensor(call, 0)->type == DG_TYPE_F64;

    axis->align_corners = schema.aligned && dg_arg_bool(call, 2, false);
    /* Such sizes decide themselves, whatever the factor. */
    if (method == NEAREST && schema.n_space == 2 &&
        (axis->out == axis->in || axis->out == 2 * axis->in))
        axis->factor = 0;
    axis->scale = scale_of(axis, wide);
    axis->divisor = divisor_of(axis->out);
}

/* The result, and what leads from its elements to those of the input. */
static struct dg_tensor *plan(struct dg_call *call, struct resampling *of,
                              enum method method, struct dg_upsample_schema schema)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST], from[DG_SPACE_MOST], to[DG_SPACE_MOST];
    double factors[DG_SPACE_MOST] = {};
    struct dg_tensor *out;

    for (int i = 0; i < DG_SPACE_MOST; i++) {
        bool there = i >= DG_SPACE_MOST - schema.n_space;

        from[i] = there ? in->sizes[in->rank - DG_SPACE_MOST + i] : 1;
        to[i] = 1;
    }
    if (dg_upsample_read(to, factors, call, &schema, from))
        return NULL;
    for (int i = 0; i < DG_SPACE_MOST; i++) {
        of->axes[i] = {};
        of->axes[i].in = from[i];
        of->axes[i].out = to[i];
        of->axes[i].factor = factors[i];
        finish_axis(call, &of->axes[i], method, schema);
    }
    for (int d = 0; d < in->rank; d++)
        sizes[d] = d < in->rank - schema.n_space
                       ? in->sizes[d]
                       : of->axes[d - in->rank + DG_SPACE_MOST].out;
    out = dg_result(call, 0, in->type, in->rank, sizes);
    if (out && dg_tensor_count(out) > INT32_MAX) {
        dg_call_fail(call, DG_ERR_DEVICE, "%lld elements are more than a kernel takes",
                     (long long)dg_tensor_count(out));
        return NULL;
    }
    of->n = out ? (uint32_t)dg_tensor_count(out) : 0;
    return out;
}

template <int N, int SPACE>
static enum dg_status weigh_elements(struct dg_call *call, const struct resampling *of,
                                     const struct dg_tensor *out,
                                     const struct dg_tensor *in)
{
    return with_float(in->type, [&](auto element) {
        using T = decltype(element);

        return launch(call, weigh<N, SPACE, T>, blocks_for(of->n), THREADS, *of,
                      (T *)dg_tensor_data(out), (const T *)dg_tensor_data(in));
    });
}

static enum dg_status run(struct dg_call *call, const struct resampling *of,
                          enum method method, int n_space, const struct dg_tensor *out,
                          const struct dg_tensor *in)
{
    if (method == CUBIC)
        return weigh_elements<4, 2>(call, of, out, in);
    if (method == LINEAR)
        return n_space == 1   ? weigh_elements<2, 1>(call, of, out, in)
               : n_space == 2 ? weigh_elements<2, 2>(call, of, out, in)
                              : weigh_elements<2, 3>(call, of, out, in);
    return with_word(in->type, [&](auto word) {
        using Word = decltype(word);

        return launch(call, take_nearest<Word>, blocks_for(of->n), THREADS, *of,
                      method == NEAREST ? 0.0f : 0.5f, (Word *)dg_tensor_data(out),
                      (const Word *)dg_tensor_data(in));
    });
}

static enum dg_status upsample(struct dg_call *call, enum method method,
                               struct dg_upsample_schema schema)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *in, *out;
    struct resampling of;
    enum dg_status status;

    if (!self || self->rank < schema.n_space + 1 || self->rank > schema.n_space + 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "an image of rank %d",
                            self ? self->rank : 0);
    if (method >= LINEAR && !dg_type_is_float(self->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "interpolation of %s",
                            dg_type_name(self->type));
    out = plan(call, &of, method, schema);
    if (!out || !of.n)
        return call->err->status;
    in = contiguous_as(call, self, out->type);
    if (!in)
        return call->err->status;
    status = run(call, &of, method, schema.n_space, out, in);
    dg_tensor_drop(in);
    return status;
}

#define UPSAMPLE(name, method, n_space, aligned)                                       \
    enum dg_status dg_cuda_##name(struct dg_call *call)                                \
    {                                                                                  \
        return upsample(call, method, {n_space, aligned, false});                      \
    }                                                                                  \
    enum dg_status dg_cuda_##name##_vec(struct dg_call *call)                          \
    {                                                                                  \
        return upsample(call, method, {n_space, aligned, true});                       \
    }
DG_UPSAMPLES(UPSAMPLE)
