/* Fourier transforms of tensors along their dimensions. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/fft.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

enum kind {
    COMPLEX_TO_COMPLEX,
    REAL_TO_COMPLEX, /* half of the last dimension tells the rest */
    REAL_TO_WHOLE,   /* all of it is given */
    COMPLEX_TO_REAL, /* from that half */
};

enum scale { UNSCALED, BY_ROOT, BY_COUNT };

struct transform {
    struct dg_call *call;
    const struct dg_tensor *in;
    enum kind kind;
    bool forward;
    enum scale scale;
    int n_dims, dims[DG_RANK_MOST];
    int64_t n[DG_RANK_MOST];     /* by number of dims: points of the signal */
    int64_t sizes[DG_RANK_MOST]; /* of `data` */
    int64_t count;
    double complex *data; /* contiguous */
};

static int last_of(const struct transform *transform)
{
    return transform->dims[transform->n_dims - 1];
}

static int64_t half_of(int64_t n)
{
    return n / 2 + 1;
}

/* What is transformed in the buffer: of a half spectrum there is room for all. */
static enum dg_status make_room(struct transform *transform)
{
    struct dg_call *call = transform->call;
    uint32_t seen = 0;

    memcpy(transform->sizes, transform->in->sizes, sizeof(transform->sizes));
    for (int i = 0; i < transform->n_dims; i++) {
        if (transform->n[i] < 1)
            return dg_call_fail(call, DG_ERR_FORMAT, "a transform of %lld points",
                                (long long)transform->n[i]);
        if (seen >> transform->dims[i] & 1)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "dimension %d is transformed twice",
                                transform->dims[i]);
        seen |= 1u << transform->dims[i];
        transform->sizes[transform->dims[i]] = transform->n[i];
    }
    if (!transform->in->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a transform of a single number");
    if (!dg_shape_count(transform->in->rank, transform->sizes, DG_TYPE_C128,
                        &transform->count))
        return dg_call_fail(call, DG_ERR_FORMAT, "a result larger than memory");
    transform->data = dg_scratch(call, transform->count, sizeof(double complex));
    return transform->data ? DG_OK : call->err->status;
}

/* What the input has of the signal; the rest is 0. */
static void load(struct transform *transform)
{
    const struct dg_tensor *in = transform->in;
    struct dg_storage storage = {(unsigned char *)transform->data,
                                 (size_t)transform->count * sizeof(double complex), 1,
                                 NULL};
    struct dg_tensor to = {.type = DG_TYPE_C128, .rank = in->rank, .storage = &storage};
    struct dg_tensor from = *in;

    dg_contiguous_strides(in->rank, transform->sizes, to.strides);
    memset(transform->data, 0, storage.size);
    for (int i = 0; i < in->rank; i++)
        to.sizes[i] = in->sizes[i];
    for (int i = 0; i < transform->n_dims; i++) {
        int dim = transform->dims[i];
        bool half = transform->kind == COMPLEX_TO_REAL && dim == last_of(transform);
        int64_t most = half ? half_of(transform->n[i]) : transform->n[i];

        if (to.sizes[dim] > most)
            to.sizes[dim] = most;
    }
    memcpy(from.sizes, to.sizes, sizeof(to.sizes));
    if (dg_tensor_count(&to))
        dg_copy_elements(&to, &from, transform->call->context->n_threads);
}

void dg_fft_complete(double complex *line, int64_t n)
{
    line[0] = creal(line[0]);
    if (n % 2 == 0)
        line[n / 2] = creal(line[n / 2]);
    for (int64_t k = half_of(n); k < n; k++)
        line[k] = conj(line[n - k]);
}

static enum dg_status run_along(struct transform *transform, int number)
{
    int dim = transform->dims[number];
    int64_t n = transform->n[number], inner = 1;
    bool completes = transform->kind == COMPLEX_TO_REAL && dim == last_of(transform);
    const struct dg_context *context = transform->call->context;
    double complex *line, *room;
    struct dg_fft fft;

    if (!transform->count)
        return DG_OK;
    for (int i = dim + 1; i < transform->in->rank; i++)
        inner *= transform->sizes[i];
    if (!dg_fft_plan(&fft, transform->call, n, transform->forward))
        return transform->call->err->status;
    fft.in_f32 = context->precision == DG_PRECISION_OWN_SUMS &&
                 dg_type_part(transform->in->type) != DG_TYPE_F64;
    line = dg_scratch(transform->call, n, sizeof(*line));
    room = dg_scratch(transform->call, dg_fft_room(&fft), sizeof(*room));
    if (!line || !room)
        return transform->call->err->status;
    for (int64_t at = 0; at < transform->count / n; at++) {
        double complex *first = transform->data + at / inner * inner * n + at % inner;

        for (int64_t i = 0; i < n; i++)
            line[i] = first[i * inner];
        if (completes)
            dg_fft_complete(line, n);
        dg_fft_run(&fft, line, room);
        for (int64_t i = 0; i < n; i++)
            first[i * inner] = line[i];
    }
    return DG_OK;
}

