/* Running sums along one dimension. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/types.cuh"

/* One thread for each row; neighbouring rows lie `step` = 1 apart where the dimension
 * is not the last one. */
template <class T, class Wide>
static __global__ void add_along(int64_t n_rows, int64_t length, int64_t step, T *out,
                                 const T *in)
{
    int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t base = row / step * length * step + row % step;
    Wide sum = 0;

    if (row >= n_rows)
        return;
    for (int64_t i = 0; i < length; i++) {
        sum = plus(sum, (Wide)value_of(in[base + i * step]));
        out[base + i * step] = store<T>::of(sum);
    }
}

/* (self, dim, dtype): integers add up to i64, floats in f64. */
enum dg_status dg_cuda_cumsum(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *in, *out;
    int64_t n, length = 1, step = 1;
    enum dg_status status;
    enum dg_type type;
    int dim;

    if (!self)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    if (!dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    type =
        dg_arg_type(call, 2, dg_type_is_float(self->type) ? self->type : DG_TYPE_I64);
    out = dg_result(call, 0, type, self->rank, self->sizes);
    if (!out || !(in = contiguous_as(call, self, out->type)))
        return call->err->status;
    n = dg_tensor_count(self);
    for (int d = dim; d < self->rank; d++)
        *(d == dim ? &length : &step) *= self->sizes[d];
    status = !n ? DG_OK : with_number(out->type, [&](auto element) {
        using T = decltype(element);
        using Wide =
            std::conditional_t<std::is_integral_v<computed<T>>, int64_t, double>;

        return launch(call, add_along<T, Wide>, blocks_for(n / length), THREADS,
                      n / length, length, step, (T *)dg_tensor_data(out),
                      (const T *)dg_tensor_data(in));
    });
    if (status && !call->err->status)
        dg_call_fail(call, DG_ERR_DEVICE, "%s is summed on the host only",
                     dg_type_name(out->type));
    dg_tensor_drop(in);
    return status;
}
