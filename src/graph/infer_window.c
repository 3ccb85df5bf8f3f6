/* Sizes of what slides windows over images, pads or scales them. */
#include "graph/infer_parts.h"

/* One number for each dimension of a window: one may stand for all. */
struct per_dim {
    int64_t values[DG_RANK_MOST];
    int n;
};

static bool read_per_dim(const struct dg_infer_call *call, const char *name,
                         struct per_dim *list)
{
    list->n = dg_infer_ints(call, name, list->values);
    return list->n >= 0;
}

static int64_t at(const struct per_dim *list, int dim, int64_t otherwise)
{
    return list->n ? list->values[dim < list->n ? dim : list->n - 1] : otherwise;
}

struct window {
    struct per_dim kernel, stride, padding, dilation, output_padding;
    int64_t ceil_mode, transposed;
};

static bool read_window(const struct dg_infer_call *call, struct window *window)
{
    return read_per_dim(call, "stride", &window->stride) &&
           read_per_dim(call, "padding", &window->padding) &&
           read_per_dim(call, "dilation", &window->dilation) &&
           read_per_dim(call, "output_padding", &window->output_padding) &&
           dg_infer_int(call, "ceil_mode", 0, &window->ceil_mode) &&
           dg_infer_int(call, "transposed", 0, &window->transposed);
}

/* Whether a list has a number for each dimension, or one for all. */
static bool is_for(const struct per_dim *list, int n_dims)
{
    return list->n == 1 || list->n == n_dims;
}

enum { SIZE_MOST = 1 << 30 }; /* of what a window may be: products fit */

static bool is_sane(int64_t value, int64_t least)
{
    return value >= least && value < SIZE_MOST;
}

/* How many windows fit along a dimension; -1: none do, or the window is none. */
static int64_t slide(const struct window *window, int dim, int64_t size)
{
    int64_t kernel = at(&window->kernel, dim, 1);
    int64_t stride = at(&window->stride, dim, kernel);
    int64_t padding = at(&window->padding, dim, 0);
    int64_t dilation = at(&window->dilation, dim, 1);
    int64_t more = at(&window->output_padding, dim, 0), room, n;

    if (!is_sane(kernel, 1) || !is_sane(stride, 1) || !is_sane(padding, 0) ||
        !is_sane(dilation, 1) || !is_sane(size, 0) || !is_sane(more, 0))
        return -1;
    if (window->transposed)
        return (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + more + 1;
    room = size + 2 * padding - dilation * (kernel - 1) - 1;
    if (room < 0 && !window->ceil_mode)
        return -1;
    n = (room + (window->ceil_mode ? stride - 1 : 0)) / stride + 1;
    return window->ceil_mode && (n - 1) * stride >= size + padding ? n - 1 : n;
}

/* The last `n_dims` sizes become what the window gives. */
static enum dg_inferred slide_all(struct dg_infer_call *call,
                                  const struct dg_known_tensor *self,
                                  const struct window *window, int n_dims)
{
    if (self->bounded)
        return DG_INFER_RANK;
    for (int i = 0; i < n_dims; i++) {
        int64_t *size = &call->sizes[self->rank - n_dims + i];

        *size = slide(window, i, self->sizes[self->rank - n_dims + i]);
        if (*size <= 0)
            return dg_infer_refuse(call);
    }
    return DG_INFER_SIZES;
}

enum dg_inferred dg_infer_pool(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    struct window window = {0};

    if (!self || !read_window(call, &window) ||
        !read_per_dim(call, "kernel_size", &window.kernel))
        return DG_INFER_NOTHING;
    if ((self->rank != 3 && self->rank != 4) || !is_for(&window.kernel, 2) ||
        !is_for(&window.padding, 2))
        return dg_infer_refuse(call);
    for (int i = 0; i < 2; i++) {
        if (at(&window.padding, i, 0) > at(&window.kernel, i, 1) / 2)
            return dg_infer_refuse(call);
    }
    dg_infer_like(call, self);
    return slide_all(call, self, &window, 2);
}

enum dg_inferred dg_infer_adaptive(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    struct per_dim size;

    if (!self || !read_per_dim(call, "output_size", &size))
        return DG_INFER_NOTHING;
    if ((self->rank != 3 && self->rank != 4) || size.n != 2 || size.values[0] <= 0 ||
        size.values[1] <= 0)
        return dg_infer_refuse(call);
    dg_infer_like(call, self);
    for (int i = 0; i < 2; i++)
        call->sizes[self->rank - 2 + i] = size.values[i];
    return dg_infer_exact(self);
}

/* Whether channels, groups and weight go together; *channels is how many come out. */
static bool read_channels(const struct dg_known_tensor *self,
                          const struct dg_known_tensor *weight, bool transposed,
                          int64_t groups, int64_t *channels)
{
    if (groups <= 0 || groups >= SIZE_MOST || weight->sizes[1] >= SIZE_MOST ||
        weight->sizes[0] % groups)
        return false;
    *channels = transposed ? groups * weight->sizes[1] : weight->sizes[0];
    return self->bounded || self->sizes[1] == (transposed ? weight->sizes[0]
                                                          : groups * weight->sizes[1]);
}

enum dg_inferred dg_infer_convolution(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, "input");
    const struct dg_known_tensor *weight = dg_infer_tensor(call, "weight");
    const struct dg_known_tensor *bias = dg_infer_tensor(call, "bias");
    struct window window = {0};
    int64_t groups, channels;

    if (!self || !weight || weight->bounded || !read_window(call, &window) ||
        !dg_infer_int(call, "groups", 1, &groups))
        return DG_INFER_NOTHING;
    if ((self->rank != 3 && self->rank != 4) || weight->rank != self->rank ||
        !is_for(&window.stride, self->rank - 2) ||
        !is_for(&window.padding, self->rank - 2) ||
        !is_for(&window.dilation, self->rank - 2) ||
        !read_channels(self, weight, window.transposed, groups, &channels) ||
        (bias && (bias->rank != 1 || bias->sizes[0] != channels)))
        return dg_infer_refuse(call);
    window.kernel.n = self->rank - 2;
    for (int i = 0; i < window.kernel.n; i++)
        window.kernel.values[i] = weight->sizes[2 + i];
    dg_infer_like(call, self);
    call->sizes[1] = channels;
    return slide_all(call, self, &window, window.kernel.n);
}

