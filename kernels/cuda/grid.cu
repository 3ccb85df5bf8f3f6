/* Sampling of planes and volumes at the points of a grid. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/types.cuh"

enum { AXES = 3, TAPS_MOST = 4 };
enum { BILINEAR, NEAREST, BICUBIC };
enum { ZEROS, BORDER, REFLECTION };

/* Depth, height and width; planes have a depth of 1. */
struct sampling {
    int n_space;
    int64_t mode, padding, channels, in[AXES], n_in, n_points;
    bool align_corners;
};

/* Input elements along one dimension; index -1: outside, where 0 is. */
template <class C> struct taps {
    int n;
    int64_t indices[TAPS_MOST];
    C weights[TAPS_MOST];
};

/* From -1..1 to elements. Positions round to T at each step, as torch has them. */
template <class T>
static __device__ computed<T> position(const struct sampling &s, computed<T> x,
                                       int64_t size)
{
    using C = computed<T>;
    C moved = kept<T>(x + 1);

    if (s.align_corners)
        return kept<T>(product_alone(kept<T>(moved / 2), (C)(size - 1)));
    return kept<T>(kept<T>(kept<T>(product_alone(moved, (C)size)) - 1) / 2);
}

template <class T>
static __device__ computed<T> reflected(const struct sampling &s, computed<T> at,
                                        int64_t size)
{
    using C = computed<T>;
    C least = s.align_corners ? C(0) : C(-0.5);
    C span = (C)(s.align_corners ? size - 1 : size);
    C away = kept<T>(fabs(kept<T>(at - least))), rest = fmod(away, span);

    if (span == 0)
        return 0;
    return fmod(floor(kept<T>(away / span)), C(2)) == 0
               ? kept<T>(rest + least)
               : kept<T>(kept<T>(span - rest) + least);
}

template <class T>
static __device__ computed<T> padded(const struct sampling &s, computed<T> at,
                                     int64_t size)
{
    using C = computed<T>;

    if (s.padding == ZEROS)
        return at;
    if (s.padding == REFLECTION)
        at = reflected<T>(s, at, size);
    if (at != at)
        return s.n_space == 2 ? C(0) : (C)(size - 1);
    return fmin((C)(size - 1), fmax(at, C(0)));
}

template <class C> static __device__ inline int64_t index_of(C at, int64_t size)
{
    return at >= 0 && at < (C)size ? (int64_t)at : -1;
}

/* Cubic convolution at a distance: of up to 1, and from 1 to 2. */
template <class T> static __device__ computed<T> cubic_near(computed<T> x)
{
    using C = computed<T>;
    const C a = C(-0.75);
    C y = kept<T>(kept<T>(product_alone(kept<T>(a + 2), x)) - kept<T>(a + 3));

    return kept<T>(kept<T>(product_alone(kept<T>(product_alone(y, x)), x)) + 1);
}

template <class T> static __device__ computed<T> cubic_far(computed<T> x)
{
    using C = computed<T>;
    const C a = C(-0.75);
    C y = kept<T>(kept<T>(product_alone(a, x)) - 5 * a);

    y = kept<T>(kept<T>(product_alone(y, x)) + 8 * a);
    return kept<T>(kept<T>(product_alone(y, x)) - 4 * a);
}

template <class T>
static __device__ void find_cubic(const struct sampling &s, computed<T> at,
                                  int64_t size, struct taps<computed<T>> *taps)
{
    using C = computed<T>;
    C left = floor(at), share = kept<T>(at - left);

    taps->n = 4;
    taps->weights[0] = cubic_far<T>(kept<T>(share + 1));
    taps->weights[1] = cubic_near<T>(share);
    taps->weights[2] = cubic_near<T>(kept<T>(1 - share));
    taps->weights[3] = cubic_far<T>(kept<T>(2 - share));
    for (int k = 0; k < 4; k++)
        taps->indices[k] = index_of(padded<T>(s, left - 1 + k, size), size);
}

template <class T>
static __device__ void find_taps(const struct sampling &s, computed<T> x, int64_t size,
                                 struct taps<computed<T>> *taps)
{
    using C = computed<T>;
    C at = position<T>(s, x, size), left;

    if (s.mode == BICUBIC) {
        find_cubic<T>(s, at, size, taps);
        return;
    }
    at = padded<T>(s, at, size);
    left = floor(at);
    taps->n = s.mode == NEAREST ? 1 : 2;
    taps->indices[0] = index_of(s.mode == NEAREST ? rint(at) : left, size);
    taps->indices[1] = index_of(left + 1, size);
    taps->weights[1] = kept<T>(at - left);
    taps->weights[0] = s.mode == NEAREST ? C(1) : kept<T>(1 - taps->weights[1]);
}

/* A NaN in the grid makes the weights NaN: torch adds what is outside in 2d, not in 3d.
 */
