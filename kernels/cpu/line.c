/* Lines of elements to and from f64 or i64. */
#include "kernels/cpu/line.h"

#include <math.h>

#include "base/number.h"
#include "kernels/cpu/vectorize.h"

#define LOAD(TYPE, CTYPE, value)                                                       \
    case TYPE: {                                                                       \
        const CTYPE *restrict p = from;                                                \
        if (stride == 1) {                                                             \
            for (int64_t i = 0; i < n; i++) {                                          \
                CTYPE x = p[i];                                                        \
                to[i] = value;                                                         \
            }                                                                          \
        } else {                                                                       \
            for (int64_t i = 0; i < n; i++) {                                          \
                CTYPE x = p[i * stride];                                               \
                to[i] = value;                                                         \
            }                                                                          \
        }                                                                              \
        break;                                                                         \
    }

#define STORE(TYPE, CTYPE, value)                                                      \
    case TYPE: {                                                                       \
        CTYPE *restrict p = to;                                                        \
        if (stride == 1) {                                                             \
            for (int64_t i = 0; i < n; i++)                                            \
                p[i] = value;                                                          \
        } else {                                                                       \
            for (int64_t i = 0; i < n; i++)                                            \
                p[i * stride] = value;                                                 \
        }                                                                              \
        break;                                                                         \
    }

/* A C cast of what does not fit is undefined: such numbers become the least one, as on
 * x86. */
