/* softmax and log_softmax along one dimension. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/types.cuh"

enum form { SOFTMAX, LOG_SOFTMAX, SAFE_SOFTMAX };

/* Row r of `length` elements, `step` apart; neighbouring rows are neighbours in memory
 * where step is not 1. */
struct softmax_rows {
    int64_t n_rows, length, step;
};

template <int TEAM, enum form FORM, class T>
static __global__ void softmax_row(struct softmax_rows rows, T *out, const T *in)
{
    using C = computed<T>;
    int64_t row = team_row<TEAM>();
    int64_t base = row / rows.step * rows.length * rows.step + row % rows.step;
    int64_t first = team_place<TEAM>();
    C most = -INFINITY, sum = 0;

    if (row >= rows.n_rows)
        return;
    for (int64_t i = first; i < rows.length; i += TEAM)
        most = larger(value_of(in[base + i * rows.step]), most);
    most = merged<TEAM>(most, [](C a, C b) { return larger(a, b); });
    for (int64_t i = first; i < rows.length; i += TEAM)
        sum += exp(value_of(in[base + i * rows.step]) - most);
    sum = merged<TEAM>(sum, add_up());
    for (int64_t i = first; i < rows.length; i += TEAM) {
        C x = value_of(in[base + i * rows.step]) - most;

        if (FORM == SAFE_SOFTMAX && most == -INFINITY)
            out[base + i * rows.step] = store<T>::of(0);
        else if (FORM == LOG_SOFTMAX)
            out[base + i * rows.step] = store<T>::of(x - log(sum));
        else
            out[base + i * rows.step] = store<T>::of(exp(x) / sum);
    }
}

template <enum form FORM>
static enum dg_status softmax_along(struct dg_call *call, const struct dg_tensor *out,
                                    const struct dg_tensor *in, int dim)
{
    struct softmax_rows rows = {dg_tensor_count(in), 1, 1};

    if (in->rank) {
        rows.length = in->sizes[dim];
        rows.step = in->strides[dim]; /* of a contiguous tensor */
    }
    if (!rows.n_rows)
        return DG_OK;
    rows.n_rows /= rows.length;
    return with_float(in->type, [&](auto element) {
        using T = decltype(element);
        T *to = (T *)dg_tensor_data(out);
        const T *from = (const T *)dg_tensor_data(in);

        if (rows.step > 1)
            return launch(call, softmax_row<TEAM_THREAD, FORM, T>,
                          team_blocks(rows.n_rows, TEAM_THREAD), THREADS, rows, to,
                          from);
        return with_team(rows.length, [&](auto team) {
            constexpr int TEAM = decltype(team)::value;

            return launch(call, softmax_row<TEAM, FORM, T>,
                          team_blocks(rows.n_rows, TEAM), THREADS, rows, to, from);
        });
    });
}

/* `type` is that of the result, and the input is converted to it. */
template <enum form FORM>
static enum dg_status softmax(struct dg_call *call, enum dg_type type)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *in, *out, flat;
    enum dg_status status;
    int dim;

    if (!self || !dg_type_is_float(type))
        return dg_call_fail(call, DG_ERR_FORMAT, "softmax of %s", dg_type_name(type));
    if (!dg_dimension(call, dg_arg_int(call, 1, -1), self->rank, &dim))
        return call->err->status;
    out = dg_result(call, 0, type, self->rank, self->sizes);
    if (!out)
        return call->err->status;
    in = contiguous_as(call, self, out->type);
    if (!in)
        return call->err->status;
    flat = *in; /* strides of dimensions of size 1 may be anything */
    dg_contiguous_strides(flat.rank, flat.sizes, flat.strides);
    status = softmax_along<FORM>(call, out, &flat, dim);
    dg_tensor_drop(in);
    return status;
}

static enum dg_type own_type(const struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? self->type : DG_TYPE_NONE;
}

/* (self, dim, half_to_float), (self, dim, dtype) */
#define HALF_OR_OWN dg_arg_bool(call, 2, false) ? DG_TYPE_F32 : own_type(call)
#define ASKED_FOR dg_arg_type(call, 2, own_type(call))
#define FORM(name, form, type)                                                         \
    enum dg_status dg_cuda_##name(struct dg_call *call)                                \
    {                                                                                  \
        return softmax<form>(call, type);                                              \
    }
FORM(softmax_half, SOFTMAX, HALF_OR_OWN)
FORM(log_softmax_half, LOG_SOFTMAX, HALF_OR_OWN)
FORM(softmax, SOFTMAX, ASKED_FOR)
FORM(log_softmax, LOG_SOFTMAX, ASKED_FOR)
FORM(safe_softmax, SAFE_SOFTMAX, ASKED_FOR)
