/* Floats narrower than 32 bits, as bits. Narrowing rounds once, half to even. */
#ifndef DG_BASE_NUMBER_H
#define DG_BASE_NUMBER_H

#include <stdint.h>
#include <string.h>

static inline float dg_float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint32_t dg_bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline float dg_bf16_value(uint16_t bits)
{
    return dg_float_of_bits((uint32_t)bits << 16);
}

static inline float dg_f16_value(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff;
    /* 2^112 moves the exponent from a bias of 15 to 127, subnormals included. */
    float value = dg_float_of_bits(rest << 13) * 0x1p112f;

    if (rest >= 0x7c00)
        value = dg_float_of_bits(0x7f800000 | (rest & 0x3ff) << 13);
    return dg_float_of_bits(dg_bits_of_float(value) | sign);
}

uint16_t dg_f16_bits(double value);
uint16_t dg_bf16_bits(double value);

/* The 8-bit floats as torch names them; `bias` and which patterns are special differ.
 */
enum dg_f8 { DG_F8_E5M2, DG_F8_E4M3FN, DG_F8_E5M2FNUZ, DG_F8_E4M3FNUZ, DG_F8_E8M0FNU };
float dg_f8_value(enum dg_f8 kind, uint8_t bits);
uint8_t dg_f8_bits(enum dg_f8 kind, double value);

#endif