static int64_t truncated(double value)
{
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

static uint64_t truncated_unsigned(double value)
{
    return value >= 0x1p63 && value < 0x1p64 ? (uint64_t)value
                                             : (uint64_t)truncated(value);
}

/* Of a complex number the real part is what a cast to a real one keeps. */
struct c64 {
    float real, imag;
};

struct c128 {
    double real, imag;
};

#define COMPLEX(EACH, value)                                                           \
    EACH(DG_TYPE_C64, struct c64, value)                                               \
    EACH(DG_TYPE_C128, struct c128, value)

#define INTEGERS(EACH, value)                                                          \
    EACH(DG_TYPE_U8, uint8_t, value)                                                   \
    EACH(DG_TYPE_I8, int8_t, value)                                                    \
    EACH(DG_TYPE_I16, int16_t, value)                                                  \
    EACH(DG_TYPE_I32, int32_t, value)                                                  \
    EACH(DG_TYPE_I64, int64_t, value)                                                  \
    EACH(DG_TYPE_U16, uint16_t, value)                                                 \
    EACH(DG_TYPE_U32, uint32_t, value)

#define F8(EACH, code)                                                                 \
    EACH(DG_TYPE_F8E5M2, uint8_t, code(DG_F8_E5M2))                                    \
    EACH(DG_TYPE_F8E4M3FN, uint8_t, code(DG_F8_E4M3FN))                                \
    EACH(DG_TYPE_F8E5M2FNUZ, uint8_t, code(DG_F8_E5M2FNUZ))                            \
    EACH(DG_TYPE_F8E4M3FNUZ, uint8_t, code(DG_F8_E4M3FNUZ))                            \
    EACH(DG_TYPE_F8E8M0FNU, uint8_t, code(DG_F8_E8M0FNU))

#define READ_F8(kind) dg_f8_value(kind, x)
#define READ_F8_TRUNCATED(kind) truncated((double)dg_f8_value(kind, x))
#define WRITE_F8(kind) dg_f8_bits(kind, (double)from[i])

#define LOAD_REALS(name, scalar, attributes)                                           \
    attributes static void name(scalar *to, enum dg_type type, const void *from,       \
                                int64_t stride, int64_t n)                             \
    {                                                                                  \
        switch (type) {                                                                \
            LOAD(DG_TYPE_F64, double, (scalar)x)                                       \
            LOAD(DG_TYPE_F32, float, (scalar)x)                                        \
            LOAD(DG_TYPE_F16, uint16_t, (scalar)dg_f16_value(x))                       \
            LOAD(DG_TYPE_BF16, uint16_t, (scalar)dg_bf16_value(x))                     \
            LOAD(DG_TYPE_BOOL, uint8_t, x != 0)                                        \
            LOAD(DG_TYPE_U64, uint64_t, (scalar)(double)x)                             \
            INTEGERS(LOAD, (scalar)(double)x)                                          \
            F8(LOAD, (scalar)READ_F8)                                                  \
            COMPLEX(LOAD, (scalar)x.real)                                              \
        case DG_TYPE_NONE:                                                             \
            break;                                                                     \
        }                                                                              \
    }

#define STORE_REALS(name, attributes)                                                  \
    attributes static void name(enum dg_type type, void *to, int64_t stride,           \
                                const double *from, int64_t n)                         \
    {                                                                                  \
        switch (type) {                                                                \
            STORE(DG_TYPE_F64, double, from[i])                                        \
            STORE(DG_TYPE_F32, float, (float)from[i])                                  \
            STORE(DG_TYPE_F16, uint16_t, dg_f16_bits(from[i]))                         \
            STORE(DG_TYPE_BF16, uint16_t, dg_bf16_bits(from[i]))                       \
            STORE(DG_TYPE_BOOL, uint8_t, from[i] != 0)                                 \
            STORE(DG_TYPE_U64, uint64_t, truncated_unsigned(from[i]))                  \
            STORE(DG_TYPE_U8, uint8_t, (uint8_t)truncated(from[i]))                    \
            STORE(DG_TYPE_I8, int8_t, (int8_t)truncated(from[i]))                      \
            STORE(DG_TYPE_I16, int16_t, (int16_t)truncated(from[i]))                   \
            STORE(DG_TYPE_I32, int32_t, (int32_t)truncated(from[i]))                   \
            STORE(DG_TYPE_I64, int64_t, truncated(from[i]))                            \
            STORE(DG_TYPE_U16, uint16_t, (uint16_t)truncated(from[i]))                 \
            STORE(DG_TYPE_U32, uint32_t, (uint32_t)truncated(from[i]))                 \
            F8(STORE, WRITE_F8)                                                        \
            STORE(DG_TYPE_C64, struct c64, ((struct c64){(float)from[i], 0}))          \
            STORE(DG_TYPE_C128, struct c128, ((struct c128){(double)from[i], 0}))      \
        case DG_TYPE_NONE:                                                             \
            break;                                                                     \
        }                                                                              \
    }

#define REALS(width, attributes)                                                       \
    LOAD_REALS(load_f64_##width, double, attributes)                                   \
    LOAD_REALS(load_f32_##width, float, attributes)                                    \
    STORE_REALS(store_f64_##width, attributes)

REALS(narrow, )
#ifdef DG_AVX2
REALS(avx2, DG_AVX2)
#endif

void dg_load_f64(double *to, enum dg_type type, const void *from, int64_t stride,
                 int64_t n)
{
    DG_WIDEST(load_f64)(to, type, from, stride, n);
}

void dg_load_f32(float *to, enum dg_type type, const void *from, int64_t stride,
                 int64_t n)
{
    DG_WIDEST(load_f32)(to, type, from, stride, n);
}

void dg_store_f64(enum dg_type type, void *to, int64_t stride, const double *from,
                  int64_t n)
{
    DG_WIDEST(store_f64)(type, to, stride, from, n);
}

void dg_load_i64(int64_t *to, enum dg_type type, const void *from, int64_t stride,
                 int64_t n)
{
    switch (type) {
        LOAD(DG_TYPE_F64, double, truncated(x))
        LOAD(DG_TYPE_F32, float, truncated((double)x))
        LOAD(DG_TYPE_F16, uint16_t, truncated((double)dg_f16_value(x)))
        LOAD(DG_TYPE_BF16, uint16_t, truncated((double)dg_bf16_value(x)))
        LOAD(DG_TYPE_BOOL, uint8_t, x != 0)
        LOAD(DG_TYPE_U64, uint64_t, (int64_t)x)
        INTEGERS(LOAD, (int64_t)x)
        F8(LOAD, READ_F8_TRUNCATED)
        COMPLEX(LOAD, truncated((double)x.real))
    case DG_TYPE_NONE:
        break;
    }
}

void dg_store_i64(enum dg_type type, void *to, int64_t stride, const int64_t *from,
                  int64_t n)
{
    switch (type) {
        STORE(DG_TYPE_F64, double, (double)from[i])
        STORE(DG_TYPE_F32, float, (float)from[i])
        STORE(DG_TYPE_F16, uint16_t, dg_f16_bits((float)from[i]))
        STORE(DG_TYPE_BF16, uint16_t, dg_bf16_bits((float)from[i]))
        STORE(DG_TYPE_BOOL, uint8_t, from[i] != 0)
        STORE(DG_TYPE_U8, uint8_t, (uint8_t)from[i])
        STORE(DG_TYPE_I8, int8_t, (int8_t)from[i])
        STORE(DG_TYPE_I16, int16_t, (int16_t)from[i])
        STORE(DG_TYPE_I32, int32_t, (int32_t)from[i])
        STORE(DG_TYPE_I64, int64_t, from[i])
        STORE(DG_TYPE_U16, uint16_t, (uint16_t)from[i])
        STORE(DG_TYPE_U32, uint32_t, (uint32_t)from[i])
        STORE(DG_TYPE_U64, uint64_t, (uint64_t)from[i])
        F8(STORE, WRITE_F8)
        STORE(DG_TYPE_C64, struct c64, ((struct c64){(float)from[i], 0}))
        STORE(DG_TYPE_C128, struct c128, ((struct c128){(double)from[i], 0}))
    case DG_TYPE_NONE:
        break;
    }
}

static const void *element(const struct dg_tensor *tensor, int64_t offset)
{
    return (const char *)dg_tensor_data(tensor) +
           offset * (int64_t)dg_type_bytes(tensor->type);
}

double dg_get_f64(const struct dg_tensor *tensor, int64_t element_offset)
{
    double value = 0;

    dg_load_f64(&value, tensor->type, element(tensor, element_offset), 1, 1);
    return value;
}

int64_t dg_get_i64(const struct dg_tensor *tensor, int64_t element_offset)
{
    int64_t value = 0;

    dg_load_i64(&value, tensor->type, element(tensor, element_offset), 1, 1);
    return value;
}

#define LOAD_PARTS(TYPE, CTYPE)                                                        \
    case TYPE: {                                                                       \
        const CTYPE *p = from;                                                         \
        for (int64_t i = 0; i < n; i++) {                                              \
            parts[2 * i] = (double)p[i * stride].real;                                 \
            parts[2 * i + 1] = (double)p[i * stride].imag;                             \
        }                                                                              \
        break;                                                                         \
    }

void dg_load_complex(double _Complex *to, enum dg_type type, const void *from,
                     int64_t stride, int64_t n)
{
    double *parts = (double *)to;

    switch (type) {
        LOAD_PARTS(DG_TYPE_C64, struct c64)
        LOAD_PARTS(DG_TYPE_C128, struct c128)
    default:
        dg_load_f64(parts, type, from, stride, n);
        for (int64_t i = n - 1; i >= 0; i--) {
            parts[2 * i] = parts[i];
            parts[2 * i + 1] = 0;
        }
    }
}

#define STORE_PARTS(TYPE, CTYPE, PART)                                                 \
    case TYPE: {                                                                       \
        CTYPE *p = to;                                                                 \
        for (int64_t i = 0; i < n; i++)                                                \
            p[i * stride] = (CTYPE){(PART)parts[2 * i], (PART)parts[2 * i + 1]};       \
        break;                                                                         \
    }

void dg_store_complex(enum dg_type type, void *to, int64_t stride,
                      const double _Complex *from, int64_t n)
{
    const double *parts = (const double *)from;

    switch (type) {
        STORE_PARTS(DG_TYPE_C64, struct c64, float)
        STORE_PARTS(DG_TYPE_C128, struct c128, double)
    default:
        for (int64_t i = 0; i < n; i++)
            dg_store_f64(type, (char *)to + (size_t)(i * stride) * dg_type_bytes(type),
                         1, &parts[2 * i], 1);
    }
}
