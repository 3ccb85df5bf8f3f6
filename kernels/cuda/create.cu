/* Tensors from nothing, and triangles. */
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/map.cuh"

extern "C" {
#include "kernels/cpu/create.h"
}

static enum dg_status make_filled(struct dg_call *call, enum dg_type type, int rank,
                                  const int64_t *sizes, double real, int64_t integer)
{
    struct dg_tensor *out = dg_result(call, 0, type, rank, sizes);

    return out ? fill_elements(call, out, real, integer) : call->err->status;
}

static enum dg_type type_of_number(const struct dg_call *call, size_t i)
{
    if (dg_arg_missing(call, i) || call->args[i].kind == DG_ARG_FLOAT)
        return DG_TYPE_F32;
    return call->args[i].kind == DG_ARG_BOOL ? DG_TYPE_BOOL : DG_TYPE_I64;
}

/* Of sizes: (size, dtype). */
static enum dg_status filled_by_sizes(struct dg_call *call, int64_t value)
{
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 0, sizes, DG_RANK_MOST);

    return rank < 0 ? call->err->status
                    : make_filled(call, dg_requested_type(call, DG_TYPE_F32), rank,
                                  sizes, (double)value, value);
}

enum dg_status dg_cuda_zeros(struct dg_call *call)
{
    return filled_by_sizes(call, 0);
}

enum dg_status dg_cuda_ones(struct dg_call *call)
{
    return filled_by_sizes(call, 1);
}

/* (size, fill_value, dtype) */
enum dg_status dg_cuda_full(struct dg_call *call)
{
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 0, sizes, DG_RANK_MOST);

    return rank < 0
               ? call->err->status
               : make_filled(call, dg_arg_type(call, 2, type_of_number(call, 1)), rank,
                             sizes, dg_arg_real(call, 1, 0), dg_arg_int(call, 1, 0));
}

static enum dg_status no_tensor(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
}

/* As another: (self, dtype). */
static enum dg_status filled_like(struct dg_call *call, int64_t value)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? make_filled(call, dg_arg_type(call, 1, self->type), self->rank,
                              self->sizes, (double)value, value)
                : no_tensor(call);
}

enum dg_status dg_cuda_zeros_like(struct dg_call *call)
{
    return filled_like(call, 0);
}

enum dg_status dg_cuda_ones_like(struct dg_call *call)
{
    return filled_like(call, 1);
}

/* (self, fill_value, dtype) */
enum dg_status dg_cuda_full_like(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? make_filled(call, dg_arg_type(call, 2, self->type), self->rank,
                              self->sizes, dg_arg_real(call, 1, 0),
                              dg_arg_int(call, 1, 0))
                : no_tensor(call);
}

/* (self, size, dtype) */
static enum dg_status filled_as(struct dg_call *call, int64_t value)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);

    if (!self || rank < 0)
        return no_tensor(call);
    return make_filled(call, dg_requested_type(call, self->type), rank, sizes,
                       (double)value, value);
}

enum dg_status dg_cuda_new_zeros(struct dg_call *call)
{
    return filled_as(call, 0);
}

enum dg_status dg_cuda_new_ones(struct dg_call *call)
{
    return filled_as(call, 1);
}

/* (self, size, fill_value, dtype) */
enum dg_status dg_cuda_new_full(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);

    if (!self || rank < 0)
        return no_tensor(call);
    return make_filled(call, dg_arg_type(call, 3, self->type), rank, sizes,
                       dg_arg_real(call, 2, 0), dg_arg_int(call, 2, 0));
}

/* (self, value): a number, or a tensor of one */
enum dg_status dg_cuda_fill(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0),
                           *value = dg_arg_tensor(call, 1);
    struct dg_tensor *out;

    if (!self || !value)
        return dg_cuda_full_like(call);
    if (value->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "fill takes a value of rank 0, not of rank %d",
                            value->rank);
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    return out ? copy_elements(call, out, value) : call->err->status;
}

/* (number, dtype) */
enum dg_status dg_cuda_scalar_tensor(struct dg_call *call)
{
    return make_filled(call, dg_arg_type(call, 1, DG_TYPE_F32), 0, NULL,
                       dg_arg_real(call, 0, 0), dg_arg_int(call, 0, 0));
}

