/* Running sums, products and extremes along one dimension. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/types.cuh"

/* Rows along a dimension; neighbouring rows lie `step` = 1 apart where it is not the
 * last one. */
struct lines {
    int64_t n, length, step;

    __device__ int64_t base(int64_t row) const
    {
        return row / step * length * step + row % step;
    }
};

/* What is known after the elements so far: wide, as the reference has it. */
template <class Wide> struct running_sum {
    Wide sum = 0;

    __device__ Wide add(Wide x)
    {
        return sum = plus(sum, x);
    }
};

template <class Wide> struct running_product {
    Wide product = 1;

    __device__ Wide add(Wide x)
    {
        return product = times(product, x);
    }
};

/* The sum of exponentials is scale * exp(most). */
template <class Wide> struct running_exponentials {
    Wide most = -INFINITY, scale = 0;

    __device__ Wide add(Wide x)
    {
        if (x > most) {
            scale = scale * exp(most - x) + 1;
            most = x;
        } else {
            scale += x == most ? 1 : exp(x - most);
        }
        return most + log(scale);
    }
};

/* One thread for each row. */
template <template <class> class Running, class T, class Wide>
static __global__ void scan_along(struct lines lines, T *out, const T *in)
{
    int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t base = lines.base(row);
    Running<Wide> so_far;

    if (row >= lines.n)
        return;
    for (int64_t i = base; i < base + lines.length * lines.step; i += lines.step)
        out[i] = store<T>::of(so_far.add((Wide)value_of(in[i])));
}

/* A NaN stays once there is one; of equal elements counts the last. */
template <bool LARGEST, class T>
static __global__ void extremes_along(struct lines lines, T *out, int64_t *indices,
                                      const T *in)
{
    int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, best_at = 0;
    int64_t base = lines.base(row);
    T best = {};

    if (row >= lines.n)
        return;
    for (int64_t i = 0; i < lines.length; i++) {
        T item = in[base + i * lines.step];
        auto x = value_of(item), y = value_of(best);

        if (!i || x != x || (LARGEST ? x >= y : x <= y)) {
            best = item;
            best_at = i;
        }
        out[base + i * lines.step] = best;
        indices[base + i * lines.step] = best_at;
    }
}

/* Lines of argument 0 along the dimension that argument 1 names. */
static enum dg_status take_lines(struct dg_call *call, struct dg_tensor **self,
                                 struct lines *lines)
{
    int dim;

    *self = dg_arg_tensor(call, 0);
    if (!*self)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    if (!dg_dimension(call, dg_arg_int(call, 1, 0), (*self)->rank, &dim))
        return call->err->status;
    lines->n = dg_tensor_count(*self);
    lines->length = lines->step = 1;
    for (int d = dim; d < (*self)->rank; d++)
        *(d == dim ? &lines->length : &lines->step) *= (*self)->sizes[d];
    lines->n /= lines->length ? lines->length : 1;
    return DG_OK;
}

/* (self, dim, dtype): integers become i64, floats compute in f64. */
template <template <class> class Running, bool FLOATS>
static enum dg_status scan(struct dg_call *call)
{
    struct dg_tensor *self, *in, *out;
    enum dg_status status;
    struct lines lines;
    enum dg_type type;

    if (take_lines(call, &self, &lines))
        return call->err->status;
    type =
        dg_arg_type(call, 2, dg_type_is_float(self->type) ? self->type : DG_TYPE_I64);
    if (FLOATS && !dg_type_is_float(type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "floating point numbers are needed, and %s is none",
                            dg_type_name(type));
    out = dg_result(call, 0, type, self->rank, self->sizes);
    if (!out || !(in = contiguous_as(call, self, out->type)))
        return call->err->status;
    auto run = [&](auto element) {
        using T = decltype(element);
        using Wide =
            std::conditional_t<std::is_integral_v<computed<T>>, int64_t, double>;

        return launch(call, scan_along<Running, T, Wide>, blocks_for(lines.n), THREADS,
                      lines, (T *)dg_tensor_data(out), (const T *)dg_tensor_data(in));
    };
    if constexpr (FLOATS)
        status = with_float(out->type, run);
    else
        status = with_number(out->type, run);
    if (status && !call->err->status)
        dg_call_fail(call, DG_ERR_DEVICE, "%s is scanned on the host only",
                     dg_type_name(out->type));
    dg_tensor_drop(in);
    return status;
}

enum dg_status dg_cuda_cumsum(struct dg_call *call)
{
    return scan<running_sum, false>(call);
}

enum dg_status dg_cuda_cumprod(struct dg_call *call)
{
    return scan<running_product, false>(call);
}

enum dg_status dg_cuda_logcumsumexp(struct dg_call *call)
{
    return scan<running_exponentials, true>(call);
}

/* (self, dim) */
template <bool LARGEST> static enum dg_status scan_extremes(struct dg_call *call)
{
    struct dg_tensor *self, *in, *out, *indices = NULL;
    enum dg_status status;
    struct lines lines;

    if (take_lines(call, &self, &lines))
        return call->err->status;
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    if (out)
        indices = dg_result(call, 1, DG_TYPE_I64, self->rank, self->sizes);
    if (!indices || !(in = contiguous_as(call, self, out->type)))
        return call->err->status;
    status = with_number(out->type, [&](auto element) {
        using T = decltype(element);

        return launch(call, extremes_along<LARGEST, T>, blocks_for(lines.n), THREADS,
                      lines, (T *)dg_tensor_data(out),
                      (int64_t *)dg_tensor_data(indices),
                      (const T *)dg_tensor_data(in));
    });
    if (status && !call->err->status)
        dg_call_fail(call, DG_ERR_DEVICE, "%s is scanned on the host only",
                     dg_type_name(out->type));
    dg_tensor_drop(in);
    return status;
}

enum dg_status dg_cuda_cummax(struct dg_call *call)
{
    return scan_extremes<true>(call);
}

enum dg_status dg_cuda_cummin(struct dg_call *call)
{
    return scan_extremes<false>(call);
}
