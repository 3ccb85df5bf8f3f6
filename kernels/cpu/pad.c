/* Tensors with a rim: constant, reflected, repeated, circular. */
#include <string.h>

#include "kernels/cpu/movement.h"

enum mode { CONSTANT, REFLECT, REPLICATE, CIRCULAR };

/* Which element of a dimension of `size` stands at `at`, that may lie outside. */
static int64_t source(enum mode mode, int64_t at, int64_t size)
{
    if (at >= 0 && at < size)
        return at;
    switch (mode) {
    case CONSTANT:
        return -1;
    case REFLECT:
        return at < 0 ? -at : 2 * (size - 1) - at;
    case REPLICATE:
        return at < 0 ? 0 : size - 1;
    case CIRCULAR:
        return at < 0 ? at + size : at - size;
    }
    return -1;
}

/* Padding before and behind each dimension. */
struct rim {
    int64_t before[DG_RANK_MOST], behind[DG_RANK_MOST];
};

static enum dg_status refuse_rim(struct dg_call *call, const struct rim *rim, int dim,
                                 int64_t size)
{
    return dg_call_fail(
        call, DG_ERR_FORMAT,
        "padding of %lld and %lld does not fit dimension %d of size %lld",
        (long long)rim->before[dim], (long long)rim->behind[dim], dim, (long long)size);
}

/* How far each mode may reach: a reflection not beyond the other end, a circle once
 * around. Negative padding cuts off, at most all there is. */
static bool fits(enum mode mode, int64_t before, int64_t behind, int64_t size)
{
    int64_t most = before > behind ? before : behind;

    if (before < -size || behind < -size)
        return false;
    if (mode == CONSTANT || most <= 0)
        return true;
    if (mode == REPLICATE)
        return size > 0;
    if (mode == REFLECT)
        return most < size;
    return most <= size + (before < 0 ? before : 0) + (behind < 0 ? behind : 0);
}

/* The last dimension comes first in the list of the program. */
static enum dg_status read_rim(struct dg_call *call, const struct dg_tensor *self,
                               enum mode mode, struct rim *rim, int64_t *sizes)
{
    int64_t pads[2 * DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, pads, 2 * DG_RANK_MOST);

    if (n < 0)
        return call->err->status;
    if (n % 2 || n / 2 > self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d paddings for a tensor of rank %d",
                            n, self->rank);
    memset(rim, 0, sizeof(*rim));
    memcpy(sizes, self->sizes, sizeof(self->sizes));
    for (int i = 0; i < n / 2; i++) {
        int dim = self->rank - 1 - i;

        rim->before[dim] = pads[2 * i];
        rim->behind[dim] = pads[2 * i + 1];
        if (__builtin_add_overflow(sizes[dim], pads[2 * i], &sizes[dim]) ||
            __builtin_add_overflow(sizes[dim], pads[2 * i + 1], &sizes[dim]) ||
            sizes[dim] < 0 ||
            !fits(mode, pads[2 * i], pads[2 * i + 1], self->sizes[dim]))
            return refuse_rim(call, rim, dim, self->sizes[dim]);
    }
    return DG_OK;
}

/* A circle closes over what negative padding leaves. */
static void fill_sources(enum mode mode, const struct rim *rim, int dim, int64_t size,
                         int64_t *from, int64_t n)
{
    int64_t first = mode == CIRCULAR && rim->before[dim] < 0 ? -rim->before[dim] : 0;
    int64_t cut = mode == CIRCULAR && rim->behind[dim] < 0 ? -rim->behind[dim] : 0;

    for (int64_t i = 0; i < n; i++)
        from[i] =
            first + source(mode, i - rim->before[dim] - first, size - first - cut);
}

static enum dg_status pad(struct dg_call *call, enum mode mode, size_t value)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *out;
    int64_t sizes[DG_RANK_MOST];
    double _Complex fill = 0;
    struct dg_axes axes = {0};
    struct rim rim;

    if (!self || read_rim(call, self, mode, &rim, sizes))
        return call->err->status;
    out = dg_result(call, 0, self->type, self->rank, sizes);
    if (!out)
        return call->err->status;
    for (int dim = 0; dg_tensor_count(out) && dim < out->rank; dim++) {
        int64_t *from;

        if (!rim.before[dim] && !rim.behind[dim])
            continue;
        from = dg_scratch(call, sizes[dim], sizeof(*from));
        if (!from)
            return call->err->status;
        fill_sources(mode, &rim, dim, self->sizes[dim], from, sizes[dim]);
        axes.source[dim] = from;
    }
    if (mode == CONSTANT)
        dg_scalar_bytes(call, value, out->type, &fill);
    dg_take_axes(out, self, &axes, &fill, call->context->n_threads);
    return DG_OK;
}

/* aten::constant_pad_nd: self, pad, value. */
enum dg_status dg_cpu_constant_pad_nd(struct dg_call *call)
{
    return pad(call, CONSTANT, 2);
}

enum dg_status dg_cpu_reflection_pad(struct dg_call *call)
{
    return pad(call, REFLECT, 0);
}

enum dg_status dg_cpu_replication_pad(struct dg_call *call)
{
    return pad(call, REPLICATE, 0);
}

enum dg_status dg_cpu_circular_pad(struct dg_call *call)
{
    return pad(call, CIRCULAR, 0);
}

/* aten::pad: self, pad, mode, value. */
enum dg_status dg_cpu_pad(struct dg_call *call)
{
    static const char *const modes[] = {"constant", "reflect", "replicate", "circular"};
    const struct dg_arg *mode = call->n_args > 2 ? &call->args[2] : NULL;

    if (!mode || mode->kind != DG_ARG_STRING)
        return pad(call, CONSTANT, 3);
    for (int i = 0; i < 4; i++) {
        if (!strcmp(mode->as.string, modes[i]))
            return pad(call, (enum mode)i, 3);
    }
    return dg_call_fail(call, DG_ERR_FORMAT, "padding mode %.60s is not known",
                        mode->as.string);
}
