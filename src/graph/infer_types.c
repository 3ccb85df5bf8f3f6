/* Types of operands and results. */
#include <string.h>

#include "base/dtype.h"
#include "base/promote.h"
#include "graph/infer_parts.h"

/* What types an operand may have: indices, masks and conditions have their own. */
static unsigned accepted(const struct dg_infer_row *row, const struct dg_op_arg *arg)
{
    static const struct {
        const char *name;
        unsigned accepts;
    } own[] = {
        {"index", DG_BIT(I64) | DG_BIT(I32)},
        {"indices", DG_BIT(I64) | DG_BIT(I32) | DG_BIT(U8) | DG_BIT(BOOL)},
        {"condition", DG_BIT(BOOL) | DG_BIT(U8)},
        {"mask", DG_BIT(BOOL)},
    };

    for (size_t i = 0; arg && !arg->is_out && i < sizeof(own) / sizeof(*own); i++) {
        if (dg_infer_is_named(arg, own[i].name))
            return own[i].accepts;
    }
    return row->accepts;
}

struct types {
    const struct dg_infer_row *row;
    const struct dg_known *wrong; /* the first that the kernel does not know */
    enum dg_type first, common;   /* of the operands; NONE: not known */
    enum dg_type cast_to;
    const struct dg_known *uncastable, *unequal;
    unsigned complex; /* bytes of an element, of whose type no more is known; 0 */
};

static bool can_cast(enum dg_type from, enum dg_type to)
{
    if (dg_type_is_float(from) && !dg_type_is_float(to))
        return false;
    return from == DG_TYPE_BOOL || to != DG_TYPE_BOOL;
}

static bool is_among(const struct dg_known_tensor *tensor, unsigned accepts)
{
    if (accepts == (unsigned)DG_INFER_ANYTHING)
        return true;
    if (tensor->complex)
        return (accepts & DG_INFER_COMPLEX) != 0;
    return tensor->type != DG_TYPE_NONE && accepts >> tensor->type & 1;
}

static void look_at_type(void *context, const struct dg_known *known,
                         const struct dg_op_arg *arg)
{
    struct types *types = context;
    enum dg_type type = known->as.tensor->type;
    unsigned accepts = accepted(types->row, arg);

    if (!types->wrong && !is_among(known->as.tensor, accepts))
        types->wrong = known;
    if (accepts != types->row->accepts)
        return;
    if (types->first == DG_TYPE_NONE)
        types->first = type;
    if (!types->complex)
        types->complex = known->as.tensor->complex;
    types->common = dg_promote(types->common, type);
    if (types->first != type && !types->unequal)
        types->unequal = known;
    if (types->cast_to != DG_TYPE_NONE && !can_cast(type, types->cast_to) &&
        !types->uncastable)
        types->uncastable = known;
}

/* What torch computes in, of a tensor of this type and a number. */
static enum dg_type with(const struct dg_known *number, enum dg_type type)
{
    if (!number || number->kind == DG_ARG_UNKNOWN || type == DG_TYPE_NONE)
        return DG_TYPE_NONE;
    if (number->kind == DG_ARG_FLOAT)
        return dg_type_is_float(type) ? type : DG_TYPE_F32;
    if (number->kind == DG_ARG_INT && type == DG_TYPE_BOOL)
        return DG_TYPE_I64;
    return type;
}

static enum dg_type with_number(const struct dg_infer_call *call, enum dg_type type)
{
    const struct dg_known *number = dg_infer_arg(call, "other");

    return with(number ? number : dg_infer_arg(call, "exponent"), type);
}

/* Likewise of the bounds that there are. */
static enum dg_type with_bounds(const struct dg_infer_call *call, enum dg_type type)
{
    static const char *const names[] = {"min", "max"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const struct dg_known *bound = dg_infer_arg(call, names[i]);

        if (!bound || bound->kind != DG_ARG_NONE)
            type = with(bound, type);
    }
    return type;
}

