/* A choice between values by a mask. */
#include "kernels/cpu/pointwise.h"

DG_LINE(double, where_real, DG_XYZ, x != 0 ? y : z)
DG_LINE(int64_t, where_integer, DG_XYZ, x != 0 ? y : z)

enum dg_status dg_cpu_where(struct dg_call *call)
{
    return dg_pointwise(call, &(struct dg_pointwise){3, DG_PROMOTED, where_real,
                                                     where_integer, .typed_by = 6});
}

/* self, mask, value: the value is converted to the type of self. */
DG_LINE(double, masked_fill_real, DG_XYZ, y != 0 ? z : x)
DG_LINE(int64_t, masked_fill_integer, DG_XYZ, y != 0 ? z : x)

enum dg_status dg_cpu_masked_fill(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_arg operands[3];

    dg_pointwise_operands(call, 3, operands);
    if (self && self->type == DG_TYPE_BOOL && operands[2].kind == DG_ARG_FLOAT)
        operands[2] =
            (struct dg_arg){DG_ARG_BOOL, .as.integer = operands[2].as.real != 0};
    return dg_pointwise_of(call,
                           &(struct dg_pointwise){3, DG_PROMOTED, masked_fill_real,
                                                  masked_fill_integer, .typed_by = 1},
                           operands, &(struct dg_parameters){0});
}
