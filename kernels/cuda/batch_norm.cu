/* Batch norm by running statistics. */
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/map.cuh"

template <class C> struct scale_channel {
    C eps;

    __device__ C operator()(C x, C mean, C variance, C weight, C bias) const
    {
        return (x - mean) * rsqrt(variance + eps) * weight + bias;
    }
};

/* One number for each channel, which broadcasts over an input of that rank. */
struct channels {
    struct dg_tensor *values[4]; /* mean, variance, weight, bias */
    struct input inputs[4];

    ~channels()
    {
        for (struct dg_tensor *tensor : values)
            dg_tensor_drop(tensor);
    }
};

static enum dg_status take_channels(struct dg_call *call, struct channels *of, int i,
                                    size_t arg, double otherwise)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    enum dg_type compute = self->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
    struct dg_tensor *given = dg_arg_tensor(call, arg), *dense;
    int64_t sizes[DG_RANK_MOST] = {self->sizes[1]}, strides[DG_RANK_MOST] = {1};

    of->inputs[i] = input_number(otherwise, 0);
    if (!given)
        return DG_OK;
    if (dg_tensor_count(given) != self->sizes[1])
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld numbers for %lld channels",
                            (long long)dg_tensor_count(given),
                            (long long)self->sizes[1]);
    dense = contiguous_as(call, given, compute);
    if (!dense)
        return call->err->status;
    for (int d = 1; d < self->rank - 1; d++)
        sizes[d] = strides[d] = 1;
    of->values[i] =
        dg_tensor_view(dense, self->rank - 1, sizes, strides, dense->offset);
    of->inputs[i] = input_tensor(of->values[i]);
    dg_tensor_drop(dense);
    return DG_OK;
}

static enum dg_status give_nothing(struct dg_call *call, size_t result)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    const struct dg_tensor *weight = dg_arg_tensor(call, 1);
    int64_t none = 0;

    if (result >= call->n_results)
        return DG_OK;
    return dg_result(call, result, weight ? weight->type : self->type, 1, &none)
               ? DG_OK
               : call->err->status;
}

/* input, weight, bias, running_mean, running_var; saved statistics are empty */
static enum dg_status normalize(struct dg_call *call, double eps)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *out;
    struct channels of = {};
    enum dg_status status = DG_OK;

    if (!self || self->rank < 2 || !dg_type_is_float(self->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "batch norm of rank %d",
                            self ? self->rank : 0);
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    status = out ? take_channels(call, &of, 0, 3, 0) : call->err->status;
    if (!status)
        status = take_channels(call, &of, 1, 4, 1);
    if (!status)
        status = take_channels(call, &of, 2, 1, 1);
    if (!status)
        status = take_channels(call, &of, 3, 2, 0);
    if (!status)
        status = with_float(self->type, [&](auto element) {
            using T = decltype(element);
            using C = computed<T>;
            struct scale_channel<C> f = {
                (C) eps
            };

            return map<T, T, C, C, C, C>(call, f, out, input_tensor(self), of.inputs[0],
                                         of.inputs[1], of.inputs[2], of.inputs[3]);
        });
    if (!status)
        status = give_nothing(call, 1);
    return status ? status : give_nothing(call, 2);
}

/* ..., momentum, eps */
enum dg_status dg_cuda_batch_norm_evaluating(struct dg_call *call)
{
    return normalize(call, dg_arg_real(call, 6, 1e-5));
}

/* ..., training, momentum, eps */
enum dg_status dg_cuda_batch_norm(struct dg_call *call)
{
    if (dg_arg_bool(call, 5, false) || !dg_arg_tensor(call, 3))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "statistics of a batch are computed on the host only");
    return normalize(call, dg_arg_real(call, 7, 1e-5));
}
