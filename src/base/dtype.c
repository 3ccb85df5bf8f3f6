/* The table of element types. */
#include "base/dtype.h"

static const struct dg_dtype dtypes[] = {
    {"u8", "uint8", 1, 1, 1, 0, "ByteStorage", DG_TYPE_U8},
    {"i8", "int8", 1, 2, 2, 1, "CharStorage", DG_TYPE_I8},
    {"i16", "int16", 2, 3, 3, 2, "ShortStorage", DG_TYPE_I16},
    {"i32", "int32", 4, 4, 4, 3, "IntStorage", DG_TYPE_I32},
    {"i64", "int64", 8, 5, 5, 4, "LongStorage", DG_TYPE_I64},
    {"f16", "float16", 2, 6, 6, 5, "HalfStorage", DG_TYPE_F16},
    {"f32", "float32", 4, 7, 7, 6, "FloatStorage", DG_TYPE_F32},
    {"f64", "float64", 8, 8, 8, 7, "DoubleStorage", DG_TYPE_F64},
    {"c32", "complex32", 4, 9, 9, 8, NULL, DG_TYPE_NONE},
    {"c64", "complex64", 8, 10, 10, 9, "ComplexFloatStorage", DG_TYPE_C64},
    {"c128", "complex128", 16, 11, 11, 10, "ComplexDoubleStorage", DG_TYPE_C128},
    {"bool", "bool", 1, 12, 12, 11, "BoolStorage", DG_TYPE_BOOL},
    {"qint8", "qint8", 1, -1, -1, 12, "QInt8Storage", DG_TYPE_NONE},
    {"quint8", "quint8", 1, -1, -1, 13, "QUInt8Storage", DG_TYPE_NONE},
    {"qint32", "qint32", 4, -1, -1, 14, "QInt32Storage", DG_TYPE_NONE},
    {"bf16", "bfloat16", 2, 13, 13, 15, "BFloat16Storage", DG_TYPE_BF16},
    {"quint4x2", "quint4x2", 0, -1, -1, 16, NULL, DG_TYPE_NONE},
    {"quint2x4", "quint2x4", 0, -1, -1, 17, NULL, DG_TYPE_NONE},
    {"bits16", "bits16", 2, -1, -1, 22, NULL, DG_TYPE_NONE},
    {"f8e5m2", "float8_e5m2", 1, 30, 15, 23, NULL, DG_TYPE_F8E5M2},
    {"f8e4m3fn", "float8_e4m3fn", 1, 29, 16, 24, NULL, DG_TYPE_F8E4M3FN},
    {"f8e5m2fnuz", "float8_e5m2fnuz", 1, 32, -1, 25, NULL, DG_TYPE_F8E5M2FNUZ},
    {"f8e4m3fnuz", "float8_e4m3fnuz", 1, 31, -1, 26, NULL, DG_TYPE_F8E4M3FNUZ},
    {"f8e8m0fnu", "float8_e8m0fnu", 1, 33, -1, -1, NULL, DG_TYPE_F8E8M0FNU},
    {"u16", "uint16", 2, 28, 14, 27, NULL, DG_TYPE_U16},
    {"u32", "uint32", 4, 34, -1, 28, NULL, DG_TYPE_U32},
    {"u64", "uint64", 8, 35, -1, 29, NULL, DG_TYPE_U64},
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