/* Whether a result may have this type. */
static bool gives(const struct dg_infer_call *call, const struct types *types,
                  enum dg_type type)
{
    enum dg_infer_types asks = call->op->row->types;
    enum dg_type common = types->common, number = DG_TYPE_NONE;

    if (asks == BOUNDED)
        number = with_bounds(call, types->first);
    else if (asks == NUMBER || asks == NUMBER_CAST)
        number = with_number(call, types->first);
    switch (asks) {
    case SAME_INDEX:
        return type == (call->out ? DG_TYPE_I64 : types->first);
    case SAME:
    case EQUAL:
        return type == types->first || types->first == DG_TYPE_NONE;
    case CASTS:
        return !types->uncastable;
    case CAST:
    case SIZE_CAST:
        return common == DG_TYPE_NONE || can_cast(common, type);
    case COMMON:
        return common == DG_TYPE_NONE || common == type;
    case NUMBER:
    case BOUNDED:
        return number == DG_TYPE_NONE || number == type;
    case NUMBER_CAST:
        return number == DG_TYPE_NONE || can_cast(number, type);
    case TRUTH:
        return type == DG_TYPE_BOOL;
    case TRUTH_OR_U8:
        return type == DG_TYPE_BOOL || type == DG_TYPE_U8;
    case INDEX:
        return type == DG_TYPE_I64;
    case REAL:
        return dg_type_is_float(type) && type <= DG_TYPE_F64;
    default:
        return true;
    }
}

static const char *name_of(enum dg_type type, unsigned complex)
{
    return complex == 4    ? "c32"
           : complex == 8  ? "c64"
           : complex == 16 ? "c128"
                           : dg_type_name(type);
}

static enum dg_misfit refuse_type(const struct dg_infer_call *call,
                                  const struct dg_known *known)
{
    const struct dg_known_tensor *tensor = known->as.tensor;

    dg_print(call->why, "does not take value %lld of type %s", (long long)known->idx,
             tensor->type == DG_TYPE_NONE && !tensor->complex
                 ? "that it does not know"
                 : name_of(tensor->type, tensor->complex));
    return DG_MISFIT_TYPE;
}

static enum dg_misfit refuse_result(const struct dg_infer_call *call,
                                    const struct types *types,
                                    const struct dg_known *known)
{
    bool numbers = types->first == DG_TYPE_NONE && !types->complex;

    dg_print(call->why, "of %s does not give %s, which value %lld is declared as",
             numbers ? "numbers" : name_of(types->first, types->complex),
             name_of(known->as.tensor->type, known->as.tensor->complex),
             (long long)known->idx);
    return DG_MISFIT_TYPE;
}

static bool is_known(const struct dg_known *known)
{
    for (size_t i = 0; known->kind == DG_ARG_LIST && i < known->as.list.n_items; i++) {
        if (known->as.list.items[i].kind == DG_ARG_UNKNOWN)
            return false;
    }
    return known->kind != DG_ARG_UNKNOWN;
}

/* A moved or unknown operand leaves open what the others amount to. */
static bool all_known(const struct dg_infer_call *call)
{
    for (size_t i = 0; i < call->op->n_inputs; i++) {
        if (!is_known(&call->args[i]) &&
            !strncmp(call->op->args[i].type, "Tensor", strlen("Tensor")))
            return false;
    }
    return true;
}

/* Whether elements of one type can be copied into another where one is complex: between
 * real and complex numbers a kernel knows three floats, and of two complex types it
 * reads and writes both as the first, which spoils the memory behind the result. */
static bool copies(const struct types *types, const struct dg_known_tensor *result)
{
    static const unsigned parts = DG_BIT(F16) | DG_BIT(F32) | DG_BIT(F64);

    if (types->complex && result->complex)
        return types->complex == result->complex;
    return parts >> (types->complex ? result->type : types->first) & 1;
}

