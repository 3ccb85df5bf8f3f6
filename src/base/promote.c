/* Which type torch computes in when the types of two tensors differ. */
#include "base/promote.h"

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

/* With anything that arithmetic knows. */
static enum dg_type promote_complex(enum dg_type a, enum dg_type b)
{
    enum dg_type part = dg_type_part(a), other = dg_type_part(b);

    return part == DG_TYPE_F64 || other == DG_TYPE_F64 ? DG_TYPE_C128 : DG_TYPE_C64;
}

static bool is_stored_only(enum dg_type type)
{
    return type >= DG_TYPE_F8E5M2 && type <= DG_TYPE_F8E8M0FNU;
}

enum dg_type dg_promote(enum dg_type a, enum dg_type b)
{
    if (a == b || b == DG_TYPE_NONE)
        return a;
    if (a == DG_TYPE_NONE)
        return b;
    if (is_stored_only(a) || is_stored_only(b))
        return DG_TYPE_NONE;
    if (dg_type_is_complex(a) || dg_type_is_complex(b))
        return promote_complex(a, b);
    if (dg_type_is_float(a))
        return dg_type_is_float(b) ? promote_floats(a, b) : a;
    if (dg_type_is_float(b) || a == DG_TYPE_BOOL)
        return b;
    return b == DG_TYPE_BOOL ? a : promote_integers(a, b);
}
