/* Integers: bits, of bools as well, and common divisors. */
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/promote.h"

#define INTEGERS(name, value)                                                          \
    DG_LINE(int64_t, name##_integer, DG_XY, value)                                     \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(                                                           \
            call, &(struct dg_pointwise){2, DG_PROMOTED, NULL, name##_integer});       \
    }

INTEGERS(bitwise_and, x &y)
INTEGERS(bitwise_or, x | y)
INTEGERS(bitwise_xor, x ^ y)

static uint64_t size_of(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static int64_t common_divisor(int64_t x, int64_t y)
{
    uint64_t a = size_of(x), b = size_of(y);

    while (a) {
        uint64_t rest = b % a;

        b = a;
        a = rest;
    }
    return (int64_t)b;
}

static int64_t common_multiple(int64_t x, int64_t y)
{
    int64_t divisor = common_divisor(x, y);

    return divisor ? (int64_t)size_of(dg_wrap_mul(x / divisor, y)) : 0;
}

INTEGERS(gcd, common_divisor(x, y))
INTEGERS(lcm, common_multiple(x, y))

/* p[0] is the width of the type, p[1] the farthest a right shift goes. */
DG_LINE(int64_t, left_integer, DG_XY,
        y < 0 || y >= p[0] ? 0 : (int64_t)((uint64_t)x << y))
DG_LINE(int64_t, right_integer, DG_XY, x >> (y < 0 || y >= p[1] ? p[1] : y))

static enum dg_status shift(struct dg_call *call, dg_integer_line *line)
{
    struct dg_parameters widths = {0};
    struct dg_arg operands[2];
    enum dg_type type;

    dg_pointwise_operands(call, 2, operands);
    type = dg_common_type(operands, 2);
    widths.integer[0] = 8 * (int64_t)dg_type_bytes(type);
    widths.integer[1] = widths.integer[0] - (type != DG_TYPE_U8);
    return dg_pointwise_of(call, &(struct dg_pointwise){2, DG_PROMOTED, NULL, line},
                           operands, &widths);
}

enum dg_status dg_cpu_shift_left(struct dg_call *call)
{
    return shift(call, left_integer);
}

enum dg_status dg_cpu_shift_right(struct dg_call *call)
{
    return shift(call, right_integer);
}

/* All bits of an integer, the one of a bool. */
DG_LINE(int64_t, not_integer, DG_X, x ^ p[0])

enum dg_status dg_cpu_bitwise_not(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_parameters mask = {
        .integer = {self && self->type == DG_TYPE_BOOL ? 1 : -1}};
    struct dg_arg operand;

    dg_pointwise_operands(call, 1, &operand);
    return dg_pointwise_of(call,
                           &(struct dg_pointwise){1, DG_PROMOTED, NULL, not_integer},
                           &operand, &mask);
}
