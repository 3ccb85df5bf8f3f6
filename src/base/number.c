/* Narrowing a double to 16 and 8 bits, and reading 8-bit floats. */
#include "base/number.h"

#include <math.h>
#include <stdbool.h>

struct form {
    int exponent, mantissa, bias; /* bits, bits */
};

static const struct form f16 = {5, 10, 15}, bf16 = {8, 7, 127};

static const struct form f8[] = {
    [DG_F8_E5M2] = {5, 2, 15},     [DG_F8_E4M3FN] = {4, 3, 7},
    [DG_F8_E5M2FNUZ] = {5, 2, 16}, [DG_F8_E4M3FNUZ] = {4, 3, 8},
    [DG_F8_E8M0FNU] = {8, 0, 127},
};

/* Exponent and mantissa of |value|, which is finite; the carry of rounding runs into
 * the exponent, and beyond the largest number into what would be infinity. */
static unsigned round_to(const struct form *form, double value)
{
    uint64_t bits, kept;
    int exponent, shift = 52 - form->mantissa;

    memcpy(&bits, &value, sizeof(bits));
    bits &= ~(UINT64_C(1) << 63);
    exponent = (int)(bits >> 52) - 1023 + form->bias;
    bits &= (UINT64_C(1) << 52) - 1;
    if (exponent >= 1 << form->exponent) /* more than any pattern, of each form */
        return 1u << (form->exponent + form->mantissa);
    if (exponent >= 1) {
        bits |= (uint64_t)exponent << 52;
    } else {
        bits |= UINT64_C(1) << 52;
        shift += 1 - exponent;
    }
    if (shift > 62)
        return 0;
    kept = bits >> shift;
    return (unsigned)((bits + (UINT64_C(1) << (shift - 1)) - 1 + (kept & 1)) >> shift);
}

static unsigned sign_of(double value, const struct form *form)
{
    return signbit(value) ? 1u << (form->exponent + form->mantissa) : 0;
}

static uint16_t ieee_bits(const struct form *form, double value)
{
    unsigned infinity = ((1u << form->exponent) - 1) << form->mantissa;
    unsigned bits = infinity;

    if (isnan(value))
        bits |= 1u << (form->mantissa - 1);
    else if (!isinf(value))
        bits = round_to(form, value);
    if (bits > infinity && !isnan(value))
        bits = infinity;
    return (uint16_t)(bits | sign_of(value, form));
}

uint16_t dg_f16_bits(double value)
{
    return ieee_bits(&f16, value);
}

uint16_t dg_bf16_bits(double value)
{
    return ieee_bits(&bf16, value);
}

/* torch does not look at the sign, which this form has no room for. */
static uint8_t power_bits(double value)
{
    int exponent;

    value = fabs(value);
    if (isnan(value) || isinf(value))
        return 0xff;
    if (frexp(value, &exponent) == 0)
        return 0;
    exponent += 126;
    /* Half of the way to the next power and more goes up; from 2^-127, all of it. */
    value = ldexp(value, 127 - exponent);
    if (exponent > 0 ? value >= 1.5 : exponent == 0 && value > 1)
        exponent++;
    return (uint8_t)(exponent < 0 ? 0 : exponent > 255 ? 255 : exponent);
}

/* Of the form that has NaN, but no infinity: what is too large becomes the largest
 * number, as in torch from 2.13 on. */
static unsigned saturated(double value, unsigned bits)
{
    enum { LARGEST = 0x7e, NOT_A_NUMBER = 0x7f };

    if (isnan(value))
        return NOT_A_NUMBER;
    return bits > LARGEST ? LARGEST : bits;
}

uint8_t dg_f8_bits(enum dg_f8 kind, double value)
{
    const struct form *form = &f8[kind];
    unsigned bits;

    if (kind == DG_F8_E8M0FNU)
        return power_bits(value);
    if (kind == DG_F8_E5M2)
        return (uint8_t)ieee_bits(form, value);
    bits = isfinite(value) ? round_to(form, value) : 0x80;
    if (kind == DG_F8_E4M3FN)
        return (uint8_t)(saturated(value, bits) | sign_of(value, form));
    /* The fnuz forms have no negative zero: its pattern is NaN, and all that is too
     * large. */
    return bits > 0x7f ? 0x80 : (uint8_t)(bits ? bits | sign_of(value, form) : 0);
}

float dg_f8_value(enum dg_f8 kind, uint8_t bits)
{
    const struct form *form = &f8[kind];
    int field = bits >> form->mantissa & ((1 << form->exponent) - 1);
    int fraction = bits & ((1 << form->mantissa) - 1);
    float size;

    if (kind == DG_F8_E8M0FNU)
        return bits == 0xff ? NAN : ldexpf(1, bits - 127);
    if (kind == DG_F8_E5M2)
        return dg_f16_value((uint16_t)(bits << 8));
    if (bits == 0x80 && kind != DG_F8_E4M3FN)
        return NAN;
    if (kind == DG_F8_E4M3FN && (bits & 0x7f) == 0x7f)
        return NAN;
    size = field ? ldexpf((float)(fraction + (1 << form->mantissa)),
                          field - form->bias - form->mantissa)
                 : ldexpf((float)fraction, 1 - form->bias - form->mantissa);
    return bits & 0x80 ? -size : size;
}
