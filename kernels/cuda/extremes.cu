/* Largest and smallest elements, and where they are. */
#include "kernels/cuda/reduce.cuh"

/* An element and its index; index -1: none yet. */
template <class C> struct candidate {
    C value;
    int64_t index;
};

/* NaN wins, then the larger (or smaller) one, then the first. */
template <class Out, class C, bool LARGEST> struct extreme {
    typedef candidate<C> state;
    Out *values;      /* NULL: not wanted */
    int64_t *indices; /* NULL: not wanted */

    __device__ state start() const
    {
        return {0, -1};
    }
    __device__ bool wins(state a, state b) const
    {
        bool a_nan = a.value != a.value, b_nan = b.value != b.value;

        if (a.index < 0 || b.index < 0)
            return b.index < 0;
        if (a_nan || b_nan)
            return a_nan && (!b_nan || a.index < b.index);
        if (a.value == b.value)
            return a.index < b.index;
        return LARGEST ? a.value > b.value : a.value < b.value;
    }
    __device__ state merge(state a, state b) const
    {
        return wins(a, b) ? a : b;
    }
    __device__ state add(state best, C x, int64_t index) const
    {
        return merge(best, {x, index});
    }
    __device__ void give(int64_t row, state best) const
    {
        if (values)
            values[row] = store<Out>::of(best.value);
        if (indices)
            indices[row] = best.index;
    }
};

struct extreme_results {
    struct dg_tensor *values, *indices;
};

template <bool LARGEST>
static enum dg_status find_extremes(struct dg_call *call, const struct reduction *of,
                                    struct extreme_results results)
{
    enum dg_status status = with_number(of->tensor->type, [&](auto element) {
        using T = decltype(element);
        struct extreme<T, computed<T>, LARGEST> r = {
            results.values ? (T *)dg_tensor_data(results.values) : NULL,
                results.indices ? (int64_t *)dg_tensor_data(results.indices) : NULL
        };

        return reduce<T>(call, of, r);
    });

    if (status && !call->err->status)
        return dg_call_fail(call, DG_ERR_DEVICE, "%s is reduced on the host only",
                            dg_type_name(of->tensor->type));
    return status;
}

template <bool LARGEST>
static enum dg_status extremes_over(struct dg_call *call, size_t dims, size_t keeps,
                                    bool values, bool indices)
{
    struct reduction of = {};
    struct extreme_results results = {};
    enum dg_status status;

    of.tensor = dg_arg_tensor(call, 0);
    if (!of.tensor)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    status = take_dims(call, &of, dims, dg_arg_bool(call, keeps, false));
    if (status)
        return status;
    if (values)
        results.values = dg_result(call, 0, of.tensor->type, of.rank, of.sizes);
    if (indices)
        results.indices = dg_result(call, values, DG_TYPE_I64, of.rank, of.sizes);
    if ((values && !results.values) || (indices && !results.indices))
        return call->err->status;
    if (!of.length && dg_tensor_count(values ? results.values : results.indices))
        return dg_call_fail(call, DG_ERR_FORMAT, "the extreme of no elements");
    return find_extremes<LARGEST>(call, &of, results);
}

/* (self), (self, dim, keepdim) */
#define EXTREMES(name, largest, dims, keeps, values, indices)                          \
    enum dg_status dg_cuda_##name(struct dg_call *call)                                \
    {                                                                                  \
        return extremes_over<largest>(call, dims, keeps, values, indices);             \
    }
EXTREMES(amax, true, 1, 2, true, false)
EXTREMES(amin, false, 1, 2, true, false)
EXTREMES(max, true, SIZE_MAX, SIZE_MAX, true, false)
EXTREMES(min, false, SIZE_MAX, SIZE_MAX, true, false)
EXTREMES(argmax, true, 1, 2, false, true)
EXTREMES(argmin, false, 1, 2, false, true)
EXTREMES(max_dim, true, 1, 2, true, true)
EXTREMES(min_dim, false, 1, 2, true, true)

/* The least is result 0, the greatest result 1. */
static enum dg_status both_ends(struct dg_call *call, size_t dims, size_t keeps)
{
    enum dg_status status = extremes_over<false>(call, dims, keeps, true, false);
    struct dg_call second = *call;

    second.results++;
    second.n_results--;
    return status ? status : extremes_over<true>(&second, dims, keeps, true, false);
}

/* (self, dim, keepdim) */
enum dg_status dg_cuda_aminmax(struct dg_call *call)
{
    return both_ends(call, 1, 2);
}

enum dg_status dg_cuda_aminmax_all(struct dg_call *call)
{
    return both_ends(call, SIZE_MAX, SIZE_MAX);
}
