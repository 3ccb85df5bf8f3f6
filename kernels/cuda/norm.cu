/* Norms over the last dimensions or over groups of channels: layer, group, RMS. */
#include <float.h>

#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/types.cuh"

/* Element i of row r is scaled by weight[(r % cycle * length + i) / repeat]: by its
 * place in the row, or by the channel it lies in. */
struct norm_rows {
    int64_t n_rows, length, cycle, repeat;
    double eps;
    bool centred; /* false: by the root of the mean square */
};

template <class C> struct scales {
    const C *weight, *bias; /* NULL: 1 and 0 */
    C *mean, *rstd;         /* NULL: not wanted */
};

template <int TEAM, class T>
static __global__ void norm_row(struct norm_rows rows, T *out, const T *in,
                                struct scales<computed<T>> scales)
{
    using C = computed<T>;
    int64_t row = team_row<TEAM>(), base = row * rows.length;
    int64_t scaled_from = row % rows.cycle * rows.length;
    C mean = 0, squares = 0, rstd;

    if (row >= rows.n_rows)
        return;
    for (int64_t i = team_place<TEAM>(); i < rows.length && rows.centred; i += TEAM)
        mean += value_of(in[base + i]);
    mean = merged<TEAM>(mean, add_up()) / (C)rows.length;
    for (int64_t i = team_place<TEAM>(); i < rows.length; i += TEAM) {
        C apart = value_of(in[base + i]) - mean;

        squares += apart * apart;
    }
    squares = merged<TEAM>(squares, add_up()) / (C)rows.length;
    rstd = 1 / sqrt(squares + (C)rows.eps);
    for (int64_t i = team_place<TEAM>(); i < rows.length; i += TEAM) {
        int64_t place = (scaled_from + i) / rows.repeat;
        C weight = scales.weight ? scales.weight[place] : C(1);
        C bias = scales.bias ? scales.bias[place] : C(0);

        out[base + i] =
            store<T>::of((value_of(in[base + i]) - mean) * rstd * weight + bias);
    }
    if (team_place<TEAM>() == 0 && scales.mean)
        scales.mean[row] = mean;
    if (team_place<TEAM>() == 0 && scales.rstd)
        scales.rstd[row] = rstd;
}

/* What a norm reads and writes besides its rows, in the type computed with. */
struct beside {
    struct dg_tensor *in, *weight, *bias, *mean, *rstd;

    ~beside()
    {
        dg_tensor_drop(in);
        dg_tensor_drop(weight);
        dg_tensor_drop(bias);
        dg_tensor_drop(mean);
        dg_tensor_drop(rstd);
    }
};

static enum dg_status take_scale(struct dg_call *call, struct dg_tensor *from,
                                 int64_t count, enum dg_type type,
                                 struct dg_tensor **scale)
{
    if (!from)
        return DG_OK;
    if (dg_tensor_count(from) != count)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld scales for %lld elements",
                            (long long)dg_tensor_count(from), (long long)count);
    *scale = contiguous_as(call, from, type);
    return *scale ? DG_OK : call->err->status;
}

/* Statistics become results 1 and 2 where a call has those. */
static enum dg_status give_statistics(struct dg_call *call, const struct beside *beside,
                                      enum dg_type type)
{
    size_t n = 1;
    struct dg_tensor *statistics[] = {beside->mean, beside->rstd};

    for (struct dg_tensor *statistic : statistics) {
        if (!statistic || n >= call->n_results)
            continue;
        if (!dg_give(call, n++,
                     converted(call, statistic, dg_kept_type(call->context, type))))
            return call->err->status;
    }
    return DG_OK;
}

template <class T, class C>
static enum dg_status run_rows(struct dg_call *call, const struct norm_rows &rows,
                               const struct dg_tensor *out, const struct beside &beside)
{
    auto data = [](const struct dg_tensor *tensor) {
        return tensor ? (C *)dg_tensor_data(tensor) : NULL;
    };
    struct scales<C> scales = {
        data(beside.weight), data(beside.bias), data(beside.mean), data(beside.rstd)
    };

    return with_team(rows.length, [&](auto team) {
        constexpr int TEAM = decltype(team)::value;

        return launch(call, norm_row<TEAM, T>, team_blocks(rows.n_rows, TEAM), THREADS,
                      rows, (T *)dg_tensor_data(out),
                      (const T *)dg_tensor_data(beside.in), scales);
    });
}

