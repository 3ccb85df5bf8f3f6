/* Operands of operators that go to and from integers on a grid. */
#include "kernels/cuda/quantized.cuh"

extern "C" {
#include "kernels/cpu/walk.h"
}

static struct dg_tensor *converted_or_kept(struct dg_call *call,
                                           struct dg_tensor *tensor, enum dg_type type)
{
    return converted(call, tensor, type == DG_TYPE_NONE ? tensor->type : type);
}

/* As one column or more, without a copy. */
static void see_as_rows(struct dg_tensor *view, int64_t columns)
{
    view->sizes[0] = dg_tensor_count(view) / columns;
    view->sizes[1] = columns;
    view->rank = 2;
    dg_contiguous_strides(view->rank, view->sizes, view->strides);
}

enum dg_status take_input(struct dg_call *call, struct grid *of, enum dg_type type)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    if (type == DG_TYPE_NONE)
        type = self->type;
    of->held = of->sharing == SHARED_BY_GROUP ? contiguous_as(call, self, type)
                                              : converted(call, self, type);
    if (!of->held)
        return call->err->status;
    of->in = *of->held;
    if (of->sharing != SHARED_BY_GROUP)
        return DG_OK;
    if (of->group < 1 || dg_tensor_count(self) % of->group)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld elements do not make groups of %lld",
                            (long long)dg_tensor_count(self), (long long)of->group);
    see_as_rows(&of->in, of->group);
    return DG_OK;
}

enum dg_status take_number(struct dg_call *call, struct numbers *to, size_t i,
                           enum dg_type type)
{
    struct dg_tensor *given = dg_arg_tensor(call, i), *tensor;

    to->input = input_number(dg_arg_real(call, i, 0), dg_arg_int(call, i, 0));
    if (!given)
        return DG_OK;
    if (dg_tensor_count(given) != 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld elements as one number",
                            (long long)dg_tensor_count(given));
    tensor = converted_or_kept(call, given, type);
    if (!tensor)
        return call->err->status;
    to->hold(tensor);
    to->view.rank = 0;
    return DG_OK;
}

/* One number for each element along the axis. */
static enum dg_status lay_along(struct dg_call *call, struct dg_tensor *view,
                                int64_t axis)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);
    int dim;

    if (view->rank != 1 || !input->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "the numbers for each channel have rank %d, the input %d",
                            view->rank, input->rank);
    if (!dg_dimension(call, axis, input->rank, &dim))
        return call->err->status;
    view->rank = input->rank - dim;
    for (int d = 1; d < view->rank; d++) {
        view->sizes[d] = 1;
        view->strides[d] = 0;
    }
    return DG_OK;
}

/* The numbers may not be more than the input has elements that share them. */
static enum dg_status fit(struct dg_call *call, const struct grid *of,
                          const struct numbers *numbers)
{
    struct dg_tensor in = of->in, view = numbers->view, *both[] = {&in, &view};
    int64_t sizes[DG_RANK_MOST];
    int rank = 0;

    if (dg_broadcast(call, 2, both, &rank, sizes))
        return call->err->status;
    for (int d = 0; d < rank; d++) {
        if (rank != in.rank || sizes[d] != in.sizes[d])
            return dg_call_fail(call, DG_ERR_DEVICE,
                                "scales or zero points larger than the input");
    }
    return DG_OK;
}

enum dg_status take_shared(struct dg_call *call, const struct grid *of,
                           struct numbers *to, size_t i, enum dg_type type)
{
    struct dg_tensor *given = dg_arg_tensor(call, i), *tensor;
    enum dg_status status = DG_OK;

    if (of->sharing == SHARED_BY_ALL)
        return take_number(call, to, i, type);
    if (!given)
        return dg_call_fail(call, DG_ERR_FORMAT, "argument %zu is no tensor", i);
    tensor = converted_or_kept(call, given, type);
    if (tensor && of->sharing == SHARED_BY_GROUP) {
        struct dg_tensor *dense = contiguous(call, tensor);

        dg_tensor_drop(tensor);
        tensor = dense;
    }
    if (!tensor)
        return call->err->status;
    to->hold(tensor);
    if (of->sharing == SHARED_BY_GROUP)
        see_as_rows(&to->view, 1);
    else if (of->sharing == SHARED_BY_CHANNEL)
        status = lay_along(call, &to->view, of->axis);
    return status ? status : fit(call, of, to);
}

struct reciprocal {
    template <class C> __device__ C operator()(C x) const
    {
        return 1 / x;
    }
};

enum dg_status invert(struct dg_call *call, struct numbers *of, enum dg_type type)
{
    struct dg_tensor *inverse, *tensor = NULL, view = of->view;
    enum dg_status status;

    if (!of->held) {
        of->input.real = 1 / of->input.real;
        return DG_OK;
    }
    inverse = dg_tensor_new(call->context->memory, view.type, view.rank, view.sizes,
                            call->err);
    if (!inverse)
        return call->err->status;
    status = with_float(view.type, [&](auto element) {
        using T = decltype(element);

        return map<T, T>(call, reciprocal(), inverse, of->input);
    });
    if (status && !call->err->status)
        dg_call_fail(call, DG_ERR_DEVICE, "scales of %s", dg_type_name(view.type));
    if (!status)
        tensor = converted(call, inverse, type);
    dg_tensor_drop(inverse);
    if (!tensor)
        return call->err->status;
    of->hold(tensor);
    return DG_OK;
}

enum dg_status give_output(struct dg_call *call, struct grid *of, enum dg_type type)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *out = dg_result(call, 0, type, self->rank, self->sizes);

    if (!out)
        return call->err->status;
    of->out = *out;
    if (of->sharing == SHARED_BY_GROUP)
        see_as_rows(&of->out, of->group);
    return DG_OK;
}
