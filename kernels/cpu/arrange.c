/* Elements in another order or several times: flip, roll, repeat, pixel_shuffle. */
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"

/* Result 0 of the shape of `self`, elements by `axes`. */
static enum dg_status give_taken(struct dg_call *call, const struct dg_tensor *self,
                                 const struct dg_axes *axes)
{
    struct dg_tensor *out = dg_result(call, 0, self->type, self->rank, self->sizes);

    if (!out)
        return call->err->status;
    dg_take_axes(out, self, axes, NULL, call->context->n_threads);
    return DG_OK;
}

static int64_t *reversed(struct dg_call *call, int64_t size)
{
    int64_t *source = dg_scratch(call, size, sizeof(*source));

    for (int64_t i = 0; source && i < size; i++)
        source[i] = size - 1 - i;
    return source;
}

static enum dg_status flip(struct dg_call *call, const int64_t *dims, int n)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_axes axes = {0};
    int dim;

    if (!self || n < 0)
        return call->err->status;
    for (int i = 0; i < n; i++) {
        if (!dg_dimension(call, dims[i], self->rank, &dim))
            return call->err->status;
        if (axes.source[dim])
            return dg_call_fail(call, DG_ERR_FORMAT, "dimension %d appears twice", dim);
        if (!dg_tensor_count(self) || !self->rank)
            continue;
        axes.source[dim] = reversed(call, self->sizes[dim]);
        if (!axes.source[dim])
            return call->err->status;
    }
    return give_taken(call, self, &axes);
}

enum dg_status dg_cpu_flip(struct dg_call *call)
{
    int64_t dims[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, dims, DG_RANK_MOST);

    return flip(call, dims, n);
}

enum dg_status dg_cpu_fliplr(struct dg_call *call)
{
    return flip(call, (const int64_t[]){1}, 1);
}

enum dg_status dg_cpu_flipud(struct dg_call *call)
{
    return flip(call, (const int64_t[]){0}, 1);
}

/* Element i comes from i - shift, around the end. */
static int64_t *rolled(struct dg_call *call, const int64_t *before, int64_t size,
                       int64_t shift)
{
    int64_t *source = dg_scratch(call, size, sizeof(*source));
    int64_t first = size ? shift % size : 0;

    first = first > 0 ? size - first : -first;
    for (int64_t i = 0; source && i < size; i++) {
        int64_t from = i < size - first ? i + first : i + first - size;

        source[i] = before ? before[from] : from;
    }
    return source;
}

/* Without dimensions: all elements as one row. */
static enum dg_status roll_flat(struct dg_call *call, struct dg_tensor *self,
                                int64_t shift)
{
    struct dg_tensor *flat = dg_flattened(call, self), *out, row;
    struct dg_axes axes = {0};

    if (!flat)
        return call->err->status;
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    if (out) {
        row = dg_shaped(out, 1, flat->sizes, NULL);
        axes.source[0] = rolled(call, NULL, flat->sizes[0], shift);
        if (axes.source[0])
            dg_take_axes(&row, flat, &axes, NULL, call->context->n_threads);
    }
    dg_tensor_drop(flat);
    return out && axes.source[0] ? DG_OK : call->err->status;
}

/* aten::roll: self, shifts, dims. */
enum dg_status dg_cpu_roll(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t shifts[DG_RANK_MOST], dims[DG_RANK_MOST];
    int n_shifts = dg_arg_ints(call, 1, shifts, DG_RANK_MOST), dim;
    int n_dims = dg_arg_ints(call, 2, dims, DG_RANK_MOST);
    struct dg_axes axes = {0};

    if (!self || n_shifts < 0 || n_dims < 0)
        return call->err->status;
    if (!n_dims && n_shifts == 1)
        return roll_flat(call, self, shifts[0]);
    if (n_shifts != n_dims)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d shifts for %d dimensions",
                            n_shifts, n_dims);
    for (int i = 0; i < n_dims; i++) {
        if (!dg_dimension(call, dims[i], self->rank, &dim))
            return call->err->status;
        if (!dg_tensor_count(self) || !self->rank)
            continue;
        axes.source[dim] = rolled(call, axes.source[dim], self->sizes[dim], shifts[i]);
        if (!axes.source[dim])
            return call->err->status;
    }
    return give_taken(call, self, &axes);
}