/* Rows of `self`; the statistics have that shape and type. */
static enum dg_status norm(struct dg_call *call, const struct norm_rows &rows,
                           struct dg_tensor *weight, struct dg_tensor *bias, int rank,
                           const int64_t *sizes, enum dg_type type)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *out;
    enum dg_type compute = self->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
    int64_t n_scales = rows.length * rows.cycle / rows.repeat;
    struct beside beside = {};
    enum dg_status status = DG_OK;

    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    beside.in = out ? contiguous(call, self) : NULL;
    if (!beside.in)
        return call->err->status;
    status = take_scale(call, weight, n_scales, compute, &beside.weight);
    if (!status)
        status = take_scale(call, bias, n_scales, compute, &beside.bias);
    if (!status && call->n_results > 1) {
        struct dg_memory *memory = call->context->memory;

        beside.rstd = dg_tensor_new(memory, compute, rank, sizes, call->err);
        if (rows.centred)
            beside.mean = dg_tensor_new(memory, compute, rank, sizes, call->err);
        status = call->err->status;
    }
    if (!status && rows.n_rows)
        status = with_float(self->type, [&](auto element) {
            using T = decltype(element);

            return run_rows<T, computed<T>>(call, rows, out, beside);
        });
    return status ? status : give_statistics(call, &beside, type);
}

static enum dg_status need_floats(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self && dg_type_is_float(self->type)
               ? DG_OK
               : dg_call_fail(call, DG_ERR_FORMAT, "a norm of %s",
                              dg_type_name(self ? self->type : DG_TYPE_NONE));
}

/* Over the dimensions of argument 1, which are the last ones of the input. */
static enum dg_status norm_layers(struct dg_call *call, struct norm_rows rows,
                                  struct dg_tensor *bias, enum dg_type type)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t shape[DG_RANK_MOST], sizes[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, shape, DG_RANK_MOST), first = self->rank - n;

    rows.n_rows = rows.length = 1;
    for (int d = 0; d < self->rank && n >= 0; d++) {
        bool outer = d < first;

        if (first < 0 || (!outer && self->sizes[d] != shape[d - first]))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "normalized shape does not end the input's");
        sizes[d] = outer ? self->sizes[d] : 1;
        *(outer ? &rows.n_rows : &rows.length) *= self->sizes[d];
    }
    return n < 0 ? call->err->status
                 : norm(call, rows, dg_arg_tensor(call, 2), bias, self->rank, sizes,
                        type);
}

/* input, normalized_shape, weight, bias, eps */
enum dg_status dg_cuda_layer_norm(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    const struct dg_tensor *weight = dg_arg_tensor(call, 2);
    struct norm_rows rows = {0, 0, 1, 1, dg_arg_real(call, 4, 1e-5), true};
    enum dg_status status = need_floats(call);

    return status ? status
                  : norm_layers(call, rows, dg_arg_tensor(call, 3),
                                weight ? weight->type : self->type);
}

/* input, normalized_shape, weight, eps */
enum dg_status dg_cuda_rms_norm(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    enum dg_status status = need_floats(call);
    struct norm_rows rows = {0, 0, 1, 1, 0, false};

    if (status)
        return status;
    rows.eps = dg_arg_real(
        call, 3, self->type == DG_TYPE_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
    return norm_layers(call, rows, NULL,
                       self->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32);
}

static enum dg_status norm_groups(struct dg_call *call, int64_t groups,
                                  struct dg_tensor *weight, struct dg_tensor *bias,
                                  double eps)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    enum dg_status status = need_floats(call);
    int64_t channels = !status && self->rank > 1 ? self->sizes[1] : 0, inner = 1;
    int64_t sizes[] = {0, groups};

    if (status)
        return status;
    if (self->rank < 2 || groups < 1 || channels % groups)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld channels in %lld groups",
                            (long long)channels, (long long)groups);
    for (int d = 2; d < self->rank; d++)
        inner *= self->sizes[d];
    if (!inner)
        return dg_call_fail(call, DG_ERR_DEVICE, "a norm of channels without elements");
    sizes[0] = self->sizes[0];
    return norm(
        call,
        {self->sizes[0] * groups, channels / groups * inner, groups, inner, eps, true},
        weight, bias, 2, sizes, weight ? weight->type : self->type);
}

/* input, groups, weight, bias, eps */
enum dg_status dg_cuda_group_norm(struct dg_call *call)
{
    return norm_groups(call, dg_arg_int(call, 1, 0), dg_arg_tensor(call, 2),
                       dg_arg_tensor(call, 3), dg_arg_real(call, 4, 1e-5));
}

/* input, weight, bias, N, C, HxW, groups, eps */
enum dg_status dg_cuda_native_group_norm(struct dg_call *call)
{
    return norm_groups(call, dg_arg_int(call, 6, 0), dg_arg_tensor(call, 1),
                       dg_arg_tensor(call, 2), dg_arg_real(call, 7, 1e-5));
}

/* input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps: in
 * the order of batch_norm, which it is when it does not look at the input. */
enum dg_status dg_cuda_instance_norm(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!dg_arg_bool(call, 5, true))
        return dg_cuda_batch_norm(call);
    if (dg_arg_tensor(call, 3))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "instance norm that updates running statistics");
    return norm_groups(call, self && self->rank > 1 ? self->sizes[1] : 0,
                       dg_arg_tensor(call, 1), dg_arg_tensor(call, 2),
                       dg_arg_real(call, 7, 1e-5));
}
