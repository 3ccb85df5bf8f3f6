/* Which type torch computes in when the types of operands differ. */
#include "kernels/cpu/promote.h"

enum dg_type dg_number_type(const struct dg_arg *number)
{
    switch (number->kind) {
    case DG_ARG_INT:
        return DG_TYPE_I64;
    case DG_ARG_FLOAT:
        return DG_TYPE_F32;
    case DG_ARG_BOOL:
        return DG_TYPE_BOOL;
    case DG_ARG_COMPLEX:
        return DG_TYPE_C64;
    default:
        return DG_TYPE_NONE;
    }
}

struct dg_tensor *dg_number_tensor(const struct dg_arg *number)
{
    enum dg_type type = number->kind == DG_ARG_COMPLEX ? DG_TYPE_C128
                        : number->kind == DG_ARG_FLOAT ? DG_TYPE_F64
                                                       : DG_TYPE_I64;

    return dg_tensor_over(type, 0, NULL, &number->as);
}

static bool is_f8(enum dg_type type)
{
    return type >= DG_TYPE_F8E5M2 && type <= DG_TYPE_F8E8M0FNU;
}

static int category(enum dg_type type)
{
    if (dg_type_is_complex(type))
        return 3;
    if (dg_type_is_float(type) || is_f8(type))
        return 2;
    return type == DG_TYPE_BOOL ? 0 : 1;
}

/* `high` unless `low` is of a category above it. */
static enum dg_type combine(enum dg_type high, enum dg_type low)
{
    if (high == DG_TYPE_NONE || low == DG_TYPE_NONE)
        return high == DG_TYPE_NONE ? low : high;
    return category(low) > category(high) ? dg_promote(high, low) : high;
}

/* Whether a tensor of f8 has another with it: torch knows no type for both, be it that
 * one of the two is 0-d and of a lower category. */
static bool mixes_f8(const struct dg_arg *args, size_t n_args)
{
    const struct dg_tensor *first = NULL;
    bool f8 = false, mixed = false;

    for (size_t i = 0; i < n_args; i++) {
        const struct dg_tensor *tensor = args[i].as.tensor;

        if (args[i].kind != DG_ARG_TENSOR)
            continue;
        f8 |= is_f8(tensor->type);
        mixed |= first && first->type != tensor->type && !first->rank == !tensor->rank;
        first = first ? first : tensor;
    }
    return f8 && mixed;
}

enum dg_type dg_common_type(const struct dg_arg *args, size_t n_args)
{
    enum dg_type tensors = DG_TYPE_NONE, points = DG_TYPE_NONE, numbers = DG_TYPE_NONE;

    if (mixes_f8(args, n_args))
        return DG_TYPE_NONE;
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
