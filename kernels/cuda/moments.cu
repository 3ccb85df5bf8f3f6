/* Variances and standard deviations, alone or with the mean. */
#include "kernels/cuda/moments.cuh"

template <class Out, class C> struct moments : welford<C> {
    typedef deviations<C> state;
    Out *out, *mean_out; /* no mean: NULL */
    C divisor;
    bool root;

    __device__ void give(int64_t row, state s) const
    {
        C variance = (s.n > 0 ? s.squares : C(NAN)) / divisor;

        out[row] = store<Out>::of(root ? sqrt(variance) : variance);
        if (mean_out)
            mean_out[row] = store<Out>::of(s.n > 0 ? s.mean : C(NAN));
    }
};

struct wanted {
    bool root, with_mean;
};

static enum dg_status moments_over(struct dg_call *call, size_t dims, size_t keeps,
                                   double correction, struct wanted wanted)
{
    struct reduction of = {};
    struct dg_tensor *out, *mean;
    enum dg_status status;

    of.tensor = dg_arg_tensor(call, 0);
    if (!of.tensor)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    if (!dg_type_is_float(of.tensor->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "the variance of %s",
                            dg_type_name(of.tensor->type));
    status = take_dims(call, &of, dims, dg_arg_bool(call, keeps, false));
    if (status)
        return status;
    out = dg_result(call, 0, of.tensor->type, of.rank, of.sizes);
    mean = out && wanted.with_mean
               ? dg_result(call, 1, of.tensor->type, of.rank, of.sizes)
               : NULL;
    if (!out || (wanted.with_mean && !mean))
        return call->err->status;
    return with_float(of.tensor->type, [&](auto element) {
        using T = decltype(element);
        struct moments<T, computed<T>> r = {
        };

        r.out = (T *)dg_tensor_data(out);
        r.mean_out = mean ? (T *)dg_tensor_data(mean) : NULL;
        r.divisor = (computed<T>)fmax(0, (double)of.length - correction);
        r.root = wanted.root;
        return reduce<T>(call, &of, r);
    });
}

/* (self, unbiased), (self, dim, unbiased, keepdim), (self, dim, correction, keepdim) */
#define MOMENTS(name, root, with_mean)                                                 \
    enum dg_status dg_cuda_##name(struct dg_call *call)                                \
    {                                                                                  \
        return moments_over(call, SIZE_MAX, SIZE_MAX, dg_arg_bool(call, 1, true),      \
                            {root, with_mean});                                        \
    }                                                                                  \
    enum dg_status dg_cuda_##name##_dim(struct dg_call *call)                          \
    {                                                                                  \
        return moments_over(call, 1, 3, dg_arg_bool(call, 2, true),                    \
                            {root, with_mean});                                        \
    }                                                                                  \
    enum dg_status dg_cuda_##name##_correction(struct dg_call *call)                   \
    {                                                                                  \
        return moments_over(call, 1, 3, dg_arg_real(call, 2, 1), {root, with_mean});   \
    }
MOMENTS(var, false, false)
MOMENTS(std, true, false)
MOMENTS(var_mean, false, true)
MOMENTS(std_mean, true, true)
