/* Sums, products, means, moments, and whether any or all are true. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/reduce.cuh"

/* The operand, which becomes `type` unless that is NONE. */
static enum dg_status begin(struct dg_call *call, struct reduction *of,
                            enum dg_type type, size_t dims, size_t keeps)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    of->tensor = converted(call, self,
                           type == DG_TYPE_NONE ? self->type
                                                : dg_kept_type(call->context, type));
    return of->tensor ? take_dims(call, of, dims, dg_arg_bool(call, keeps, false))
                      : call->err->status;
}

static enum dg_status refused(struct dg_call *call, const struct reduction *of,
                              enum dg_status status)
{
    if (status && !call->err->status)
        dg_call_fail(call, DG_ERR_DEVICE, "%s is reduced on the host only",
                     dg_type_name(of->tensor->type));
    dg_tensor_drop(of->tensor);
    return status;
}

template <class Out, class C> struct sum {
    typedef C state;
    Out *out;
    C divisor; /* 0: a sum */

    __device__ C start() const
    {
        return 0;
    }
    __device__ C add(C sum, C x, int64_t) const
    {
        return plus(sum, x);
    }
    __device__ C merge(C x, C y) const
    {
        return plus(x, y);
    }
    __device__ void give(int64_t row, C sum) const
    {
        out[row] = store<Out>::of(divisor != 0 ? sum / divisor : sum);
    }
};

template <class Out, class C> struct product {
    typedef C state;
    Out *out;

    __device__ C start() const
    {
        return 1;
    }
    __device__ C add(C product, C x, int64_t) const
    {
        return times(product, x);
    }
    __device__ C merge(C x, C y) const
    {
        return times(x, y);
    }
    __device__ void give(int64_t row, C product) const
    {
        out[row] = store<Out>::of(product);
    }
};

/* Integers add up to i64. */
template <class T>
using summed = std::conditional_t<std::is_integral_v<computed<T>>, int64_t, T>;

/* Result 0: sums of whole numbers are i64. */
static enum dg_status give_sum(struct dg_call *call, const struct reduction *of,
                               struct dg_tensor **out)
{
    enum dg_type type = of->tensor->type;

    *out = dg_result(call, 0, dg_type_is_float(type) ? type : DG_TYPE_I64, of->rank,
                     of->sizes);
    return *out ? DG_OK : call->err->status;
}

static enum dg_status sum_over(struct dg_call *call, size_t dims, size_t keeps,
                               size_t dtype, bool mean)
{
    struct reduction of = {};
    enum dg_status status =
        begin(call, &of, dg_arg_type(call, dtype, DG_TYPE_NONE), dims, keeps);
    struct dg_tensor *out = NULL;

    if (!status)
        status = give_sum(call, &of, &out);
    if (!status && mean && !dg_type_is_float(of.tensor->type))
        status = dg_call_fail(call, DG_ERR_FORMAT, "the mean of %s",
                              dg_type_name(of.tensor->type));
    if (!status && mean && !of.length)
        status = fill_elements(call, out, NAN, 0);
    else if (!status)
        status = with_number(of.tensor->type, [&](auto element) {
            using T = decltype(element);
            using C = computed<T>;
            struct sum<summed<T>, C> r = {
                (summed<T> *)dg_tensor_data(out), mean ? (C)of.length : C(0)
            };

            return reduce<T>(call, &of, r);
        });
    return refused(call, &of, status);
}

enum dg_status dg_cuda_sum(struct dg_call *call)
{
    return sum_over(call, SIZE_MAX, SIZE_MAX, 1, false);
}

enum dg_status dg_cuda_sum_dims(struct dg_call *call)
{
    return sum_over(call, 1, 2, 3, false);
}

enum dg_status dg_cuda_mean(struct dg_call *call)
{
    return sum_over(call, SIZE_MAX, SIZE_MAX, 1, true);
}

enum dg_status dg_cuda_mean_dims(struct dg_call *call)
{
    return sum_over(call, 1, 2, 3, true);
}

static enum dg_status multiply_over(struct dg_call *call, size_t dim, size_t keeps,
                                    size_t dtype)
{
    struct reduction of = {};
    enum dg_status status =
        begin(call, &of, dg_arg_type(call, dtype, DG_TYPE_NONE), dim, keeps);
    struct dg_tensor *out = NULL;

    if (!status)
        status = give_sum(call, &of, &out);
    if (!status)
        status = with_number(of.tensor->type, [&](auto element) {
            using T = decltype(element);
            struct product<summed<T>, computed<T>> r = {
                (summed<T> *)dg_tensor_data(out)
            };

            return reduce<T>(call, &of, r);
        });
    return refused(call, &of, status);
}

enum dg_status dg_cuda_prod(struct dg_call *call)
{
    return multiply_over(call, SIZE_MAX, SIZE_MAX, 1);
}

enum dg_status dg_cuda_prod_dim(struct dg_call *call)
{
    return multiply_over(call, 1, 2, 3);
}

