/* What kernels need of their platform, a GPU or the host. */
#ifndef DG_KERNELS_CUDA_PLATFORM_CUH
#define DG_KERNELS_CUDA_PLATFORM_CUH

#include <stddef.h>
#include <stdint.h>
#include <type_traits>

#include "kernels/kernel.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#else
extern "C" {
#include "base/number.h"
}
#include "kernels/cuda/host.h"
#endif

/* On the host, where threads cost time, two warps are as good as eight. */
#ifdef __CUDACC__
enum { THREADS = 256, WARP = 32 };
#else
enum { THREADS = 64, WARP = 32 };
#endif

static __device__ inline float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static __device__ inline uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

#ifdef __CUDACC__
static __device__ inline float f16_value(uint16_t bits)
{
    return __half2float(__ushort_as_half(bits));
}

static __device__ inline uint16_t f16_bits(float value)
{
    return __half_as_ushort(__float2half_rn(value));
}

/* kernel<<<blocks, threads>>>(args...) on the stream of the call. */
template <class... Params, class... Args>
static enum dg_status launch(struct dg_call *call, void (*kernel)(Params...),
                             int64_t blocks, unsigned threads, Args... args)
{
    cudaError_t error = cudaSuccess;

    if (blocks > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "%lld blocks are more than a GPU takes", (long long)blocks);
    if (blocks)
        kernel<<<(unsigned)blocks, threads, 0, (cudaStream_t)call->context->stream>>>(
            args...);
    error = cudaGetLastError();
    return error ? dg_call_fail(call, DG_ERR_DEVICE, "%s", cudaGetErrorString(error))
                 : DG_OK;
}
#else
static inline float f16_value(uint16_t bits)
{
    return dg_f16_value(bits);
}

static inline uint16_t f16_bits(float value)
{
    return dg_f16_bits(value);
}

template <class... Params, class... Args>
static enum dg_status launch(struct dg_call *, void (*kernel)(Params...),
                             int64_t blocks, unsigned threads, Args... args)
{
    auto thread = [&] { kernel(args...); };

    dg_host_launch([](void *data) { (*(decltype(thread) *)data)(); }, &thread,
                   (unsigned)blocks, threads);
    return DG_OK;
}
#endif

static inline int64_t blocks_for(int64_t threads)
{
    return (threads + THREADS - 1) / THREADS;
}

#endif