static double factor_of(const struct transform *transform)
{
    double points = 1;

    for (int i = 0; i < transform->n_dims; i++)
        points *= (double)transform->n[i];
    if (transform->scale == UNSCALED)
        return 1;
    return transform->scale == BY_ROOT ? 1 / sqrt(points) : 1 / points;
}

static enum dg_status give(struct transform *transform)
{
    struct dg_call *call = transform->call;
    enum dg_type part = dg_type_part(transform->in->type);
    double factor = factor_of(transform), *parts = (double *)transform->data;
    struct dg_storage storage = {(unsigned char *)transform->data,
                                 (size_t)transform->count * sizeof(double complex), 1,
                                 NULL};
    struct dg_tensor from = {
        .type = DG_TYPE_C128, .rank = transform->in->rank, .storage = &storage};
    int64_t sizes[DG_RANK_MOST];
    struct dg_tensor *result;

    part = dg_type_is_float(part) ? part : DG_TYPE_F32;
    for (int64_t i = 0; i < 2 * transform->count; i++)
        parts[i] *= factor;
    memcpy(sizes, transform->sizes, sizeof(sizes));
    if (transform->kind == REAL_TO_COMPLEX)
        sizes[last_of(transform)] = half_of(sizes[last_of(transform)]);
    memcpy(from.sizes, sizes, sizeof(sizes));
    dg_contiguous_strides(from.rank, transform->sizes, from.strides);
    result = dg_result(
        call, 0, transform->kind == COMPLEX_TO_REAL ? part : dg_type_complex(part),
        from.rank, sizes);
    if (!result)
        return call->err->status;
    if (dg_tensor_count(result))
        dg_copy_elements(result, &from, call->context->n_threads);
    return DG_OK;
}

static enum dg_status run(struct transform *transform)
{
    enum dg_status status;

    if (transform->in->type == DG_TYPE_F16 || transform->in->type == DG_TYPE_BF16)
        return dg_call_fail(transform->call, DG_ERR_DEVICE, "transforms of %s",
                            dg_type_name(transform->in->type));
    status = make_room(transform);
    if (!status)
        load(transform);
    for (int i = 0; i < transform->n_dims && !status; i++)
        status = run_along(transform, i);
    return status ? status : give(transform);
}

/* "ortho" scales both directions, "forward" and "backward" (or nothing) one. */
static enum dg_status read_norm(struct transform *transform, size_t at)
{
    struct dg_call *call = transform->call;
    const char *norm = at < call->n_args && call->args[at].kind == DG_ARG_STRING
                           ? call->args[at].as.string
                           : "backward";

    if (!strcmp(norm, "ortho"))
        transform->scale = BY_ROOT;
    else if (!strcmp(norm, "forward") || !strcmp(norm, "backward"))
        transform->scale =
            transform->forward == !strcmp(norm, "forward") ? BY_COUNT : UNSCALED;
    else
        return dg_call_fail(call, DG_ERR_FORMAT, "no norm is named \"%.40s\"", norm);
    return DG_OK;
}

/* Points along a dimension where nothing says how many. */
static int64_t points_of(const struct transform *transform, int number)
{
    int64_t size = transform->in->sizes[transform->dims[number]];

    return transform->kind == COMPLEX_TO_REAL && number == transform->n_dims - 1
               ? 2 * (size - 1)
               : size;
}

/* Arguments: self, sizes (a number, a list, or none), dims, norm. */
static enum dg_status transform_dims(struct dg_call *call, enum kind kind, bool forward,
                                     bool is_one)
{
    struct transform transform = {call, dg_need_tensor(call, 0), kind, forward};
    int64_t sizes[DG_RANK_MOST], dims[DG_RANK_MOST];
    int n_sizes = 0, n_dims = 0;

    if (!transform.in)
        return call->err->status;
    if (!dg_arg_missing(call, 1))
        n_sizes = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);
    if (!dg_arg_missing(call, 2))
        n_dims = dg_arg_ints(call, 2, dims, DG_RANK_MOST);
    if (n_sizes < 0 || n_dims < 0 || read_norm(&transform, 3))
        return call->err->status;
    if (dg_arg_missing(call, 2)) {
        n_dims = is_one ? 1 : n_sizes ? n_sizes : transform.in->rank;
        for (int i = 0; i < n_dims; i++)
            dims[i] = i - n_dims;
    }
    transform.n_dims = n_dims;
    if (!n_dims || (n_sizes && n_sizes != n_dims))
        return dg_call_fail(call, DG_ERR_FORMAT, "%d sizes of %d dimensions", n_sizes,
                            n_dims);
    for (int i = 0; i < n_dims; i++) {
        if (!dg_dimension(call, dims[i], transform.in->rank, &transform.dims[i]))
            return call->err->status;
    }
    for (int i = 0; i < n_dims; i++)
        transform.n[i] = n_sizes && sizes[i] >= 0 ? sizes[i] : points_of(&transform, i);
    return run(&transform);
}

