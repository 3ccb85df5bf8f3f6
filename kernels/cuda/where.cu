/* Choices by a condition. */
#include "kernels/cuda/pointwise.cuh"

struct choose {
    template <class C> __device__ C operator()(int64_t condition, C yes, C no) const
    {
        return condition ? yes : no;
    }
};

/* `yes` and `no` become `type`; the shape is what all three broadcast to. */
static enum dg_status choose_elements(struct dg_call *call, struct dg_tensor *condition,
                                      const struct dg_arg *yes, const struct dg_arg *no,
                                      enum dg_type type)
{
    struct operands of = {};
    struct dg_tensor *tensors[] = {condition,
                                   yes->kind == DG_ARG_TENSOR ? yes->as.tensor : NULL,
                                   no->kind == DG_ARG_TENSOR ? no->as.tensor : NULL};
    int64_t sizes[DG_RANK_MOST];
    enum dg_status status;
    int rank;

    if (!condition)
        return dg_call_fail(call, DG_ERR_DEVICE, "a condition that is no tensor");
    of.type = dg_kept_type(call->context, type);
    of.tensors[0] = converted(call, condition, DG_TYPE_BOOL);
    if (!of.tensors[0])
        return call->err->status;
    status = dg_broadcast(call, 3, tensors, &rank, sizes);
    if (!status)
        status = take_operand(call, &of, 1, yes, NUMBERS_KEPT);
    if (!status)
        status = take_operand(call, &of, 2, no, NUMBERS_KEPT);
    if (status)
        return status;
    of.result = dg_result(call, 0, of.type, rank, sizes);
    if (!of.result)
        return call->err->status;
    status = with_number(of.type, [&](auto element) {
        using T = decltype(element);

        return map<T, truth, T, T>(call, choose(), of.result,
                                   input_tensor(of.tensors[0]), of.inputs[1],
                                   of.inputs[2]);
    });
    return status && !call->err->status ? refuse_type(call, of.type) : status;
}

enum dg_status dg_cuda_where(struct dg_call *call)
{
    struct dg_arg args[3] = {};

    dg_pointwise_operands(call, 3, args);
    return choose_elements(call, dg_arg_tensor(call, 0), &args[1], &args[2],
                           dg_common_type(&args[1], 2));
}

enum dg_status dg_cuda_masked_fill(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_arg args[3] = {};

    dg_pointwise_operands(call, 3, args);
    return choose_elements(call, dg_arg_tensor(call, 1), &args[2], &args[0],
                           self ? self->type : DG_TYPE_NONE);
}
