/* Floats as whole numbers in their order: how many lie between two of them. */
#include "exec/ulp.h"

#include <math.h>

#include "base/number.h"
#include "exec/compare.h"
#include "kernels/cpu/vectorize.h"

static const struct {
    int fraction, least_exponent; /* of a normal number */
} formats[] = {
    [DG_TYPE_F16] = {10, -14},       [DG_TYPE_BF16] = {7, -126},
    [DG_TYPE_F32] = {23, -126},      [DG_TYPE_F64] = {52, -1022},
    [DG_TYPE_F8E5M2] = {2, -14},     [DG_TYPE_F8E4M3FN] = {3, -6},
    [DG_TYPE_F8E5M2FNUZ] = {2, -15}, [DG_TYPE_F8E4M3FNUZ] = {3, -7},
    [DG_TYPE_F8E8M0FNU] = {0, -127}, [DG_TYPE_NONE] = {0, 0},
};

int dg_fraction_bits(enum dg_type type)
{
    bool is_float =
        dg_type_is_float(type) || (type >= DG_TYPE_F8E5M2 && type <= DG_TYPE_F8E8M0FNU);

    return is_float ? formats[type].fraction : -1;
}

double dg_ulp_at(enum dg_type type, double value)
{
    int exponent = 0;

    if (dg_fraction_bits(type) < 0)
        return 0;
    frexp(value, &exponent);
    exponent -= 1; /* frexp's numbers begin at 0.5 */
    if (value == 0 || exponent < formats[type].least_exponent)
        exponent = formats[type].least_exponent;
    return ldexp(1, exponent - formats[type].fraction);
}

/* Bits of sign and magnitude, `sign_bit` the highest, as a number that grows with the
 * value. */
static int64_t in_order(uint64_t bits, int sign_bit)
{
    uint64_t magnitude = bits & ((UINT64_C(1) << sign_bit) - 1);

    return bits >> sign_bit & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
}

static int64_t ordered_f32(double value)
{
    int32_t bits = (int32_t)dg_bits_of_float((float)value),
            magnitude = bits & INT32_MAX;

    return bits < 0 ? -magnitude : magnitude;
}

int64_t dg_ordered(enum dg_type type, double value)
{
    uint64_t bits;

    switch (type) {
    case DG_TYPE_F64:
        memcpy(&bits, &value, sizeof(bits));
        return in_order(bits, 63);
    case DG_TYPE_F32:
        return ordered_f32(value);
    case DG_TYPE_F16:
        return in_order(dg_f16_bits(value), 15);
    case DG_TYPE_BF16:
        return in_order(dg_bf16_bits(value), 15);
    case DG_TYPE_F8E8M0FNU: /* has no sign */
        return dg_f8_bits(DG_F8_E8M0FNU, value);
    default:
        return in_order(dg_f8_bits((enum dg_f8)(type - DG_TYPE_F8E5M2), value), 7);
    }
}

int64_t dg_ulp_distance(enum dg_type type, double a, double b)
{
    int64_t distance;

    if (__builtin_sub_overflow(dg_ordered(type, a), dg_ordered(type, b), &distance))
        return INT64_MAX;
    return distance < 0 ? -distance : distance;
}

static int64_t most_f32(const double *a, const double *b, int64_t n)
{
    int64_t most = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t distance = ordered_f32(a[i]) - ordered_f32(b[i]);
        bool finite = a[i] - a[i] == b[i] - b[i]; /* both are 0, or one is NaN */

        distance = distance < 0 ? -distance : distance;
        distance = finite ? distance : 0;
        most = distance > most ? distance : most;
    }
    return most;
}

int64_t dg_ulp_most(enum dg_type type, const double *a, const double *b, int64_t n)
{
    int64_t most = 0;

    if (type == DG_TYPE_F32)
        return most_f32(a, b, n);
    for (int64_t i = 0; i < n; i++) {
        bool finite = isfinite(a[i]) && isfinite(b[i]);
        int64_t distance =
            finite && a[i] != b[i] ? dg_ulp_distance(type, a[i], b[i]) : 0;

        most = distance > most ? distance : most;
    }
    return most;
}
