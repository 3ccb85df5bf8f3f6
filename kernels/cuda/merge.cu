/* Values merged into elements that index tensors name. What goes to one element is
 * merged by one thread, in the order of the values: places are sorted, stably, and
 * every first one of a place walks over those behind it. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/indexed.cuh"
#include "kernels/cuda/sort.cuh"

static __device__ inline int64_t mean_of(int64_t sum, int64_t n)
{
    return sum / n - (sum % n < 0);
}

static __device__ inline double mean_of(double sum, int64_t n)
{
    return sum / (double)n;
}

/* Of NaN the first one stays. */
template <class Wide>
static __device__ Wide merged_with(const struct merging &merging, Wide held, Wide value)
{
    switch (merging.how) {
    case MERGE_PROD:
        return times(held, value);
    case MERGE_MAX:
        return held != held || held > value ? held : value;
    case MERGE_MIN:
        return held != held || held < value ? held : value;
    default:
        return plus(held, times((Wide)merging.alpha, value));
    }
}

template <class T, class Wide>
static __global__ void merge_places(int64_t n, struct merging merging, T *out,
                                    const struct entry<uint64_t> *entries,
                                    const int64_t *to, struct places<1> places,
                                    const T *values)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, from = i, n_merged = 0;
    bool replaces = !merging.include_self;
    int64_t offset;
    Wide held;

    if (i >= n || (i && entries[i - 1].key == entries[i].key))
        return;
    out += to[entries[from].index];
    held = (Wide)value_of(*out);
    for (; i < n && entries[i].key == entries[from].key; i++, n_merged++) {
        Wide value;

        places.find(entries[i].index, &offset);
        value = (Wide)value_of(values[offset]);
        held = i == from && replaces ? times((Wide)merging.alpha, value)
                                     : merged_with(merging, held, value);
    }
    n_merged += merging.include_self;
    if (merging.how == MERGE_MEAN && n_merged > 1)
        held = mean_of(held, n_merged);
    *out = store<T>::of(held);
}

enum dg_status merge_indexed(struct dg_call *call, const struct indexed *to,
                             const struct dg_tensor *values,
                             const struct merging *merging)
{
    const struct dg_tensor *tensors[] = {&to->whole, values};
    struct shape<2> both = joined_all<2>(tensors);
    struct shape<1> shape = {
    };
    struct sorted sorted = {};
    struct dg_tensor *places = located(call, to);
    enum dg_status status;

    if (!places)
        return call->err->status;
    shape.rank = both.rank;
    for (int d = 0; d < both.rank; d++) {
        shape.sizes[d] = both.sizes[d];
        shape.strides[0][d] = both.strides[1][d];
    }
    status = sort_rows(call, &sorted, places, -1, false);
    if (!status && sorted.entries)
        status = with_number(to->whole.type, [&](auto element) {
            using T = decltype(element);
            using Wide =
                std::conditional_t<std::is_integral_v<computed<T>>, int64_t, double>;

            return launch(
                call, merge_places<T, Wide>, blocks_for(sorted.length), THREADS,
                sorted.length, *merging, (T *)dg_tensor_data(&to->whole),
                (const struct entry<uint64_t> *)dg_tensor_data(sorted.entries),
                (const int64_t *)dg_tensor_data(places), places_of(shape),
                (const T *)dg_tensor_data(values));
        });
    dg_tensor_drop(places);
    return status && !call->err->status
               ? dg_call_fail(call, DG_ERR_DEVICE, "%s is merged on the host only",
                              dg_type_name(to->whole.type))
               : status;
}

bool read_merge(struct dg_call *call, size_t i, enum merge *how)
{
    static const struct {
        const char *name;
        enum merge how;
    } names[] = {{"sum", MERGE_SUM},       {"add", MERGE_SUM},   {"prod", MERGE_PROD},
                 {"multiply", MERGE_PROD}, {"mean", MERGE_MEAN}, {"amax", MERGE_MAX},
                 {"amin", MERGE_MIN}};
    const char *name = i < call->n_args && call->args[i].kind == DG_ARG_STRING
                           ? call->args[i].as.string
                           : "";

    for (const auto &one : names) {
        if (strcmp(one.name, name))
            continue;
        *how = one.how;
        return true;
    }
    dg_call_fail(call, DG_ERR_FORMAT, "reduction \"%.60s\" is not known", name);
    return false;
}
