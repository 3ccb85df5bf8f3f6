/* The table of element types. */
#include "base/dtype.h"

static const struct dg_dtype dtypes[] = {
    {"u8", "uint8", 1, 1, 1, 0, "ByteStorage"},
    {"i8", "int8", 1, 2, 2, 1, "CharStorage"},
    {"i16", "int16", 2, 3, 3, 2, "ShortStorage"},
    {"i32", "int32", 4, 4, 4, 3, "IntStorage"},
    {"i64", "int64", 8, 5, 5, 4, "LongStorage"},
    {"f16", "float16", 2, 6, 6, 5, "HalfStorage"},
    {"f32", "float32", 4, 7, 7, 6, "FloatStorage"},
    {"f64", "float64", 8, 8, 8, 7, "DoubleStorage"},
    {"c32", "complex32", 4, 9, 9, 8, NULL},
    {"c64", "complex64", 8, 10, 10, 9, "ComplexFloatStorage"},
    {"c128", "complex128", 16, 11, 11, 10, "ComplexDoubleStorage"},
    {"bool", "bool", 1, 12, 12, 11, "BoolStorage"},
    {"qint8", "qint8", 1, -1, -1, 12, "QInt8Storage"},
    {"quint8", "quint8", 1, -1, -1, 13, "QUInt8Storage"},
    {"qint32", "qint32", 4, -1, -1, 14, "QInt32Storage"},
    {"bf16", "bfloat16", 2, 13, 13, 15, "BFloat16Storage"},
    {"quint4x2", "quint4x2", 0, -1, -1, 16, NULL},
    {"quint2x4", "quint2x4", 0, -1, -1, 17, NULL},
    {"bits16", "bits16", 2, -1, -1, 22, NULL},
    {"f8e5m2", "float8_e5m2", 1, 30, 15, 23, NULL},
    {"f8e4m3fn", "float8_e4m3fn", 1, 29, 16, 24, NULL},
    {"f8e5m2fnuz", "float8_e5m2fnuz", 1, 32, -1, 25, NULL},
    {"f8e4m3fnuz", "float8_e4m3fnuz", 1, 31, -1, 26, NULL},
    {"f8e8m0fnu", "float8_e8m0fnu", 1, 33, -1, -1, NULL},
    {"u16", "uint16", 2, 28, 14, 27, NULL},
    {"u32", "uint32", 4, 34, -1, 28, NULL},
    {"u64", "uint64", 8, 35, -1, 29, NULL},
};

enum { N_DTYPES = sizeof(dtypes) / sizeof(dtypes[0]) };

#define FIND(condition)                                                                \
    do {                                                                               \
        for (const struct dg_dtype *d = dtypes; d < dtypes + N_DTYPES; d++) {          \
            if (condition)                                                             \
                return d;                                                              \
        }                                                                              \
        return NULL;                                                                   \
    } while (0)

const struct dg_dtype *dg_dtype_of_torch(int64_t code)
{
    FIND(code >= 0 && d->torch_json == code);
}

const struct dg_dtype *dg_dtype_of_exir(int64_t code)
{
    FIND(code >= 0 && d->exir_json == code);
}

const struct dg_dtype *dg_dtype_of_c10(int64_t code)
{
    FIND(code >= 0 && d->c10 == code);
}

const struct dg_dtype *dg_dtype_of_name(struct dg_text name)
{
    FIND(dg_text_is(name, d->name));
}

const struct dg_dtype *dg_dtype_of_torch_name(struct dg_text name)
{
    FIND(dg_text_is(name, d->torch));
}

const struct dg_dtype *dg_dtype_of_storage(struct dg_text name)
{
    FIND(d->storage && dg_text_is(name, d->storage));
}
