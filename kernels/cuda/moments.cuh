/* Count, mean and squared deviations of a row, updated as Welford does: what reducers
 * of moments share. */
#ifndef DG_KERNELS_CUDA_MOMENTS_CUH
#define DG_KERNELS_CUDA_MOMENTS_CUH

#include "kernels/cuda/reduce.cuh"

template <class C> struct deviations {
    C n, mean, squares;
};

template <class C> struct welford {
    typedef deviations<C> state;

    __device__ state start() const
    {
        return {0, 0, 0};
    }
    __device__ state add(state s, C x, int64_t) const
    {
        C before = x - s.mean;

        s.n += 1;
        s.mean += before / s.n;
        s.squares += before * (x - s.mean);
        return s;
    }
    __device__ state merge(state a, state b) const
    {
        C n = a.n + b.n, apart = b.mean - a.mean;

        if (n == 0)
            return a;
        return {n, (a.n * a.mean + b.n * b.mean) / n,
                a.squares + b.squares + apart * apart * (a.n * b.n / n)};
    }
};

#endif