#define TRANSFORM(name, kind, forward)                                                 \
    enum dg_status dg_cpu_fft_##name(struct dg_call *call)                             \
    {                                                                                  \
        return transform_dims(call, kind, forward, true);                              \
    }                                                                                  \
    enum dg_status dg_cpu_fft_##name##n(struct dg_call *call)                          \
    {                                                                                  \
        return transform_dims(call, kind, forward, false);                             \
    }

TRANSFORM(fft, COMPLEX_TO_COMPLEX, true)
TRANSFORM(ifft, COMPLEX_TO_COMPLEX, false)
TRANSFORM(rfft, REAL_TO_COMPLEX, true)
TRANSFORM(irfft, COMPLEX_TO_REAL, false)
TRANSFORM(hfft, COMPLEX_TO_REAL, true)
TRANSFORM(ihfft, REAL_TO_COMPLEX, false)

/* self, dims, normalization, and of which kind. */
static enum dg_status transform_listed(struct dg_call *call, enum kind kind,
                                       bool forward, int64_t last_size)
{
    struct transform transform = {call, dg_need_tensor(call, 0), kind, forward};
    int64_t dims[DG_RANK_MOST];

    if (!transform.in)
        return call->err->status;
    transform.n_dims = dg_arg_ints(call, 1, dims, DG_RANK_MOST);
    transform.scale = (enum scale)(dg_arg_int(call, 2, 0) % 3);
    if (transform.n_dims < 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "no dimension to transform");
    for (int i = 0; i < transform.n_dims; i++) {
        if (!dg_dimension(call, dims[i], transform.in->rank, &transform.dims[i]))
            return call->err->status;
        transform.n[i] = transform.in->sizes[transform.dims[i]];
    }
    if (last_size >= 0)
        transform.n[transform.n_dims - 1] = last_size;
    return run(&transform);
}

enum dg_status dg_cpu_fft_c2c(struct dg_call *call)
{
    return transform_listed(call, COMPLEX_TO_COMPLEX, dg_arg_bool(call, 3, true), -1);
}

enum dg_status dg_cpu_fft_r2c(struct dg_call *call)
{
    return transform_listed(
        call, dg_arg_bool(call, 3, true) ? REAL_TO_COMPLEX : REAL_TO_WHOLE, true, -1);
}

enum dg_status dg_cpu_fft_c2r(struct dg_call *call)
{
    return transform_listed(call, COMPLEX_TO_REAL, false, dg_arg_int(call, 3, -1));
}

/* Roll the middle of the given dimensions to their begin, or back. */
static enum dg_status shift(struct dg_call *call, bool back)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_arg shifts[DG_RANK_MOST] = {{0}}, along[DG_RANK_MOST] = {{0}};
    int64_t dims[DG_RANK_MOST];
    struct dg_call inner = *call;
    int n, dim;

    if (!self)
        return call->err->status;
    n = dg_arg_missing(call, 1) ? self->rank : dg_arg_ints(call, 1, dims, DG_RANK_MOST);
    for (int i = 0; i < n; i++) {
        if (!dg_dimension(call, dg_arg_missing(call, 1) ? i : dims[i], self->rank,
                          &dim))
            return call->err->status;
        along[i] = (struct dg_arg){DG_ARG_INT, {.integer = dim}};
        shifts[i] =
            (struct dg_arg){DG_ARG_INT, {.integer = (self->sizes[dim] + back) / 2}};
    }
    if (n < 0)
        return call->err->status;
    inner.args = (struct dg_arg[]){
        call->args[0],
        {DG_ARG_LIST, {.list = {shifts, (size_t)n}}},
        {DG_ARG_LIST, {.list = {along, (size_t)n}}},
    };
    inner.n_args = 3;
    return n ? dg_cpu_roll(&inner) : dg_cpu_clone(&inner);
}

enum dg_status dg_cpu_fft_shift(struct dg_call *call)
{
    return shift(call, false);
}

enum dg_status dg_cpu_fft_ishift(struct dg_call *call)
{
    return shift(call, true);
}

/* 0, 1, ... and, unless it is of a real signal, the negative ones behind: / (n d) */
static enum dg_status frequencies(struct dg_call *call, bool real)
{
    int64_t n = dg_arg_int(call, 0, 0), count = real ? half_of(n) : n;
    double unit = 1 / ((double)n * dg_arg_real(call, 1, 1));
    struct dg_tensor *result;

    if (n < 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "frequencies of %lld points",
                            (long long)n);
    result = dg_result(call, 0, dg_arg_type(call, 2, DG_TYPE_F32), 1, &count);
    if (!result)
        return call->err->status;
    for (int64_t i = 0; i < count; i++) {
        double value = (double)(i < (n + 1) / 2 || real ? i : i - n) * unit;

        dg_store_f64(result->type,
                     (char *)dg_tensor_data(result) +
                         (size_t)i * dg_type_bytes(result->type),
                     1, &value, 1);
    }
    return DG_OK;
}

enum dg_status dg_cpu_fft_freq(struct dg_call *call)
{
    return frequencies(call, false);
}

enum dg_status dg_cpu_fft_rfreq(struct dg_call *call)
{
    return frequencies(call, true);
}