/* The number of the type that the program asks for; NULL: it does not say. */
static const int64_t *asked_type(const struct dg_infer_call *call)
{
    const struct dg_known *asked = dg_infer_arg(call, "dtype");

    return asked && asked->kind == DG_ARG_INT ? &asked->as.integer : NULL;
}

static enum dg_misfit fits_complex(const struct dg_infer_call *call,
                                   const struct types *types,
                                   const struct dg_known *known)
{
    const struct dg_known_tensor *result = known->as.tensor;
    enum dg_infer_types row = call->op->row->types;

    if ((row == COPIED && !copies(types, result)) ||
        (row == CAST && types->complex && !result->complex))
        return refuse_result(call, types, known);
    return (row == SAME || row == EQUAL) && types->complex != result->complex
               ? refuse_type(call, known)
               : DG_FITS;
}

/* Of no elements nothing is copied, and no type looked at. */
static bool is_empty(const struct dg_known *known)
{
    for (int i = 0; known->kind == DG_ARG_TENSOR && i < known->as.tensor->rank; i++) {
        if (!known->as.tensor->sizes[i])
            return true;
    }
    return false;
}

/* The factor of a sum is cast to what is computed in, and a bool is none of other
 * types. */
static enum dg_misfit fits_factor(const struct dg_infer_call *call,
                                  const struct types *types)
{
    const struct dg_known *alpha = dg_infer_arg(call, "alpha");
    enum dg_type common = call->op->row->types == CAST ? types->common
                          : call->op->row->types == NUMBER
                              ? with_number(call, types->first)
                              : DG_TYPE_NONE;
    bool refused = alpha && common != DG_TYPE_NONE &&
                   ((alpha->kind == DG_ARG_BOOL && common != DG_TYPE_BOOL) ||
                    (alpha->kind == DG_ARG_FLOAT && !dg_type_is_float(common)));

    if (!refused)
        return DG_FITS;
    dg_print(call->why, "of %s does not take a %s as alpha", dg_type_name(common),
             alpha->kind == DG_ARG_BOOL ? "bool" : "float");
    return DG_MISFIT_TYPE;
}

enum dg_misfit dg_infer_types(const struct dg_infer_call *call)
{
    const struct dg_known *known = dg_infer_result(call);
    const struct dg_infer_row *row = call->op->row;
    struct types types = {row,          NULL, DG_TYPE_NONE, DG_TYPE_NONE,
                          DG_TYPE_NONE, NULL, NULL};
    const int64_t *number = asked_type(call);
    const struct dg_dtype *asked = number ? dg_dtype_of_c10(*number) : NULL;
    enum dg_type type;

    if (row->types == COPIED && is_empty(known))
        return DG_FITS;
    if (known->kind == DG_ARG_TENSOR && row->types == CASTS)
        types.cast_to = known->as.tensor->type;
    dg_infer_visit(call, 0, call->op->n_inputs, look_at_type, &types);
    if (types.wrong)
        return refuse_type(call, types.wrong);
    if (row->types == EQUAL && types.unequal)
        return refuse_type(call, types.unequal);
    if (number && !asked) {
        dg_print(call->why, "asks for dtype %lld, which there is not",
                 (long long)*number);
        return DG_MISFIT_TYPE;
    }
    if (known->kind != DG_ARG_TENSOR || !all_known(call))
        return DG_FITS;
    if (fits_factor(call, &types))
        return DG_MISFIT_TYPE;
    type = known->as.tensor->type;
    if (!is_among(known->as.tensor, row->accepts | DG_INFER_REALS))
        return refuse_type(call, known);
    if (types.complex || known->as.tensor->complex)
        return fits_complex(call, &types, known);
    if (gives(call, &types, type) &&
        (dg_type_of(asked) == DG_TYPE_NONE || asked->type == type))
        return DG_FITS;
    return refuse_result(call, &types, known);
}
