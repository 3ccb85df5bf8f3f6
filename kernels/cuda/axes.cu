/* Elements that come from other places along their dimensions: paddings by what is in
 * the tensor, and rolls. */
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/places.cuh"
#include "kernels/cuda/types.cuh"

/* What stands outside of a dimension. */
enum border { BORDER_REFLECT, BORDER_REPLICATE, BORDER_CIRCULAR };

/* Index i of the result is element i - before of `size`, which begin at `first`. */
struct source {
    struct divisor divisor; /* by the size of the result */
    int64_t before, first, size, stride;
};

struct sources {
    int rank;
    enum border border;
    struct source of[DG_RANK_MOST]; /* the innermost first */
};

static __device__ inline int64_t inside(enum border border, int64_t at, int64_t size)
{
    if (at >= 0 && at < size)
        return at;
    if (border == BORDER_REFLECT)
        return at < 0 ? -at : 2 * (size - 1) - at;
    if (border == BORDER_REPLICATE)
        return at < 0 ? 0 : size - 1;
    return at < 0 ? at + size : at - size;
}

template <class Word>
static __global__ void take_elements(struct sources sources, uint32_t n, Word *out,
                                     const Word *in)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, position = i;
    int64_t offset = 0;

    if (i >= n)
        return;
    for (int d = 0; d < sources.rank; d++) {
        const struct source &of = sources.of[d];
        uint32_t rest = of.divisor.quotient(position);
        int64_t at = (int64_t)(position - rest * of.divisor.value) - of.before;

        offset += (of.first + inside(sources.border, at, of.size)) * of.stride;
        position = rest;
    }
    out[i] = in[offset];
}

/* Result 0 of those sizes. */
static enum dg_status take(struct dg_call *call, const struct dg_tensor *self,
                           struct sources *sources, const int64_t *sizes)
{
    struct dg_tensor *out = dg_result(call, 0, self->type, self->rank, sizes), *in;
    struct dg_tensor from = *self;
    enum dg_status status;
    int64_t n = out ? dg_tensor_count(out) : 0;

    if (!n)
        return call->err->status;
    if (n > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "%lld elements are more than a kernel takes", (long long)n);
    in = converted(call, &from, out->type);
    if (!in)
        return call->err->status;
    sources->rank = self->rank;
    for (int d = 0; d < self->rank; d++) {
        sources->of[self->rank - 1 - d].divisor = divisor_of(sizes[d]);
        sources->of[self->rank - 1 - d].stride = in->strides[d];
    }
    status = with_word(in->type, [&](auto word) {
        using Word = decltype(word);

        return launch(call, take_elements<Word>, blocks_for(n), THREADS, *sources,
                      (uint32_t)n, (Word *)dg_tensor_data(out),
                      (const Word *)dg_tensor_data(in));
    });
    dg_tensor_drop(in);
    return status;
}

/* How far each border may reach: a reflection not beyond the other end, a circle once
 * around. Negative padding cuts off, at most all there is. */
static bool fits(enum border border, int64_t before, int64_t behind, int64_t size)
{
    int64_t most = before > behind ? before : behind;

    if (before < -size || behind < -size)
        return false;
    if (most <= 0)
        return true;
    if (border == BORDER_REPLICATE)
        return size > 0;
    if (border == BORDER_REFLECT)
        return most < size;
    return most <= size + (before < 0 ? before : 0) + (behind < 0 ? behind : 0);
}

static struct source source_of(enum border border, int64_t before, int64_t behind,
                               int64_t size)
{
    struct source source = {};

    /* A circle closes over what negative padding leaves. */
    source.first = border == BORDER_CIRCULAR && before < 0 ? -before : 0;
    source.before = before + source.first;
    source.size =
        size - source.first - (border == BORDER_CIRCULAR && behind < 0 ? -behind : 0);
    return source;
}

/* (self, pad): pairs of before and behind, the last dimension first */
static enum dg_status pad(struct dg_call *call, enum border border)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t pads[2 * DG_RANK_MOST], sizes[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, pads, 2 * DG_RANK_MOST);
    struct sources sources = {};

    if (!self || n < 0 || n % 2 || n / 2 > self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d paddings for a tensor of rank %d",
                            n, self ? self->rank : 0);
    sources.border = border;
    for (int i = 0; i < self->rank; i++) {
        int64_t before = 2 * i < n ? pads[2 * i] : 0;
        int64_t behind = 2 * i < n ? pads[2 * i + 1] : 0;
        int64_t size = self->sizes[self->rank - 1 - i], *to;

        to = &sizes[self->rank - 1 - i];
        if (__builtin_add_overflow(size, before, to) ||
            __builtin_add_overflow(*to, behind, to) || *to < 0 ||
            !fits(border, before, behind, size))
            return dg_call_fail(
                call, DG_ERR_FORMAT,
                "padding of %lld and %lld does not fit dimension %d of size %lld",
                (long long)before, (long long)behind, self->rank - 1 - i,
                (long long)size);
        sources.of[i] = source_of(border, before, behind, size);
    }
    return take(call, self, &sources, sizes);
}