struct progression {
    double start, step;
    int64_t first, stride;
};

template <class T>
static __global__ void count_up(T *out, int64_t n, struct progression numbers)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    if constexpr (std::is_integral_v<computed<T>>)
        out[i] = store<T>::of(numbers.first + i * numbers.stride);
    else
        out[i] = store<T>::of(numbers.start + (double)i * numbers.step);
}

static enum dg_status count_from(struct dg_call *call, size_t start, size_t end,
                                 size_t step, size_t dtype)
{
    struct progression numbers = {
        dg_arg_real(call, start, 0), dg_arg_real(call, step, 1),
        dg_arg_int(call, start, 0), dg_arg_int(call, step, 1)};
    double length = dg_arg_real(call, end, 0) - numbers.start;
    bool floats =
        type_of_number(call, end) == DG_TYPE_F32 ||
        (start < call->n_args && type_of_number(call, start) == DG_TYPE_F32) ||
        (step < call->n_args && type_of_number(call, step) == DG_TYPE_F32);
    enum dg_type type = dg_arg_type(call, dtype, floats ? DG_TYPE_F32 : DG_TYPE_I64);
    struct dg_tensor *out;
    int64_t n;

    if (!(fabs(length / numbers.step) < 0x1p62) || length / numbers.step < 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "arange from %g to %g by %g",
                            numbers.start, dg_arg_real(call, end, 0), numbers.step);
    if (dg_type_is_integer(type) && floats)
        return dg_call_fail(call, DG_ERR_DEVICE, "integers counted by floats");
    n = (int64_t)ceil(length / numbers.step);
    out = dg_result(call, 0, type, 1, &n);
    if (!out)
        return call->err->status;
    return with_number(out->type, [&](auto element) {
        return launch(call, count_up<decltype(element)>, blocks_for(n), THREADS,
                      (decltype(element) *)dg_tensor_data(out), n, numbers);
    });
}

enum dg_status dg_cuda_arange(struct dg_call *call)
{
    return count_from(call, SIZE_MAX, 0, SIZE_MAX, 1);
}

enum dg_status dg_cuda_arange_start(struct dg_call *call)
{
    return count_from(call, 0, 1, SIZE_MAX, 2);
}

enum dg_status dg_cuda_arange_step(struct dg_call *call)
{
    return count_from(call, 0, 1, 2, 3);
}

template <class T>
static __global__ void keep_triangle(T *out, const T *in, struct places<1> matrix,
                                     int64_t n, int64_t diagonal, bool upper)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t column, row;

    if (i >= n)
        return;
    column = matrix.index((uint32_t)i);
    row = (i / matrix.sizes[0].value) % matrix.sizes[1].value;
    if (upper ? column - row >= diagonal : column - row <= diagonal)
        out[i] = in[i];
    else
        out[i] = 0;
}

static enum dg_status triangle(struct dg_call *call, bool upper)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *from, *out;
    struct places<1> matrix = {
    };
    enum dg_status status;
    int64_t n;

    if (!self || self->rank < 2 || dg_tensor_count(self) > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE, "triangles of other than matrices");
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    from = contiguous(call, self);
    n = dg_tensor_count(self);
    status = out && from ? DG_OK : call->err->status;
    matrix.sizes[0] = divisor_of(n ? self->sizes[self->rank - 1] : 1);
    matrix.sizes[1] = divisor_of(n ? self->sizes[self->rank - 2] : 1);
    if (!status)
        status = with_word(self->type, [&](auto word) {
            return launch(call, keep_triangle<decltype(word)>, blocks_for(n), THREADS,
                          (decltype(word) *)dg_tensor_data(out),
                          (const decltype(word) *)dg_tensor_data(from), matrix, n,
                          dg_arg_int(call, 1, 0), upper);
        });
    dg_tensor_drop(from);
    return status;
}

enum dg_status dg_cuda_tril(struct dg_call *call)
{
    return triangle(call, false);
}

enum dg_status dg_cuda_triu(struct dg_call *call)
{
    return triangle(call, true);
}
