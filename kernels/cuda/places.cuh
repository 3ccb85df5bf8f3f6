/* Where elements of strided tensors lie: dimensions joined, divisions made cheap. */
#ifndef DG_KERNELS_CUDA_PLACES_CUH
#define DG_KERNELS_CUDA_PLACES_CUH

#include "kernels/cuda/platform.cuh"

/* Divides numbers below 2^31 by a multiplication. */
struct divisor {
    uint32_t value, magic, shift;

    __device__ uint32_t quotient(uint32_t n) const
    {
        return (__umulhi(n, magic) + n) >> shift;
    }
};

static inline struct divisor divisor_of(int64_t value)
{
    uint32_t shift = 0;

    while ((INT64_C(1) << shift) < value)
        shift++;
    return {(uint32_t)value,
            (uint32_t)(((((uint64_t)1 << shift) - (uint64_t)value) << 32) /
                           (uint64_t)value +
                       1),
            shift};
}

/* The dimensions of N tensors that go together, the innermost first. */
template <int N> struct shape {
    int rank;
    int64_t sizes[DG_RANK_MOST];
    int64_t strides[N][DG_RANK_MOST];

    int64_t count() const
    {
        int64_t product = 1;

        for (int d = 0; d < rank; d++)
            product *= sizes[d];
        return product;
    }

    /* A dimension outside of those so far; it joins the last one where it can. */
    void add(int64_t size, const int64_t *steps)
    {
        bool joins = rank > 0;

        if (size == 1)
            return;
        for (int k = 0; k < N && joins; k++)
            joins = steps[k] == strides[k][rank - 1] * sizes[rank - 1];
        if (joins) {
            sizes[rank - 1] *= size;
            return;
        }
        for (int k = 0; k < N; k++)
            strides[k][rank] = steps[k];
        sizes[rank++] = size;
    }
};

/* Dimensions `dims` (from the outermost) of tensors that broadcast to the first; NULL
 * ones stay in place. */
template <int N>
static struct shape<N> joined(const struct dg_tensor *const *tensors, const int *dims,
                              int n_dims) {
    struct shape<N> joined = {
    };

    for (int i = n_dims - 1; i >= 0; i--) {
        int64_t steps[N];

        for (int k = 0; k < N; k++) {
            const struct dg_tensor *tensor = tensors[k];
            int d = tensor ? dims[i] - (tensors[0]->rank - tensor->rank) : -1;

            steps[k] = d >= 0 && tensor->sizes[d] != 1 ? tensor->strides[d] : 0;
        }
        joined.add(tensors[0]->sizes[dims[i]], steps);
    }
    return joined;
}

template <int N>
static struct shape<N> joined_all(const struct dg_tensor *const *tensors) {
    int dims[DG_RANK_MOST];

    for (int d = 0; d < tensors[0]->rank; d++)
        dims[d] = d;
    return joined<N>(tensors, dims, tensors[0]->rank);
}

/* Finds the elements of N tensors that a position below 2^31 stands for. */
template <int N>
struct places {
    int rank;
    struct divisor sizes[DG_RANK_MOST];
    int64_t strides[N][DG_RANK_MOST];

    /* Along the innermost dimension. */
    __device__ uint32_t index(uint32_t position) const
    {
        return position - sizes[0].quotient(position) * sizes[0].value;
    }

    __device__ void find(uint32_t position, int64_t *offsets) const
    {
        for (int k = 0; k < N; k++)
            offsets[k] = 0;
        for (int d = 0; d < rank; d++) {
            uint32_t rest = sizes[d].quotient(position);
            uint32_t index = position - rest * sizes[d].value;

            for (int k = 0; k < N; k++)
                offsets[k] += index * strides[k][d];
            position = rest;
        }
    }
};

template <int N> static struct places<N> places_of(const struct shape<N> &shape) {
    struct places<N> places = {
    };

    places.rank = shape.rank;
    for (int d = 0; d < shape.rank; d++) {
        places.sizes[d] = divisor_of(shape.sizes[d]);
        for (int k = 0; k < N; k++)
            places.strides[k][d] = shape.strides[k][d];
    }
    return places;
}

#endif