/* Whether one is true (ALL: whether none is false); NaN is true. */
template <bool ALL, class C> struct truths {
    typedef uint32_t state;
    uint8_t *out;

    __device__ uint32_t start() const
    {
        return ALL;
    }
    __device__ uint32_t add(uint32_t so_far, C x, int64_t) const
    {
        return merge(so_far, x != 0);
    }
    __device__ uint32_t merge(uint32_t x, uint32_t y) const
    {
        return ALL ? x && y : x || y;
    }
    __device__ void give(int64_t row, uint32_t truth) const
    {
        out[row] = (uint8_t)truth;
    }
};

template <bool ALL>
static enum dg_status truth_over(struct dg_call *call, size_t dims, size_t keeps)
{
    struct reduction of = {};
    enum dg_status status = begin(call, &of, DG_TYPE_NONE, dims, keeps);
    struct dg_tensor *out = NULL;

    if (!status)
        out = dg_result(call, 0,
                        of.tensor->type == DG_TYPE_U8 ? DG_TYPE_U8 : DG_TYPE_BOOL,
                        of.rank, of.sizes);
    if (!status && !out)
        status = call->err->status;
    if (!status)
        status = with_number(of.tensor->type, [&](auto element) {
            using T = decltype(element);
            struct truths<ALL, computed<T>> r = {
                (uint8_t *)dg_tensor_data(out)
            };

            return reduce<T>(call, &of, r);
        });
    return refused(call, &of, status);
}

enum dg_status dg_cuda_any(struct dg_call *call)
{
    return truth_over<false>(call, SIZE_MAX, SIZE_MAX);
}

enum dg_status dg_cuda_any_dims(struct dg_call *call)
{
    return truth_over<false>(call, 1, 2);
}

enum dg_status dg_cuda_all(struct dg_call *call)
{
    return truth_over<true>(call, SIZE_MAX, SIZE_MAX);
}

enum dg_status dg_cuda_all_dims(struct dg_call *call)
{
    return truth_over<true>(call, 1, 2);
}

/* Sums of what is a number, and how many there are. */
template <class C> struct numbered {
    C sum, n;
};

template <class Out, class C> struct number_sum {
    typedef numbered<C> state;
    Out *out;
    bool mean;

    __device__ state start() const
    {
        return {0, 0};
    }
    __device__ state add(state so_far, C x, int64_t) const
    {
        return x != x ? so_far : state{plus(so_far.sum, x), so_far.n + 1};
    }
    __device__ state merge(state a, state b) const
    {
        return {plus(a.sum, b.sum), a.n + b.n};
    }
    __device__ void give(int64_t row, state s) const
    {
        if constexpr (!std::is_integral_v<C>)
            s.sum = mean ? s.sum / s.n : s.sum;
        out[row] = store<Out>::of(s.sum);
    }
};

static enum dg_status sum_numbers(struct dg_call *call, bool mean)
{
    struct reduction of = {};
    enum dg_status status = begin(call, &of, dg_arg_type(call, 3, DG_TYPE_NONE), 1, 2);
    struct dg_tensor *out = NULL;

    if (!status && mean && !dg_type_is_float(of.tensor->type))
        status = dg_call_fail(call, DG_ERR_FORMAT, "the mean of %s",
                              dg_type_name(of.tensor->type));
    if (!status)
        status = give_sum(call, &of, &out);
    if (!status)
        status = with_number(of.tensor->type, [&](auto element) {
            using T = decltype(element);
            struct number_sum<summed<T>, computed<T>> r = {
                (summed<T> *)dg_tensor_data(out), mean
            };

            return reduce<T>(call, &of, r);
        });
    return refused(call, &of, status);
}

/* (self, dim, keepdim, dtype) */
enum dg_status dg_cuda_nansum(struct dg_call *call)
{
    return sum_numbers(call, false);
}

enum dg_status dg_cuda_nanmean(struct dg_call *call)
{
    return sum_numbers(call, true);
}

/* How many are not 0; NaN is not. */
template <class C> struct occurrences {
    typedef int64_t state;
    int64_t *out;

    __device__ int64_t start() const
    {
        return 0;
    }
    __device__ int64_t add(int64_t n, C x, int64_t) const
    {
        return n + (x != 0);
    }
    __device__ int64_t merge(int64_t a, int64_t b) const
    {
        return a + b;
    }
    __device__ void give(int64_t row, int64_t n) const
    {
        out[row] = n;
    }
};

/* (self, dim) */
enum dg_status dg_cuda_count_nonzero(struct dg_call *call)
{
    struct reduction of = {};
    enum dg_status status = begin(call, &of, DG_TYPE_NONE, 1, SIZE_MAX);
    struct dg_tensor *out =
        status ? NULL : dg_result(call, 0, DG_TYPE_I64, of.rank, of.sizes);

    if (!status && !out)
        status = call->err->status;
    if (!status)
        status = with_number(of.tensor->type, [&](auto element) {
            struct occurrences<computed<decltype(element)>> r = {
                (int64_t *)dg_tensor_data(out)
            };

            return reduce<decltype(element)>(call, &of, r);
        });
    return refused(call, &of, status);
}