enum dg_status dg_rotation_read(struct dg_call *call, struct dg_rotation *rotation)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *view = &rotation->view;
    int64_t k = (dg_arg_int(call, 1, 1) % 4 + 4) % 4, dims[2];
    int n = dg_arg_ints(call, 2, dims, 2), a, b;

    if (!self || n < 0)
        return call->err->status;
    if (n != 2 || self->rank < 2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a rotation needs two dimensions; the input has rank %d",
                            self->rank);
    if (!dg_dimension(call, dims[0], self->rank, &a) ||
        !dg_dimension(call, dims[1], self->rank, &b))
        return call->err->status;
    if (a == b)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a rotation from dimension %d to itself", a);
    *rotation =
        (struct dg_rotation){dg_shaped(self, self->rank, self->sizes, self->strides),
                             {a, b},
                             {k == 1 || k == 2, k == 2 || k == 3}};
    if (k % 2) {
        view->sizes[a] = self->sizes[b];
        view->strides[a] = self->strides[b];
        view->sizes[b] = self->sizes[a];
        view->strides[b] = self->strides[a];
    }
    return DG_OK;
}

/* aten::rot90: self, k, dims; by 90 degrees k times, from the first dimension towards
 * the second. */
enum dg_status dg_cpu_rot90(struct dg_call *call)
{
    struct dg_rotation turned;
    struct dg_axes axes = {0};

    if (dg_rotation_read(call, &turned))
        return call->err->status;
    for (int i = 0; i < 2 && dg_tensor_count(&turned.view); i++) {
        int dim = turned.dims[i];

        if (turned.reversed[i] &&
            !(axes.source[dim] = reversed(call, turned.view.sizes[dim])))
            return call->err->status;
    }
    return give_taken(call, &turned.view, &axes);
}

/* `self` with ones in front, repeated along each dimension. */
static enum dg_status repeat(struct dg_call *call, const struct dg_tensor *self,
                             int rank, const int64_t *repeats)
{
    struct dg_tensor view, *out;
    int64_t sizes[DG_RANK_MOST], ones[DG_RANK_MOST] = {0};
    struct dg_axes axes = {0};

    for (int dim = 0; dim < rank; dim++)
        ones[dim] = dim < rank - self->rank ? 1 : self->sizes[dim - rank + self->rank];
    view = dg_expanded(self, rank, ones);
    for (int dim = 0; dim < rank; dim++) {
        if (repeats[dim] < 0 ||
            __builtin_mul_overflow(view.sizes[dim], repeats[dim], &sizes[dim]))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "dimension %d of size %lld repeated %lld times", dim,
                                (long long)view.sizes[dim], (long long)repeats[dim]);
    }
    out = dg_result(call, 0, self->type, rank, sizes);
    if (!out)
        return call->err->status;
    for (int dim = 0; dg_tensor_count(out) && dim < rank; dim++) {
        int64_t *source;

        if (repeats[dim] == 1)
            continue;
        source = dg_scratch(call, sizes[dim], sizeof(*source));
        if (!source)
            return call->err->status;
        for (int64_t i = 0; i < sizes[dim]; i++)
            source[i] = i % view.sizes[dim];
        axes.source[dim] = source;
    }
    dg_take_axes(out, &view, &axes, NULL, call->context->n_threads);
    return DG_OK;
}

