/* Batch norm by running statistics, and by those of the batch. */
#include "kernels/cuda/map.cuh"
#include "kernels/cuda/moments.cuh"

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

static enum dg_type statistics_type(const struct dg_tensor *self)
{
    return self->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
}

/* Number `i` of each channel: `dense`, whose share is used up. */
static enum dg_status lay_out(struct dg_call *call, struct channels *of, int i,
                              struct dg_tensor *dense)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST] = {self->sizes[1]}, strides[DG_RANK_MOST] = {1};

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

static enum dg_status take_channels(struct dg_call *call, struct channels *of, int i,
                                    size_t arg, double otherwise)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *given = dg_arg_tensor(call, arg);

    of->inputs[i] = input_number(otherwise, 0);
    if (!given)
        return DG_OK;
    if (dg_tensor_count(given) != self->sizes[1])
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld numbers for %lld channels",
                            (long long)dg_tensor_count(given),
                            (long long)self->sizes[1]);
    return lay_out(call, of, i, contiguous_as(call, given, statistics_type(self)));
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

static enum dg_status take_input(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (self && self->rank >= 2 && dg_type_is_float(self->type))
        return DG_OK;
    return dg_call_fail(call, DG_ERR_FORMAT, "batch norm of rank %d",
                        self ? self->rank : 0);
}

/* Result 0 of the statistics that are there, with weight and bias. */
static enum dg_status normalize(struct dg_call *call, struct channels *of, double eps)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *out = dg_result(call, 0, self->type, self->rank, self->sizes);
    enum dg_status status = out ? take_channels(call, of, 2, 1, 1) : call->err->status;

    if (!status)
        status = take_channels(call, of, 3, 2, 0);
    if (status)
        return status;
    return with_float(self->type, [&](auto element) {
        using T = decltype(element);
        using C = computed<T>;
        struct scale_channel<C> f = {
            (C) eps
        };

        return map<T, T, C, C, C, C>(call, f, out, input_tensor(self), of->inputs[0],
                                     of->inputs[1], of->inputs[2], of->inputs[3]);
    });
}

/* input, weight, bias, running_mean, running_var; saved statistics are empty */
static enum dg_status evaluate(struct dg_call *call, double eps)
{
    struct channels of = {};
    enum dg_status status = take_input(call);

    if (!status)
        status = take_channels(call, &of, 0, 3, 0);
    if (!status)
        status = take_channels(call, &of, 1, 4, 1);
    if (!status)
        status = normalize(call, &of, eps);
    if (!status)
        status = give_nothing(call, 1);
    return status ? status : give_nothing(call, 2);
}

/* Mean and variance of each channel. */
template <class C> struct channel_moments : welford<C> {
    typedef deviations<C> state;
    C *mean, *variance;

    __device__ void give(int64_t row, state s) const
    {
        mean[row] = s.n > 0 ? s.mean : C(NAN);
        variance[row] = s.squares / s.n;
    }
};

/* Statistics of the batch become numbers 0 and 1 of the channels. */
static enum dg_status measure(struct dg_call *call, struct channels *of)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *made[2] = {};
    struct reduction over = {};
    enum dg_status status = DG_OK;

    over.tensor = self;
    for (int d = 0; d < self->rank; d++)
        over.reduced[d] = d != 1;
    for (int i = 0; i < 2 && !status; i++) {
        made[i] = dg_tensor_new(call->context->memory, statistics_type(self), 1,
                                &self->sizes[1], call->err);
        status = lay_out(call, of, i, made[i]);
    }
    if (status)
        return status;
    return with_float(self->type, [&](auto element) {
        using T = decltype(element);
        using C = computed<T>;
        struct channel_moments<C> r = {
        };

        r.mean = (C *)dg_tensor_data(of->values[0]);
        r.variance = (C *)dg_tensor_data(of->values[1]);
        return reduce<T>(call, &over, r);
    });
}

/* 1 / deviation, of a variance. */
template <class C> struct inverse_deviation {
    C eps;

    __device__ C operator()(C variance) const
    {
        return rsqrt(variance + eps);
    }
};

/* A mix of what was and of what is. */
template <class C> struct updated {
    C momentum, factor;

    __device__ C operator()(C before, C measured) const
    {
        return before * (1 - momentum) + measured * factor * momentum;
    }
};

/* Call `function` with an element of the statistics' type. */
template <class F>
static enum dg_status with_statistics(const struct dg_tensor *self, F function)
{
    return self->type == DG_TYPE_F64 ? function(double()) : function(float());
}

