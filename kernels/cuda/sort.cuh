/* Rows in order: a merge sort of keys and the places they come from. */
#ifndef DG_KERNELS_CUDA_SORT_CUH
#define DG_KERNELS_CUDA_SORT_CUH

#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/types.cuh"

/* Keys order as the elements do, so that one comparison serves every type; no two
 * entries of a row are equal. */
template <class Key> struct entry {
    Key key;
    uint32_t index;

    __device__ bool before(const entry &other) const
    {
        return key < other.key || (key == other.key && index < other.index);
    }
};

/* NaN is the greatest, 0 and -0 are equal. */
static __device__ inline uint32_t key_of(float x)
{
    uint32_t bits = bits_of_float(x);

    if (x != x)
        return UINT32_MAX;
    return x == 0 ? 1u << 31 : bits >> 31 ? ~bits : bits | 1u << 31;
}

static __device__ inline uint64_t key_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    if (x != x)
        return UINT64_MAX;
    return x == 0 ? 1ull << 63 : bits >> 63 ? ~bits : bits | 1ull << 63;
}

/* What T has as a key: integers of 32 bits and less fit a word. */
template <class T>
using key_for = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T> static __device__ inline key_for<T> key_of_element(T x)
{
    if constexpr (!std::is_integral_v<computed<T>>)
        return key_of(value_of(x));
    else if constexpr (sizeof(T) == 8)
        return (uint64_t)value_of(x) ^ 1ull << 63;
    else
        return (uint32_t)value_of(x) ^ 1u << 31;
}

/* Lines of a tensor along one dimension, and their entries in order. */
struct sorted {
    int64_t n_rows, length, step; /* elements of a row lie `step` apart */
    struct dg_tensor *in;         /* contiguous: a share */
    struct dg_tensor *entries;    /* n_rows of `length` entries, one behind the other */

    ~sorted()
    {
        dg_tensor_drop(in);
        dg_tensor_drop(entries);
    }
    /* Of the first element of a row. */
    __host__ __device__ static int64_t base(int64_t row, int64_t length, int64_t step)
    {
        return row / step * length * step + row % step;
    }
};

/* Sort `self` along `dim`, stably; dim -1: all of it as one row. */
enum dg_status sort_rows(struct dg_call *call, struct sorted *of,
                         struct dg_tensor *self, int dim, bool descending);

/* Call `function` with the entries, whose keys have the size that the type asks for. */
template <class F>
static enum dg_status with_entries(const struct sorted &of, F function)
{
    const void *entries = of.entries ? dg_tensor_data(of.entries) : NULL;

    return dg_type_bytes(of.in->type) == 8
               ? function((const struct entry<uint64_t> *)entries)
               : function((const struct entry<uint32_t> *)entries);
}

#endif
