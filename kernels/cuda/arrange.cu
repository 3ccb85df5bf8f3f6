/* Elements in another order: copies through other strides. */
#include "kernels/cuda/convert.cuh"

extern "C" {
#include "kernels/cpu/movement.h"
}

/* Argument 0, which must be a tensor; NULL: it is not. */
static const struct dg_tensor *need_tensor(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
    return self;
}

/* Result 0 of the given shape; seen as `from`, it has the elements of `from`. */
static enum dg_status rearrange(struct dg_call *call, const struct dg_tensor *from,
                                int rank, const int64_t *sizes)
{
    struct dg_tensor *out = dg_result(call, 0, from->type, rank, sizes), places;

    if (!out)
        return call->err->status;
    places = *out;
    places.rank = from->rank;
    for (int d = 0; d < from->rank; d++)
        places.sizes[d] = from->sizes[d];
    dg_contiguous_strides(places.rank, places.sizes, places.strides);
    return copy_elements(call, &places, from);
}

/* Another view: `dim` from its end on. */
static void reverse(struct dg_tensor *view, int dim)
{
    if (view->sizes[dim] > 1)
        view->offset += (view->sizes[dim] - 1) * view->strides[dim];
    view->strides[dim] = -view->strides[dim];
}

static enum dg_status flip_one(struct dg_call *call, int64_t given)
{
    const struct dg_tensor *self = need_tensor(call);
    struct dg_tensor view;
    int dim;

    if (!self || !dg_dimension(call, given, self->rank, &dim))
        return call->err->status;
    view = *self;
    if (self->rank)
        reverse(&view, dim);
    return rearrange(call, &view, self->rank, self->sizes);
}

enum dg_status dg_cuda_fliplr(struct dg_call *call)
{
    return flip_one(call, 1);
}

enum dg_status dg_cuda_flipud(struct dg_call *call)
{
    return flip_one(call, 0);
}

/* (self, k, dims) */
enum dg_status dg_cuda_rot90(struct dg_call *call)
{
    struct dg_rotation turned;

    if (dg_rotation_read(call, &turned))
        return call->err->status;
    for (int i = 0; i < 2; i++) {
        if (turned.reversed[i])
            reverse(&turned.view, turned.dims[i]);
    }
    return rearrange(call, &turned.view, turned.view.rank, turned.view.sizes);
}

/* (self, dims): as repeat, but missing counts are 1 */
enum dg_status dg_cuda_tile(struct dg_call *call)
{
    const struct dg_tensor *self = need_tensor(call);
    struct dg_arg counts[DG_RANK_MOST] = {}, args[2] = {};
    struct dg_call repeat = *call;
    int64_t given[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, given, DG_RANK_MOST), rank;

    if (!self || n < 0)
        return call->err->status;
    rank = n > self->rank ? n : self->rank;
    for (int d = 0; d < rank; d++) {
        counts[d].kind = DG_ARG_INT;
        counts[d].as.integer = d < rank - n ? 1 : given[d - rank + n];
    }
    args[0] = call->args[0];
    args[1].kind = DG_ARG_LIST;
    args[1].as.list.items = counts;
    args[1].as.list.n_items = (size_t)rank;
    repeat.args = args;
    repeat.n_args = 2;
    return dg_cuda_repeat(&repeat);
}

/* An image and a factor above 0, as arguments 0 and 1; NULL: refused. */
static const struct dg_tensor *need_image(struct dg_call *call, int64_t *factor)
{
    const struct dg_tensor *self = need_tensor(call);

    *factor = dg_arg_int(call, 1, 0);
    if (self && self->rank >= 3 && self->rank + 2 <= DG_RANK_MOST && *factor > 0 &&
        *factor < 1 << 30)
        return self;
    if (self)
        dg_call_fail(call, DG_ERR_FORMAT, "a factor of %lld for a tensor of rank %d",
                     (long long)*factor, self->rank);
    return NULL;
}

static enum dg_status refuse_factor(struct dg_call *call, int64_t size, int64_t factor)
{
    return dg_call_fail(call, DG_ERR_FORMAT, "size %lld is no multiple of %lld",
                        (long long)size, (long long)factor);
}

/* The last three dimensions become these five, and together channels, rows, columns. */
static enum dg_status rearrange_image(struct dg_call *call,
                                      const struct dg_tensor *self,
                                      const int64_t *split, const int64_t *steps,
                                      const int64_t *image)
{
    struct dg_tensor from = *self;
    int64_t sizes[DG_RANK_MOST];
    int batch = self->rank - 3;

    for (int d = 0; d < self->rank; d++)
        sizes[d] = d < batch ? self->sizes[d] : image[d - batch];
    from.rank = batch + 5;
    for (int d = 0; d < 5; d++) {
        from.sizes[batch + d] = split[d];
        from.strides[batch + d] = steps[d];
    }
    return rearrange(call, &from, self->rank, sizes);
}

enum dg_status dg_cuda_pixel_shuffle(struct dg_call *call)
{
    int64_t r, image[3];
    const struct dg_tensor *self = need_image(call, &r);
    const int64_t *sizes, *strides;

    if (!self)
        return call->err->status;
    sizes = &self->sizes[self->rank - 3];
    strides = &self->strides[self->rank - 3];
    if (sizes[0] % (r * r))
        return refuse_factor(call, sizes[0], r * r);
    image[0] = sizes[0] / (r * r);
    if (__builtin_mul_overflow(sizes[1], r, &image[1]) ||
        __builtin_mul_overflow(sizes[2], r, &image[2]))
        return refuse_factor(call, sizes[1], r);
    const int64_t split[] = {image[0], sizes[1], r, sizes[2], r};
    const int64_t steps[] = {strides[0] * r * r, strides[1], strides[0] * r, strides[2],
                             strides[0]};

    return rearrange_image(call, self, split, steps, image);
}

enum dg_status dg_cuda_pixel_unshuffle(struct dg_call *call)
{
    int64_t r, image[3];
    const struct dg_tensor *self = need_image(call, &r);
    const int64_t *sizes, *strides;

    if (!self)
        return call->err->status;
    sizes = &self->sizes[self->rank - 3];
    strides = &self->strides[self->rank - 3];
    if (sizes[1] % r || sizes[2] % r)
        return refuse_factor(call, sizes[sizes[1] % r ? 1 : 2], r);
    image[1] = sizes[1] / r;
    image[2] = sizes[2] / r;
    if (__builtin_mul_overflow(sizes[0], r * r, &image[0]))
        return refuse_factor(call, sizes[0], r);
    const int64_t split[] = {sizes[0], r, r, image[1], image[2]};
    const int64_t steps[] = {strides[0], strides[1], strides[2], strides[1] * r,
                             strides[2] * r};

    return rearrange_image(call, self, split, steps, image);
}

enum dg_status dg_cuda_channel_shuffle(struct dg_call *call)
{
    int64_t groups;
    const struct dg_tensor *self = need_image(call, &groups);
    struct dg_tensor from;

    if (!self)
        return call->err->status;
    if (self->sizes[1] % groups)
        return refuse_factor(call, self->sizes[1], groups);
    from = *self;
    for (int d = self->rank; d > 2; d--) {
        from.sizes[d] = self->sizes[d - 1];
        from.strides[d] = self->strides[d - 1];
    }
    from.rank++;
    from.sizes[1] = self->sizes[1] / groups;
    from.sizes[2] = groups;
    from.strides[2] = self->strides[1] * from.sizes[1];
    return rearrange(call, &from, self->rank, self->sizes);
}
