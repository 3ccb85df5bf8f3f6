/* Shifts of integers. */
#include "kernels/cuda/pointwise.cuh"

/* p[0] is the width of the type, p[1] the farthest a right shift goes. */
FUNCTION(shifted_left, auto, (C x, C y),
         y < 0 || y >= p[0] ? C(0) : (C)((uint64_t)x << y))
FUNCTION(shifted_right, auto, (C x, C y), x >> (y < 0 || y >= p[1] ? p[1] : y))

template <template <class> class F> static enum dg_status shift(struct dg_call *call)
{
    struct dg_arg args[4] = {};
    struct dg_call inner = *call;
    enum dg_type type;

    dg_pointwise_operands(call, 2, args);
    type = dg_common_type(args, 2);
    args[2].kind = args[3].kind = DG_ARG_INT;
    args[2].as.integer = 8 * (int64_t)dg_type_bytes(type);
    args[3].as.integer = args[2].as.integer - (type != DG_TYPE_U8);
    inner.args = args;
    inner.n_args = 4;
    return pointwise<F, 2, DG_PROMOTED, TAKES_INTEGERS>(&inner, args, NUMBERS_KEPT);
}

enum dg_status dg_cuda_shift_left(struct dg_call *call)
{
    return shift<shifted_left>(call);
}

enum dg_status dg_cuda_shift_right(struct dg_call *call)
{
    return shift<shifted_right>(call);
}