/* aten::repeat: self, repeats. */
enum dg_status dg_cpu_repeat(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t repeats[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, repeats, DG_RANK_MOST);

    if (!self || n < 0)
        return call->err->status;
    if (n < self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%d repeat counts for a tensor of rank %d", n, self->rank);
    return repeat(call, self, n, repeats);
}

/* aten::tile: as repeat, but missing counts are 1. */
enum dg_status dg_cpu_tile(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t given[DG_RANK_MOST], repeats[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, given, DG_RANK_MOST), rank;

    if (!self || n < 0)
        return call->err->status;
    rank = n > self->rank ? n : self->rank;
    for (int dim = 0; dim < rank; dim++)
        repeats[dim] = dim < rank - n ? 1 : given[dim - rank + n];
    return repeat(call, self, rank, repeats);
}

/* Result 0 of the given shape; seen as `from`, it has the elements of `from`. */
static enum dg_status rearrange(struct dg_call *call, struct dg_tensor *from, int rank,
                                const int64_t *sizes)
{
    struct dg_tensor *out = dg_result(call, 0, from->type, rank, sizes), places;

    if (!out)
        return call->err->status;
    places = dg_shaped(out, from->rank, from->sizes, NULL);
    dg_move_elements(&places, from, call->context->n_threads);
    return DG_OK;
}

/* The last three dimensions (channels, rows, columns) split and put in another order.
 */
struct split_image {
    int64_t sizes[5], strides[5];
};

static enum dg_status rearrange_image(struct dg_call *call, struct dg_tensor *self,
                                      const struct split_image *split, int64_t channels,
                                      int64_t rows, int64_t columns)
{
    int batch = self->rank - 3;
    struct dg_tensor from = dg_shaped(self, self->rank, self->sizes, self->strides);
    int64_t sizes[DG_RANK_MOST];

    if (batch + 5 > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "an image of rank %d", self->rank);
    memcpy(sizes, self->sizes, sizeof(sizes));
    sizes[batch] = channels;
    sizes[batch + 1] = rows;
    sizes[batch + 2] = columns;
    memcpy(&from.sizes[batch], split->sizes, sizeof(split->sizes));
    memcpy(&from.strides[batch], split->strides, sizeof(split->strides));
    from.rank = batch + 5;
    return rearrange(call, &from, self->rank, sizes);
}

/* An image and a factor above 0, as arguments 0 and 1. */
static struct dg_tensor *need_image(struct dg_call *call, int least_rank,
                                    int64_t *factor)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    *factor = dg_arg_int(call, 1, 0);
    if (self && self->rank >= least_rank && *factor > 0 && *factor < 1 << 30)
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

enum dg_status dg_cpu_pixel_shuffle(struct dg_call *call)
{
    int64_t r, channels, rows, columns;
    struct dg_tensor *self = need_image(call, 3, &r);
    const int64_t *sizes, *strides;

    if (!self)
        return call->err->status;
    sizes = &self->sizes[self->rank - 3];
    strides = &self->strides[self->rank - 3];
    if (sizes[0] % (r * r))
        return refuse_factor(call, sizes[0], r * r);
    channels = sizes[0] / (r * r);
    if (__builtin_mul_overflow(sizes[1], r, &rows) ||
        __builtin_mul_overflow(sizes[2], r, &columns))
        return refuse_factor(call, sizes[1], r);
    return rearrange_image(
        call, self,
        &(struct split_image){
            {channels, sizes[1], r, sizes[2], r},
            {strides[0] * r * r, strides[1], strides[0] * r, strides[2], strides[0]}},
        channels, rows, columns);
}

enum dg_status dg_cpu_pixel_unshuffle(struct dg_call *call)
{
    int64_t r, rows, columns, channels;
    struct dg_tensor *self = need_image(call, 3, &r);
    const int64_t *sizes, *strides;

    if (!self)
        return call->err->status;
    sizes = &self->sizes[self->rank - 3];
    strides = &self->strides[self->rank - 3];
    if (sizes[1] % r || sizes[2] % r)
        return refuse_factor(call, sizes[sizes[1] % r ? 1 : 2], r);
    rows = sizes[1] / r;
    columns = sizes[2] / r;
    if (__builtin_mul_overflow(sizes[0], r * r, &channels))
        return refuse_factor(call, sizes[0], r);
    return rearrange_image(call, self,
                           &(struct split_image){{sizes[0], r, r, rows, columns},
                                                 {strides[0], strides[1], strides[2],
                                                  strides[1] * r, strides[2] * r}},
                           channels, rows, columns);
}

/* aten::channel_shuffle: self, groups; channels are dimension 1. */
enum dg_status dg_cpu_channel_shuffle(struct dg_call *call)
{
    int64_t groups;
    struct dg_tensor *self = need_image(call, 3, &groups), from;

    if (!self)
        return call->err->status;
    if (self->sizes[1] % groups)
        return refuse_factor(call, self->sizes[1], groups);
    if (self->rank == DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "an image of rank %d", self->rank);
    from = dg_shaped(self, self->rank, self->sizes, self->strides);
    memmove(&from.sizes[3], &self->sizes[2],
            (size_t)(self->rank - 2) * sizeof(int64_t));
    memmove(&from.strides[3], &self->strides[2],
            (size_t)(self->rank - 2) * sizeof(int64_t));
    from.sizes[1] = self->sizes[1] / groups;
    from.sizes[2] = groups;
    from.strides[2] = self->strides[1] * from.sizes[1];
    from.rank++;
    return rearrange(call, &from, self->rank, self->sizes);
}
