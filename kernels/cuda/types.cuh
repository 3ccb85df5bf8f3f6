/* Element types of kernels: how they are stored, and in which type they compute. */
#ifndef DG_KERNELS_CUDA_TYPES_CUH
#define DG_KERNELS_CUDA_TYPES_CUH

#include "base/tensor.h"
#include "kernels/cuda/platform.cuh"

struct float16 {
    uint16_t bits;
};

struct bfloat16 {
    uint16_t bits;
};

struct truth {
    uint8_t byte; /* of a file: any number */
};

/* The value of an element: f32 for floats up to 32 bits, i64 for integers. */
static __device__ inline float value_of(float16 x)
{
    return f16_value(x.bits);
}

static __device__ inline float value_of(bfloat16 x)
{
    return float_of_bits((uint32_t)x.bits << 16);
}

static __device__ inline float value_of(float x)
{
    return x;
}

static __device__ inline double value_of(double x)
{
    return x;
}

static __device__ inline int64_t value_of(truth x)
{
    return x.byte != 0;
}

#define INTEGER(type)                                                                  \
    static __device__ inline int64_t value_of(type x)                                  \
    {                                                                                  \
        return (int64_t)x;                                                             \
    }
INTEGER(uint8_t)
INTEGER(uint16_t)
INTEGER(uint32_t)
INTEGER(uint64_t)
INTEGER(int8_t)
INTEGER(int16_t)
INTEGER(int32_t)
INTEGER(int64_t)
#undef INTEGER

template <class T> using computed = decltype(value_of(T()));

/* Floats truncate to integers; what does not fit becomes the least number. */
template <class T> struct store {
    static __device__ inline T of(int64_t x)
    {
        return (T)x;
    }
    static __device__ inline T of(double x)
    {
        return (T)(x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN);
    }
};

template <> struct store<float> {
    template <class C> static __device__ inline float of(C x)
    {
        return (float)x;
    }
};

template <> struct store<double> {
    template <class C> static __device__ inline double of(C x)
    {
        return (double)x;
    }
};

template <> struct store<float16> {
    template <class C> static __device__ inline float16 of(C x)
    {
        return float16{f16_bits((float)x)};
    }
};

template <> struct store<bfloat16> {
    template <class C> static __device__ inline bfloat16 of(C x)
    {
        uint32_t bits = bits_of_float((float)x);

        if ((float)x != (float)x)
            return bfloat16{0x7fc0};
        return bfloat16{(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
    }
};

template <> struct store<truth> {
    template <class C> static __device__ inline truth of(C x)
    {
        return truth{x != 0};
    }
};

/* x as a T keeps it between steps. */
template <class T> static __device__ inline computed<T> kept(computed<T> x)
{
    return value_of(store<T>::of(x));
}

/* Call `function` with a value of the element type; what it does not take fails. */
template <class F> static enum dg_status with_float(enum dg_type type, F function)
{
    switch (type) {
    case DG_TYPE_F16:
        return function(float16());
    case DG_TYPE_BF16:
        return function(bfloat16());
    case DG_TYPE_F32:
        return function(float());
    case DG_TYPE_F64:
        return function(double());
    default:
        return DG_ERR_DEVICE;
    }
}

/* Codes of quantized tensors. */
template <class F> static enum dg_status with_codes(enum dg_type type, F function)
{
    switch (type) {
    case DG_TYPE_U8:
        return function(uint8_t());
    case DG_TYPE_I8:
        return function(int8_t());
    case DG_TYPE_I16:
        return function(int16_t());
    case DG_TYPE_I32:
        return function(int32_t());
    default:
        return DG_ERR_DEVICE;
    }
}

template <class F> static enum dg_status with_integer(enum dg_type type, F function)
{
    switch (type) {
    case DG_TYPE_BOOL:
        return function(truth());
    case DG_TYPE_U8:
        return function(uint8_t());
    case DG_TYPE_I8:
        return function(int8_t());
    case DG_TYPE_I16:
        return function(int16_t());
    case DG_TYPE_I32:
        return function(int32_t());
    case DG_TYPE_I64:
        return function(int64_t());
    default:
        return DG_ERR_DEVICE;
    }
}

template <class F> static enum dg_status with_number(enum dg_type type, F function)
{
    return dg_type_is_float(type) ? with_float(type, function)
                                  : with_integer(type, function);
}

/* Elements that are only moved: words of their size. */
template <class F> static enum dg_status with_word(enum dg_type type, F function)
{
    switch (dg_type_bytes(type)) {
    case 1:
        return function(uint8_t());
    case 2:
        return function(uint16_t());
    case 4:
        return function(uint32_t());
    default:
        return function(uint64_t());
    }
}

#endif