/* The kernel divides by the groups. */
enum dg_inferred dg_infer_convolution_back(struct dg_infer_call *call)
{
    const struct dg_known_tensor *weight = dg_infer_tensor(call, "weight");
    struct window window = {0};
    int64_t groups, transposed;
    int n = weight ? weight->rank - 2 : 0;

    if (dg_infer_int(call, "groups", 1, &groups) && groups <= 0) {
        dg_print(call->why, "refuses %lld groups", (long long)groups);
        return DG_INFER_REFUSED;
    }
    if (dg_infer_int(call, "transposed", 0, &transposed) && transposed) {
        dg_print(call->why, "refuses to be transposed");
        return DG_INFER_REFUSED;
    }
    if (weight && read_window(call, &window) &&
        (!is_for(&window.stride, n) || !is_for(&window.padding, n) ||
         !is_for(&window.dilation, n)))
        return dg_infer_refuse(call);
    return DG_INFER_NOTHING;
}

enum dg_inferred dg_infer_pad(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    bool constant = dg_infer_arg(call, "pad") != NULL;
    int64_t pads[DG_RANK_MOST];
    int n = dg_infer_ints(call, constant ? "pad" : "padding", pads);

    if (!self || n < 0)
        return DG_INFER_NOTHING;
    if (n % 2 || n / 2 > self->rank)
        return dg_infer_refuse(call);
    dg_infer_like(call, self);
    for (int i = 0; i < n; i++) {
        int64_t *size = &call->sizes[self->rank - 1 - i / 2];

        if ((constant && pads[i] < 0) || __builtin_add_overflow(*size, pads[i], size))
            return dg_infer_refuse(call);
    }
    return dg_infer_exact(self);
}

/* Cut off to a whole number; false: it is no size, as of a factor that is no number. */
static bool scale(int64_t *size, double factor)
{
    double scaled = (double)*size * factor;

    if (!(scaled >= 0 && scaled < SIZE_MOST))
        return false;
    *size = (int64_t)scaled;
    return true;
}

/* The result has the sizes that are given, or those that scale factors give. */
enum dg_inferred dg_infer_upsample(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    const struct dg_known *factors = dg_infer_arg(call, "scale_factors");
    struct per_dim size;
    bool scaled = factors && factors->kind == DG_ARG_LIST;

    if (!self || !read_per_dim(call, "output_size", &size))
        return DG_INFER_NOTHING;
    if (self->rank != 4 ||
        (scaled ? size.n || factors->as.list.n_items != 2 : size.n != 2))
        return dg_infer_refuse(call);
    dg_infer_like(call, self);
    for (int i = 0; i < 2; i++) {
        int64_t *out = &call->sizes[2 + i];

        if (scaled && factors->as.list.items[i].kind != DG_ARG_FLOAT)
            return DG_INFER_NOTHING;
        if (!scaled)
            *out = size.values[i];
        else if (!scale(out, factors->as.list.items[i].as.real))
            return self->bounded ? DG_INFER_NOTHING : dg_infer_refuse(call);
    }
    return dg_infer_exact(self);
}

/* Channels become blocks of pixels, or the reverse. */
static enum dg_inferred shuffle(struct dg_infer_call *call, const char *name, bool back)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t factor, block, *sizes;

    if (!self || !dg_infer_int(call, name, 1, &factor))
        return DG_INFER_NOTHING;
    if (self->rank < 3 || !is_sane(factor, 1) || factor >= 1 << 15)
        return dg_infer_refuse(call);
    dg_infer_like(call, self);
    sizes = &call->sizes[self->rank - 3];
    if (self->bounded)
        return DG_INFER_RANK;
    block = factor * factor;
    if (back
            ? sizes[1] % factor || sizes[2] % factor ||
                  __builtin_mul_overflow(sizes[0], block, &sizes[0])
            : sizes[0] % block || __builtin_mul_overflow(sizes[1], factor, &sizes[1]) ||
                  __builtin_mul_overflow(sizes[2], factor, &sizes[2]))
        return dg_infer_refuse(call);
    if (!back)
        sizes[0] /= block;
    for (int i = 1; back && i < 3; i++)
        sizes[i] /= factor;
    return DG_INFER_SIZES;
}

enum dg_inferred dg_infer_pixel_shuffle(struct dg_infer_call *call)
{
    return shuffle(call, "upscale_factor", false);
}

enum dg_inferred dg_infer_pixel_unshuffle(struct dg_infer_call *call)
{
    return shuffle(call, "downscale_factor", true);
}