/* Result `i` as one number for each channel, which `function` writes. */
template <class F>
static enum dg_status give_channels(struct dg_call *call, size_t i, enum dg_type type,
                                    F function)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *made, *out;
    enum dg_status status;

    if (i >= call->n_results)
        return DG_OK;
    made = dg_tensor_new(call->context->memory, statistics_type(self), 1,
                         &self->sizes[1], call->err);
    if (!made)
        return call->err->status;
    status = with_statistics(
        self, [&](auto element) { return function(element, (const dg_tensor *)made); });
    out = status ? NULL : dg_result(call, i, type, 1, &self->sizes[1]);
    if (out)
        status = copy_elements(call, out, made);
    dg_tensor_drop(made);
    return out ? status : call->err->status;
}

/* One number for each channel, without the dimensions that broadcast. */
static struct dg_tensor flat(const struct dg_tensor *channels)
{
    struct dg_tensor view = *channels;

    view.rank = 1;
    return view;
}

/* Results 0 to 2: mean and 1 / deviation are saved. */
static enum dg_status train(struct dg_call *call, struct channels *of, double eps)
{
    const struct dg_tensor *weight = dg_arg_tensor(call, 1);
    enum dg_status status = take_input(call);
    struct dg_tensor mean, variance;
    enum dg_type type;

    if (!status)
        status = measure(call, of);
    if (!status)
        status = normalize(call, of, eps);
    if (status)
        return status;
    type = weight ? weight->type : dg_arg_tensor(call, 0)->type;
    mean = flat(of->values[0]);
    variance = flat(of->values[1]);
    status = give_channels(call, 1, type, [&](auto, const struct dg_tensor *to) {
        return copy_elements(call, to, &mean);
    });
    if (status)
        return status;
    return give_channels(call, 2, type, [&](auto element, const struct dg_tensor *to) {
        using C = decltype(element);

        return map<C, C>(call, inverse_deviation<C>{(C)eps}, to,
                         input_tensor(&variance));
    });
}

/* running * (1 - momentum) + measured * momentum, as result `arg` */
static enum dg_status give_running(struct dg_call *call, const struct channels *of,
                                   size_t arg, double factor)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *given = dg_arg_tensor(call, arg), *running, measured;
    double momentum = dg_arg_real(call, 6, 0.1);
    enum dg_status status;

    if (!given)
        return DG_OK;
    if (given->rank != 1 || given->sizes[0] != self->sizes[1])
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld numbers for %lld channels",
                            (long long)dg_tensor_count(given),
                            (long long)self->sizes[1]);
    running = converted(call, given, statistics_type(self));
    if (!running)
        return call->err->status;
    measured = flat(of->values[arg - 3]);
    status = give_channels(
        call, arg, given->type, [&](auto element, const struct dg_tensor *to) {
            using C = decltype(element);

            return map<C, C, C>(call, updated<C>{(C)momentum, (C)factor}, to,
                                input_tensor(running), input_tensor(&measured));
        });
    dg_tensor_drop(running);
    return status;
}

/* ..., momentum, eps */
enum dg_status dg_cuda_batch_norm_evaluating(struct dg_call *call)
{
    return evaluate(call, dg_arg_real(call, 6, 1e-5));
}

/* ..., training, momentum, eps */
enum dg_status dg_cuda_batch_norm(struct dg_call *call)
{
    bool training = dg_arg_bool(call, 5, false), running = dg_arg_tensor(call, 3);
    double eps = dg_arg_real(call, 7, 1e-5);
    struct channels of = {};

    if (training && running)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "batch norm that updates running statistics");
    return training || !running ? train(call, &of, eps) : evaluate(call, eps);
}

/* input, weight, bias, training, momentum, eps: statistics of the batch */
enum dg_status dg_cuda_batch_norm_no_stats(struct dg_call *call)
{
    struct channels of = {};

    return train(call, &of, dg_arg_real(call, 5, 1e-5));
}

/* As dg_cuda_batch_norm, and the new running statistics are results 3 and 4. */
enum dg_status dg_cuda_batch_norm_functional(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct channels of = {};
    enum dg_status status;
    double count;

    if (!dg_arg_bool(call, 5, false))
        return dg_call_fail(call, DG_ERR_DEVICE, "functional batch norm evaluating");
    status = train(call, &of, dg_arg_real(call, 7, 1e-5));
    if (!status)
        status = give_running(call, &of, 3, 1);
    if (status)
        return status;
    count = (double)dg_tensor_count(self) / (double)self->sizes[1];
    return give_running(call, &of, 4, count / (count - 1));
}

/* ..., momentum, eps; result 3, which only the gradient reads, is empty */
enum dg_status dg_cuda_batch_norm_no_update(struct dg_call *call)
{
    enum dg_status status = dg_cuda_batch_norm_evaluating(call);
    int64_t none = 0;

    if (!status && call->n_results > 3 && !dg_result(call, 3, DG_TYPE_U8, 1, &none))
        status = call->err->status;
    return status;
}