enum dg_status dg_cuda_reflection_pad(struct dg_call *call)
{
    return pad(call, BORDER_REFLECT);
}

enum dg_status dg_cuda_replication_pad(struct dg_call *call)
{
    return pad(call, BORDER_REPLICATE);
}

enum dg_status dg_cuda_circular_pad(struct dg_call *call)
{
    return pad(call, BORDER_CIRCULAR);
}

/* (self, pad, mode, value) */
enum dg_status dg_cuda_pad(struct dg_call *call)
{
    static const char *const modes[] = {"reflect", "replicate", "circular"};
    const struct dg_arg *mode = call->n_args > 2 ? &call->args[2] : NULL;
    struct dg_arg args[3] = {};
    struct dg_call constant = *call;

    for (int i = 0; i < 3 && mode && mode->kind == DG_ARG_STRING; i++) {
        if (!strcmp(mode->as.string, modes[i]))
            return pad(call, (enum border)i);
    }
    if (mode && mode->kind == DG_ARG_STRING && strcmp(mode->as.string, "constant"))
        return dg_call_fail(call, DG_ERR_FORMAT, "padding mode %.60s is not known",
                            mode->as.string);
    for (size_t i = 0; i < 3; i++) {
        size_t from = i == 2 ? 3 : i;

        if (from < call->n_args)
            args[i] = call->args[from];
    }
    constant.args = args;
    constant.n_args = 3;
    return dg_cuda_constant_pad(&constant);
}

/* Element i comes from i - shift, around the end. */
static void roll_by(struct source *source, int64_t shift)
{
    int64_t size = source->size, by = size ? shift % size : 0;

    by = by < 0 ? by + size : by;
    source->before =
        size - source->before > by ? source->before + by : source->before + by - size;
}

/* (self, shifts) without dimensions: all elements as one row */
static enum dg_status roll_flat(struct dg_call *call, struct dg_tensor *self,
                                int64_t shift)
{
    struct dg_tensor *dense = contiguous(call, self), row;
    struct sources sources = {};
    enum dg_status status;

    if (!dense)
        return call->err->status;
    row = *dense;
    row.rank = 1;
    row.sizes[0] = dg_tensor_count(self);
    row.strides[0] = 1;
    sources.border = BORDER_CIRCULAR;
    sources.of[0].size = row.sizes[0];
    roll_by(&sources.of[0], shift);
    status = take(call, &row, &sources, row.sizes);
    if (!status) {
        struct dg_tensor *out = call->results[0].as.tensor;

        out->rank = self->rank;
        for (int d = 0; d < self->rank; d++)
            out->sizes[d] = self->sizes[d];
        dg_contiguous_strides(out->rank, out->sizes, out->strides);
    }
    dg_tensor_drop(dense);
    return status;
}

/* (self, shifts, dims) */
enum dg_status dg_cuda_roll(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t shifts[DG_RANK_MOST], dims[DG_RANK_MOST];
    int n_shifts = dg_arg_ints(call, 1, shifts, DG_RANK_MOST), dim;
    int n_dims = dg_arg_ints(call, 2, dims, DG_RANK_MOST);
    struct sources sources = {};

    if (!self || n_shifts < 0 || n_dims < 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "a roll of this kind");
    if (!n_dims && n_shifts == 1)
        return roll_flat(call, self, shifts[0]);
    if (n_shifts != n_dims)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d shifts for %d dimensions",
                            n_shifts, n_dims);
    sources.border = BORDER_CIRCULAR;
    for (int d = 0; d < self->rank; d++)
        sources.of[self->rank - 1 - d].size = self->sizes[d];
    for (int i = 0; i < n_dims; i++) {
        if (!dg_dimension(call, dims[i], self->rank, &dim))
            return call->err->status;
        if (self->rank)
            roll_by(&sources.of[self->rank - 1 - dim], shifts[i]);
    }
    return take(call, self, &sources, self->sizes);
}
