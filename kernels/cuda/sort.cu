/* Rows in order. A block sorts runs in shared memory by a bitonic network; passes over
 * the whole merge runs in pairs: each entry finds its place by counting, by bisection,
 * those of the other run that are before it. */
#include "kernels/cuda/sort.cuh"

enum { TILE = 4 * THREADS };

/* Sort each aligned segment of `width` entries (a power of two). */
template <class Key>
static __device__ void sort_segments(struct entry<Key> *tile, int width)
{
    for (int size = 2; size <= width; size *= 2) {
        for (int reach = size / 2; reach; reach /= 2) {
            __syncthreads();
            for (int pair = (int)threadIdx.x; pair < TILE / 2; pair += THREADS) {
                int i = 2 * pair - (pair & (reach - 1));
                bool ascending = size == width || !(i & size);
                struct entry<Key> low = tile[i], high = tile[i + reach];

                if (high.before(low) == ascending) {
                    tile[i] = high;
                    tile[i + reach] = low;
                }
            }
        }
    }
    __syncthreads();
}

/* How rows are cut into runs: run r is part r % n_parts of row r / n_parts. */
struct runs {
    int64_t n_rows, length, step, n_parts;
    int width;
};

/* Which row position `i` of all runs lies in, and where; false: behind its end. */
static __device__ inline bool find_place(const struct runs *runs, int64_t i,
                                         int64_t *row, int64_t *place)
{
    int64_t run = i / runs->width;

    *row = run / runs->n_parts;
    *place = run % runs->n_parts * runs->width + i % runs->width;
    return *row < runs->n_rows && *place < runs->length;
}

template <class T>
static __global__ void sort_tiles(struct runs runs, struct entry<key_for<T>> *out,
                                  const T *in, bool descending)
{
    using Key = key_for<T>;
    __shared__ struct entry<Key> tile[TILE];
    int64_t first = blockIdx.x * (int64_t)TILE, row, place;

    for (int i = (int)threadIdx.x; i < TILE; i += THREADS) {
        tile[i] = {(Key) ~(Key)0, UINT32_MAX};
        if (find_place(&runs, first + i, &row, &place)) {
            int64_t at = sorted::base(row, runs.length, runs.step) + place * runs.step;
            Key key = key_of_element(in[at]);

            tile[i] = {descending ? (Key)~key : key, (uint32_t)place};
        }
    }
    sort_segments<Key>(tile, runs.width);
    for (int i = (int)threadIdx.x; i < TILE; i += THREADS) {
        if (find_place(&runs, first + i, &row, &place))
            out[row * runs.length + place] = tile[i];
    }
}

/* Each run of `width` and the one behind it become one. */
template <class Key>
static __global__ void merge_runs(int64_t n_rows, int64_t length, int64_t width,
                                  struct entry<Key> *out, const struct entry<Key> *in)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t row = i / length, place = i % length, run = place / width;
    int64_t other = (run ^ 1) * width, low = other, high = other + width;
    struct entry<Key> mine;

    if (row >= n_rows)
        return;
    in += row * length;
    mine = in[place];
    low = low < length ? low : length;
    high = high < length ? high : length;
    other = low;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (in[middle].before(mine))
            low = middle + 1;
        else
            high = middle;
    }
    out[row * length + run / 2 * 2 * width + place % width + (low - other)] = mine;
}

static struct dg_tensor *room_for(struct dg_call *call, int64_t n, size_t size)
{
    int64_t bytes;

    if (__builtin_mul_overflow(n, (int64_t)size, &bytes)) {
        dg_call_fail(call, DG_ERR_FORMAT, "%lld elements to sort", (long long)n);
        return NULL;
    }
    return dg_tensor_new(call->context->memory, DG_TYPE_U8, 1, &bytes, call->err);
}

template <class Key>
static enum dg_status merge_all(struct dg_call *call, struct sorted *of, int64_t width)
{
    int64_t n = of->n_rows * of->length;
    struct dg_tensor *spare = NULL;
    enum dg_status status = DG_OK;

    if (width < of->length)
        spare = room_for(call, n, sizeof(struct entry<Key>));
    for (; width < of->length && spare && !status; width *= 2) {
        struct dg_tensor *before = of->entries;

        status = launch(call, merge_runs<Key>, blocks_for(n), THREADS, of->n_rows,
                        of->length, width, (struct entry<Key> *)dg_tensor_data(spare),
                        (const struct entry<Key> *)dg_tensor_data(before));
        of->entries = spare;
        spare = before;
    }
    dg_tensor_drop(spare);
    return width < of->length && !status ? call->err->status : status;
}

template <class T>
static enum dg_status sort_elements(struct dg_call *call, struct sorted *of,
                                    bool descending)
{
    using Key = key_for<T>;
    struct runs runs = {of->n_rows, of->length, of->step, 1, 1};
    enum dg_status status;
    int64_t n;

    while (runs.width < TILE && runs.width < of->length)
        runs.width *= 2;
    runs.n_parts = (of->length + runs.width - 1) / runs.width;
    n = of->n_rows * runs.n_parts * runs.width;
    of->entries = room_for(call, of->n_rows * of->length, sizeof(struct entry<Key>));
    if (!of->entries)
        return call->err->status;
    status = launch(call, sort_tiles<T>, (n + TILE - 1) / TILE, THREADS, runs,
                    (struct entry<Key> *)dg_tensor_data(of->entries),
                    (const T *)dg_tensor_data(of->in), descending);
    return status ? status : merge_all<Key>(call, of, runs.width);
}

enum dg_status sort_rows(struct dg_call *call, struct sorted *of,
                         struct dg_tensor *self, int dim, bool descending)
{
    enum dg_status status;

    of->in = contiguous(call, self);
    if (!of->in)
        return call->err->status;
    of->length = of->step = 1;
    for (int d = dim < 0 ? 0 : dim; d < self->rank; d++)
        *(d == dim || dim < 0 ? &of->length : &of->step) *= self->sizes[d];
    of->n_rows = of->length ? dg_tensor_count(self) / of->length : 0;
    if (of->length > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "%lld elements are more than a row to sort may have",
                            (long long)of->length);
    status = !of->n_rows ? DG_OK : with_number(self->type, [&](auto element) {
        return sort_elements<decltype(element)>(call, of, descending);
    });
    return status && !call->err->status
               ? dg_call_fail(call, DG_ERR_DEVICE, "%s is sorted on the host only",
                              dg_type_name(self->type))
               : status;
}
