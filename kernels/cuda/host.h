/* CUDA's language for a host compiler: kernels then run, and are tested, without a GPU.
 *
 * The threads of a block are fibers of one thread: each runs until it waits at a
 * barrier. tests/cuda/fibers.c schedules them. */
#ifndef DG_KERNELS_CUDA_HOST_H
#define DG_KERNELS_CUDA_HOST_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline

struct dg_host_index {
    unsigned x;
};

extern "C" {
extern struct dg_host_index threadIdx, blockIdx, blockDim, gridDim;

/* Run `body` as each thread of each block. */
void dg_host_launch(void (*body)(void *data), void *data, unsigned blocks,
                    unsigned threads);
/* Wait for `count` threads of this block from `first` on. */
void dg_host_wait(unsigned first, unsigned count);
/* A word for each thread of a block, to exchange. */
extern unsigned dg_host_words[1024];
}

static inline void __syncthreads(void)
{
    dg_host_wait(0, blockDim.x);
}

static inline unsigned __shfl_xor_sync(unsigned, unsigned value, int lanes)
{
    unsigned first = threadIdx.x & ~31u, rest = blockDim.x - first, got;

    dg_host_words[threadIdx.x] = value;
    dg_host_wait(first, rest < 32 ? rest : 32);
    got = dg_host_words[threadIdx.x ^ (unsigned)lanes];
    dg_host_wait(first, rest < 32 ? rest : 32);
    return got;
}

template <class T> static inline T atomicAdd(T *sum, T value)
{
    T before = *sum;

    *sum = before + value;
    return before;
}

static inline unsigned atomicCAS(unsigned *at, unsigned expected, unsigned value)
{
    unsigned before = *at;

    if (before == expected)
        *at = value;
    return before;
}

static inline uint32_t __umulhi(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline float __fmul_rn(float x, float y)
{
    return x * y;
}

static inline double __dmul_rn(double x, double y)
{
    return x * y;
}

static inline float rsqrt(float x)
{
    return 1 / sqrtf(x);
}

static inline double rsqrt(double x)
{
    return 1 / sqrt(x);
}

#endif