template <class T>
static __device__ computed<T> sample(const struct sampling &s, const T *plane,
                                     const struct taps<computed<T>> *taps)
{
    computed<T> sum = 0;

    for (int z = 0; z < taps[0].n; z++) {
        for (int y = 0; y < taps[1].n; y++) {
            for (int x = 0; x < taps[2].n; x++) {
                int64_t d = taps[0].indices[z], h = taps[1].indices[y];
                int64_t w = taps[2].indices[x];
                bool inside = d >= 0 && h >= 0 && w >= 0;

                if (inside || s.n_space == 2)
                    sum += taps[0].weights[z] * taps[1].weights[y] *
                           taps[2].weights[x] *
                           (inside ? value_of(plane[(d * s.in[1] + h) * s.in[2] + w])
                                   : computed<T>(0));
            }
        }
    }
    return sum;
}

/* A thread for all the channels at one point of the grid. */
template <class T>
static __global__ void sample_points(struct sampling s, int64_t n, T *out,
                                     const T *planes, const T *grid)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t first = i / s.n_points * s.channels;
    struct taps<computed<T>> taps[AXES];

    if (i >= n)
        return;
    taps[0].n = 1;
    taps[0].indices[0] = 0;
    taps[0].weights[0] = 1;
    for (int k = 0; k < s.n_space; k++)
        find_taps<T>(s, value_of(grid[i * s.n_space + k]), s.in[AXES - 1 - k],
                     &taps[AXES - 1 - k]);
    for (int64_t c = first; c < first + s.channels; c++)
        out[c * s.n_points + i % s.n_points] =
            store<T>::of(sample<T>(s, planes + c * s.n_in, taps));
}

static enum dg_status check_shapes(struct dg_call *call, int n_space)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0), *grid = dg_arg_tensor(call, 1);

    if (!in || !grid || in->rank != n_space + 2 || grid->rank != in->rank ||
        grid->sizes[0] != in->sizes[0] || grid->sizes[in->rank - 1] != n_space)
        return dg_call_fail(call, DG_ERR_FORMAT, "a grid that does not fit the input");
    if (!dg_type_is_float(in->type) || grid->type != in->type)
        return dg_call_fail(call, DG_ERR_FORMAT, "an input of %s with a grid of %s",
                            dg_type_name(in->type), dg_type_name(grid->type));
    return DG_OK;
}

/* (input, grid, interpolation_mode, padding_mode, align_corners); *sizes: the result's
 */
static enum dg_status begin(struct dg_call *call, struct sampling *s, int64_t *sizes)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0), *grid = dg_arg_tensor(call, 1);

    s->mode = dg_arg_int(call, 2, BILINEAR);
    s->padding = dg_arg_int(call, 3, ZEROS);
    s->align_corners = dg_arg_bool(call, 4, false);
    s->channels = in->sizes[1];
    s->in[0] = s->n_in = s->n_points = 1;
    sizes[0] = in->sizes[0];
    sizes[1] = in->sizes[1];
    for (int k = 0; k < s->n_space; k++) {
        s->in[AXES - s->n_space + k] = in->sizes[2 + k];
        s->n_in *= in->sizes[2 + k];
        s->n_points *= sizes[2 + k] = grid->sizes[1 + k];
    }
    if (s->mode < BILINEAR || s->mode > (s->n_space == 2 ? BICUBIC : NEAREST) ||
        s->padding < ZEROS || s->padding > REFLECTION)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "interpolation mode %lld with padding mode %lld",
                            (long long)s->mode, (long long)s->padding);
    return s->n_in ? DG_OK
                   : dg_call_fail(call, DG_ERR_FORMAT, "the planes have no elements");
}

static enum dg_status grid_sample(struct dg_call *call, int n_space)
{
    struct dg_tensor *planes, *points = NULL, *out;
    enum dg_status status = check_shapes(call, n_space);
    int64_t sizes[AXES + 2], n;
    struct sampling s = {};

    s.n_space = n_space;
    if (!status)
        status = begin(call, &s, sizes);
    if (status)
        return status;
    out = dg_result(call, 0, dg_arg_tensor(call, 0)->type, n_space + 2, sizes);
    planes = out ? contiguous_as(call, dg_arg_tensor(call, 0), out->type) : NULL;
    if (planes)
        points = contiguous_as(call, dg_arg_tensor(call, 1), out->type);
    n = sizes[0] * s.n_points;
    status = !points ? call->err->status : with_float(out->type, [&](auto element) {
        using T = decltype(element);

        return launch(call, sample_points<T>, blocks_for(n), THREADS, s, n,
                      (T *)dg_tensor_data(out), (const T *)dg_tensor_data(planes),
                      (const T *)dg_tensor_data(points));
    });
    dg_tensor_drop(planes);
    dg_tensor_drop(points);
    return status;
}

enum dg_status dg_cuda_grid_sampler_2d(struct dg_call *call)
{
    return grid_sample(call, 2);
}

enum dg_status dg_cuda_grid_sampler_3d(struct dg_call *call)
{
    return grid_sample(call, 3);
}

enum dg_status dg_cuda_grid_sampler(struct dg_call *call)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0);

    return grid_sample(call, in && in->rank == 5 ? 3 : 2);
}
