/* Functions of elements: one kernel for every operator that computes element by
 * element.
 *
 * A thread computes a pack of neighbours along the innermost dimension. It moves whole
 * packs at once where a tensor is dense and aligned there, whatever the other
 * dimensions are: a bias that broadcasts over rows is read like a dense tensor. */
#ifndef DG_KERNELS_CUDA_MAP_CUH
#define DG_KERNELS_CUDA_MAP_CUH

#include <utility>

#include "kernels/cuda/places.cuh"
#include "kernels/cuda/types.cuh"

template <class T, int V> struct alignas(sizeof(T) * V) pack {
    T items[V];
};

/* A tensor or, without data, one value. */
template <class T> struct operand {
    const T *data;
    computed<T> value;
    int64_t step; /* between elements of a pack */
    bool whole;   /* packs are dense and aligned */
};

template <int V, class T>
static __device__ inline pack<computed<T>, V> load(const operand<T> &from,
                                                   int64_t offset, int n)
{
    pack<computed<T>, V> values = {};

    if (!from.data) {
        for (int i = 0; i < V; i++)
            values.items[i] = from.value;
    } else if (from.whole && n == V) {
        pack<T, V> items = *(const pack<T, V> *)(from.data + offset);

        for (int i = 0; i < V; i++)
            values.items[i] = value_of(items.items[i]);
    } else {
        for (int i = 0; i < V; i++) {
            if (i < n)
                values.items[i] = value_of(from.data[offset + i * from.step]);
        }
    }
    return values;
}

template <int V, class Out, class F, class... C>
static __device__ inline void save(const operand<Out> &out, int64_t offset, int n, F f,
                                   const pack<C, V> &...values)
{
    Out *to = (Out *)out.data + offset;
    pack<Out, V> items;

    for (int i = 0; i < V; i++)
        items.items[i] = store<Out>::of(f(values.items[i]...));
    if (out.whole && n == V) {
        *(pack<Out, V> *)to = items;
        return;
    }
    for (int i = 0; i < V; i++) {
        if (i < n)
            to[i * out.step] = items.items[i];
    }
}

template <int V, class F, class Out, class... In, size_t... K>
static __device__ inline void
map_pack(std::index_sequence<K...>, const int64_t *offsets, int n, F f,
         const operand<Out> &out, const operand<In> &...in)
{
    save<V>(out, offsets[0], n, f, load<V>(in, offsets[K + 1], n)...);
}

template <int V, class F, class Out, class... In>
static __global__ void map_packs(struct places<1 + sizeof...(In)> packs,
                                 uint32_t n_packs, int64_t length, F f,
                                 operand<Out> out, operand<In>... in)
{
    uint32_t position = blockIdx.x * blockDim.x + threadIdx.x;
    int64_t offsets[1 + sizeof...(In)], left;

    if (position >= n_packs)
        return;
    packs.find(position, offsets);
    left = length - (int64_t)packs.index(position) * V;
    map_pack<V>(std::index_sequence_for<In...>(), offsets, left < V ? (int)left : V, f,
                out, in...);
}

/* What a function is called with: a tensor that broadcasts, or a number. */
struct input {
    const struct dg_tensor *tensor;
    double real;
    int64_t integer;
};

static inline struct input input_tensor(const struct dg_tensor *tensor)
{
    return {tensor, 0, 0};
}

static inline struct input input_number(double real, int64_t integer)
{
    return {NULL, real, integer};
}

template <class T>
static struct operand<T> operand_of(const struct input &input, int v, int64_t length,
                                    int rank, const int64_t *strides) {
    const T *data = input.tensor ? (const T *)dg_tensor_data(input.tensor) : NULL;
    bool whole = data && strides[0] == 1 && (uintptr_t)data % (sizeof(T) * v) == 0 &&
                 (rank == 1 || length % v == 0);

    for (int d = 1; d < rank; d++)
        whole = whole && strides[d] % v == 0;
    if constexpr (std::is_integral_v<computed<T>>)
        return {data, input.integer, strides[0], whole};
    else
        return {data, (computed<T>)input.real, strides[0], whole};
}

template <int V, class F, class Out, class... In, class... I, size_t... K>
static enum dg_status map_shape(struct dg_call *call, std::index_sequence<K...>, F f,
                                struct shape<1 + sizeof...(In)> shape,
                                const struct dg_tensor *out, const I &...inputs)
{
    int rank = shape.rank ? shape.rank : 1;
    int64_t length = shape.rank ? shape.sizes[0] : 1, n_packs;
    struct operand<Out> to =
        operand_of<Out>(input_tensor(out), V, length, rank, shape.strides[0]);
    auto packs = shape;

    packs.rank = rank;
    packs.sizes[0] = (length + V - 1) / V;
    for (auto &strides : packs.strides)
        strides[0] *= V;
    n_packs = packs.count();
    if (n_packs > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "%lld elements are more than a kernel takes",
                            (long long)dg_tensor_count(out));
    return launch(call, map_packs<V, F, Out, In...>, blocks_for(n_packs), THREADS,
                  places_of(packs), (uint32_t)n_packs, length, f, to,
                  operand_of<In>(inputs, V, length, rank, shape.strides[K + 1])...);
}

/* out = f(inputs...), element by element; `out` may be any view. */
template <class Out, class... In, class F, class... I>
static enum dg_status map(struct dg_call *call, F f, const struct dg_tensor *out,
                          const I &...inputs)
{
    constexpr size_t sizes[] = {sizeof(Out), sizeof(In)...};
    constexpr size_t widest = [](const size_t *size, size_t n) {
        size_t most = 2; /* packs of bytes stay in registers */

        for (size_t i = 0; i < n; i++)
            most = size[i] > most ? size[i] : most;
        return most;
    }(sizes, 1 + sizeof...(In));
    const struct dg_tensor *tensors[] = {out, inputs.tensor...};

    if (!dg_tensor_count(out))
        return DG_OK;
    return map_shape<16 / widest, F, Out, In...>(
        call, std::index_sequence_for<In...>(), f,
        joined_all<1 + sizeof...(In)>(tensors), out, inputs...);
}

#endif
