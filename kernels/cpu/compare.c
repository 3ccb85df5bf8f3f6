/* Comparisons and logic: tensors of bool. */
#include "kernels/cpu/pointwise.h"

#define COMPARISON(name, value)                                                        \
    DG_LINE(double, name##_real, DG_XY, value)                                         \
    DG_LINE(int64_t, name##_integer, DG_XY, value)                                     \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(                                                           \
            call, &(struct dg_pointwise){2, DG_TRUTH, name##_real, name##_integer});   \
    }

COMPARISON(eq, x == y)
COMPARISON(ge, x >= y)
COMPARISON(gt, x > y)
COMPARISON(le, x <= y)
COMPARISON(lt, x < y)
COMPARISON(ne, x != y)
COMPARISON(logical_and, x != 0 && y != 0)
COMPARISON(logical_or, x != 0 || y != 0)
COMPARISON(logical_xor, (x != 0) != (y != 0))

/* Bounds of the distance are the numbers behind the operands: rtol, atol, equal_nan. */
static inline bool is_close(double x, double y, const double *p)
{
    double distance = x > y ? x - y : y - x, size = y < 0 ? -y : y;

    if (x == y || (p[2] != 0 && x != x && y != y))
        return true;
    return distance - distance == 0 && distance <= p[1] + p[0] * size;
}

DG_LINE(double, isclose_real, DG_XY, is_close(x, y, p))
DG_LINE(int64_t, isclose_integer, DG_XY, x == y)

enum dg_status dg_cpu_isclose(struct dg_call *call)
{
    return dg_pointwise(
        call, &(struct dg_pointwise){2, DG_TRUTH, isclose_real, isclose_integer, 3});
}
