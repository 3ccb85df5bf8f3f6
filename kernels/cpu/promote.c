/* Which type torch computes in when the types of operands differ. */
#include "kernels/cpu/promote.h"

static enum dg_type wider(enum dg_type a, enum dg_type b)
{
    return dg_type_bytes(a) >= dg_type_bytes(b) ? a : b;
}

static enum dg_type promote_integers(enum dg_type a, enum dg_type b)
{
    if (a > DG_TYPE_I64 || b > DG_TYPE_I64)
        return DG_TYPE_NONE;
    if ((a == DG_TYPE_U8 && b == DG_TYPE_I8) || (a == DG_TYPE_I8 && b == DG_TYPE_U8))
        return DG_TYPE_I16;
    return wider(a, b);
}

static enum dg_type promote_floats(enum dg_type a, enum dg_type b)
{
    return dg_type_bytes(a) == 2 && dg_type_bytes(b) == 2 ? DG_TYPE_F32 : wider(a, b);
}

enum dg_type dg_promote(enum dg_type a, enum dg_type b)
{
    if (a == b || b == DG_TYPE_NONE)
        return a;
    if (a == DG_TYPE_NONE)
        return b;
    if (a >= DG_TYPE_F8E5M2 || b >= DG_TYPE_F8E5M2)
        return DG_TYPE_NONE;
    if (dg_type_is_float(a))
        return dg_type_is_float(b) ? promote_floats(a, b) : a;
    if (dg_type_is_float(b) || a == DG_TYPE_BOOL)
        return b;
    return b == DG_TYPE_BOOL ? a : promote_integers(a, b);
}

enum dg_type dg_number_type(const struct dg_arg *number)
{
    switch (number->kind) {
    case DG_ARG_INT:
        return DG_TYPE_I64;
    case DG_ARG_FLOAT:
        return DG_TYPE_F32;
    case DG_ARG_BOOL:
        return DG_TYPE_BOOL;
    default:
        return DG_TYPE_NONE;
    }
}

/* `high` unless `low` is of a category above it. */
static enum dg_type combine(enum dg_type high, enum dg_type low)
{
    if (high == DG_TYPE_NONE || low == DG_TYPE_NONE)
        return high == DG_TYPE_NONE ? low : high;
    if (high == DG_TYPE_BOOL || (dg_type_is_float(low) && !dg_type_is_float(high)))
        return dg_promote(high, low);
    return high;
}

enum dg_type dg_common_type(const struct dg_arg *args, size_t n_args)
{
    enum dg_type tensors = DG_TYPE_NONE, points = DG_TYPE_NONE, numbers = DG_TYPE_NONE;

    for (size_t i = 0; i < n_args; i++) {
        const struct dg_tensor *tensor = args[i].as.tensor;

        if (args[i].kind != DG_ARG_TENSOR)
            numbers = dg_promote(numbers, dg_number_type(&args[i]));
        else if (tensor->rank)
            tensors = dg_promote(tensors, tensor->type);
        else
            points = dg_promote(points, tensor->type);
    }
    return combine(tensors, combine(points, numbers));
}
