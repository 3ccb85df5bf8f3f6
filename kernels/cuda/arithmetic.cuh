/* Arithmetic that floats and integers do differently: integers wrap. */
#ifndef DG_KERNELS_CUDA_ARITHMETIC_CUH
#define DG_KERNELS_CUDA_ARITHMETIC_CUH

#include "kernels/cuda/platform.cuh"

static __device__ inline int64_t plus(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static __device__ inline int64_t minus(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x - (uint64_t)y);
}

static __device__ inline int64_t times(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

static __device__ inline int64_t negated(int64_t x)
{
    return minus(0, x);
}

static __device__ inline int64_t magnitude(int64_t x)
{
    return x < 0 ? negated(x) : x;
}

/* Integers are whole already. */
#define WHOLE(name, function)                                                          \
    static __device__ inline int64_t name(int64_t x)                                   \
    {                                                                                  \
        return x;                                                                      \
    }                                                                                  \
    static __device__ inline float name(float x)                                       \
    {                                                                                  \
        return function(x);                                                            \
    }                                                                                  \
    static __device__ inline double name(double x)                                     \
    {                                                                                  \
        return function(x);                                                            \
    }
WHOLE(raised, ceil)
WHOLE(lowered, floor)
WHOLE(rounded, rint)
WHOLE(truncated, trunc)
#undef WHOLE

#define FLOATS(C)                                                                      \
    static __device__ inline C plus(C x, C y)                                          \
    {                                                                                  \
        return x + y;                                                                  \
    }                                                                                  \
    static __device__ inline C minus(C x, C y)                                         \
    {                                                                                  \
        return x - y;                                                                  \
    }                                                                                  \
    static __device__ inline C times(C x, C y)                                         \
    {                                                                                  \
        return x * y;                                                                  \
    }                                                                                  \
    static __device__ inline C negated(C x)                                            \
    {                                                                                  \
        return -x;                                                                     \
    }                                                                                  \
    static __device__ inline C magnitude(C x)                                          \
    {                                                                                  \
        return fabs(x);                                                                \
    }
FLOATS(float)
FLOATS(double)
#undef FLOATS

/* A product that is rounded by itself, whatever is added to it. */
static __device__ inline float product_alone(float x, float y)
{
    return __fmul_rn(x, y);
}

static __device__ inline double product_alone(double x, double y)
{
    return __dmul_rn(x, y);
}

/* NaN wins in all of these; equal numbers give the second, as torch's do. */
template <class C> static __device__ inline C larger(C x, C y)
{
    return x > y || x != x ? x : y;
}

template <class C> static __device__ inline C smaller(C x, C y)
{
    return x < y || x != x ? x : y;
}

/* -0 stays beside a bound of 0; above `low` wins `high`. */
template <class C> static __device__ inline C clamped(C x, C low, C high)
{
    C raised = x < low || low != low ? low : x;

    return raised > high || high != high ? high : raised;
}

template <class C> static __device__ inline C softened(C x)
{
    return x > 20 ? x : log1p(exp(x));
}

#endif
