/* Threads that work on one row together. */
#ifndef DG_KERNELS_CUDA_TEAM_CUH
#define DG_KERNELS_CUDA_TEAM_CUH

#include "kernels/cuda/platform.cuh"

/* A team is a thread, a warp, or a block. Blocks have THREADS threads. */
enum { TEAM_THREAD = 1, TEAM_WARP = WARP, TEAM_BLOCK = THREADS };

/* The row of this thread, and its place in the team. */
template <int TEAM> static __device__ inline int64_t team_row()
{
    return blockIdx.x * (int64_t)(THREADS / TEAM) + threadIdx.x / TEAM;
}

template <int TEAM> static __device__ inline int team_place()
{
    return threadIdx.x % TEAM;
}

static inline int64_t team_blocks(int64_t n_rows, int team)
{
    return (n_rows + THREADS / team - 1) / (THREADS / team);
}

/* The value of the lane whose number differs in `bits`. */
template <class T> static __device__ inline T exchanged(T value, int bits)
{
    static_assert(sizeof(T) % 4 == 0, "lanes exchange words");
    unsigned words[sizeof(T) / 4];

    memcpy(words, &value, sizeof(T));
    for (unsigned &word : words)
        word = __shfl_xor_sync(0xffffffff, word, bits);
    memcpy(&value, words, sizeof(T));
    return value;
}

/* The values of a team merged, the same for each of its threads: merge(a, b) must be
 * merge(b, a). All threads of a warp (a block, for a team of that size) must come here.
 */
template <int TEAM, class T, class Merge>
static __device__ inline T merged(T value, Merge merge)
{
    for (int bits = (TEAM < WARP ? TEAM : WARP) / 2; bits; bits /= 2)
        value = merge(value, exchanged(value, bits));
    if constexpr (TEAM > WARP) {
        __shared__ T parts[TEAM / WARP];

        __syncthreads(); /* parts of an earlier merge have been read */
        if (threadIdx.x % WARP == 0)
            parts[threadIdx.x / WARP] = value;
        __syncthreads();
        value = parts[0];
        for (int i = 1; i < TEAM / WARP; i++)
            value = merge(value, parts[i]);
    }
    return value;
}

struct add_up {
    template <class C> __device__ C operator()(C x, C y) const
    {
        return x + y;
    }
};

/* Call with the team that suits rows of that length, as a constant. */
template <class F> static enum dg_status with_team(int64_t length, F function)
{
    if (length <= 8 * WARP)
        return function(std::integral_constant<int, TEAM_WARP>());
    return function(std::integral_constant<int, TEAM_BLOCK>());
}

#endif
