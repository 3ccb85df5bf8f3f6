/* sort, argsort, topk: the first elements of each row in order; kthvalue and medians:
 * one of them. */
#include "kernels/cuda/sort.cuh"

/* Where results of `k` entries for each row go; either may be NULL. */
template <class Word> struct ordered {
    int64_t n_rows, length, step, k;
    const Word *in;
    Word *values;
    int64_t *indices;

    __device__ void give(int64_t row, int64_t place, int64_t index) const
    {
        int64_t to = sorted::base(row, k, step) + place * step;

        if (values)
            values[to] = in[sorted::base(row, length, step) + index * step];
        if (indices)
            indices[to] = index;
    }
};

template <class Key, class Word>
static __global__ void give_first(struct ordered<Word> to,
                                  const struct entry<Key> *entries)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, row = i / to.k;

    if (row < to.n_rows)
        to.give(row, i % to.k, entries[row * to.length + i % to.k].index);
}

template <class Key, class Word>
static enum dg_status run_first(struct dg_call *call, const struct ordered<Word> &to,
                                const struct entry<Key> *entries)
{
    return launch(call, give_first<Key, Word>, blocks_for(to.n_rows * to.k), THREADS,
                  to, entries);
}

/* Which entry of a row is meant. */
enum pick { PICK_KTH, PICK_MEDIAN, PICK_NANMEDIAN };

/* The first NaN where there is one, else the lower one of the middle. */
template <class Key>
static __device__ int64_t middle_of(const struct entry<Key> *entries, int64_t length,
                                    enum pick pick)
{
    int64_t low = 0, high = length; /* numbers are before NaN */

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (entries[middle].key == (Key) ~(Key)0)
            high = middle;
        else
            low = middle + 1;
    }
    if (pick == PICK_MEDIAN)
        return low < length ? low : (length - 1) / 2;
    return low ? (low - 1) / 2 : 0;
}

struct selection {
    enum pick pick;
    int64_t k;  /* of PICK_KTH, from 0 on */
    bool whole; /* integers: the greatest key is a number */
};

template <class Key, class Word>
static __global__ void give_one(struct ordered<Word> to, struct selection which,
                                const struct entry<Key> *entries)
{
    int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, place = which.k;

    if (row >= to.n_rows)
        return;
    entries += row * to.length;
    if (which.pick != PICK_KTH)
        place = which.whole ? (to.length - 1) / 2
                            : middle_of(entries, to.length, which.pick);
    to.give(row, 0, entries[place].index);
}

template <class Key, class Word>
static enum dg_status run_one(struct dg_call *call, const struct ordered<Word> &to,
                              struct selection which, const struct entry<Key> *entries)
{
    return launch(call, give_one<Key, Word>, blocks_for(to.n_rows), THREADS, to, which,
                  entries);
}

struct results {
    struct dg_tensor *values, *indices; /* NULL: not wanted */
};

/* Call `function` with where the results go, and with the entries. */
template <class F>
static enum dg_status with_results(const struct sorted &of, struct results results,
                                   int64_t k, F function)
{
    if (!of.entries || !k)
        return DG_OK;
    return with_word(of.in->type, [&](auto word) {
        using Word = decltype(word);
        struct ordered<Word> to = {
            of.n_rows, of.length, of.step, k, (const Word *)dg_tensor_data(of.in),
                results.values ? (Word *)dg_tensor_data(results.values) : NULL,
                results.indices ? (int64_t *)dg_tensor_data(results.indices) : NULL
        };

        return with_entries(of, [&](auto *entries) { return function(to, entries); });
    });
}

/* Results, from result 0 on; `k` of each row, kept in the place of the dimension. */
static enum dg_status make_results(struct dg_call *call, struct results *results,
                                   int rank, const int64_t *sizes, bool values,
                                   bool indices)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (values)
        results->values = dg_result(call, 0, self->type, rank, sizes);
    if (indices)
        results->indices = dg_result(call, values, DG_TYPE_I64, rank, sizes);
    return (values && !results->values) || (indices && !results->indices)
               ? call->err->status
               : DG_OK;
}

static enum dg_status take_self(struct dg_call *call, struct dg_tensor **self,
                                int64_t given, int *dim)
{
    *self = dg_arg_tensor(call, 0);
    if (!*self)
        return dg_call_fail(call, DG_ERR_DEVICE, "the operand is no tensor");
    return dg_dimension(call, given, (*self)->rank, dim) ? DG_OK : call->err->status;
}

/* The first `k` of each row (-1: all). */
static enum dg_status order(struct dg_call *call, int64_t along, int64_t k,
                            bool descending, bool values, bool indices)
{
    struct results results = {};
    struct dg_tensor *self, shape;
    struct sorted of = {};
    int dim;

    if (take_self(call, &self, along, &dim) ||
        sort_rows(call, &of, self, dim, descending))
        return call->err->status;
    k = k < 0 ? of.length : k;
    if (k > of.length)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld elements of dimension %d of size %lld", (long long)k,
                            dim, (long long)of.length);
    shape = *self;
    if (self->rank)
        shape.sizes[dim] = k;
    if (make_results(call, &results, shape.rank, shape.sizes, values, indices))
        return call->err->status;
    return with_results(of, results, k, [&](auto to, auto *entries) {
        return run_first(call, to, entries);
    });
}

/* (self, dim, descending), (self, stable, dim, descending) */
#define ORDER(name, dim, descending, values, indices)                                  \
    enum dg_status dg_cuda_##name(struct dg_call *call)                                \
    {                                                                                  \
        return order(call, dg_arg_int(call, dim, -1), -1,                              \
                     dg_arg_bool(call, descending, false), values, indices);           \
    }
ORDER(sort, 1, 2, true, true)
ORDER(sort_stable, 2, 3, true, true)
ORDER(argsort, 1, 2, false, true)
ORDER(argsort_stable, 2, 3, false, true)

enum dg_status dg_cuda_msort(struct dg_call *call)
{
    return order(call, 0, -1, false, true, false);
}

/* (self, k, dim, largest) */
enum dg_status dg_cuda_topk(struct dg_call *call)
{
    int64_t k = dg_arg_int(call, 1, 0);

    if (k < 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld elements", (long long)k);
    return order(call, dg_arg_int(call, 2, -1), k, dg_arg_bool(call, 3, true), true,
                 true);
}

/* One entry of each row along `dim`, or of all elements where that is -1. */
static enum dg_status select_one(struct dg_call *call, struct dg_tensor *self, int dim,
                                 bool keeps, struct selection which)
{
    struct results results = {};
    int64_t sizes[DG_RANK_MOST];
    struct sorted of = {};
    int rank = 0;

    if (sort_rows(call, &of, self, dim, false))
        return call->err->status;
    for (int d = 0; d < self->rank && dim >= 0; d++) {
        if (keeps || d != dim)
            sizes[rank++] = d == dim ? 1 : self->sizes[d];
    }
    if (make_results(call, &results, rank, sizes, true, dim >= 0))
        return call->err->status;
    if (!of.length && dg_tensor_count(results.values)) {
        if (dim >= 0 || !dg_type_is_float(self->type))
            return dg_call_fail(call, DG_ERR_FORMAT, "none of no elements is it");
        return fill_elements(call, results.values, NAN, 0);
    }
    which.whole = !dg_type_is_float(self->type);
    return with_results(of, results, 1, [&](auto to, auto *entries) {
        return run_one(call, to, which, entries);
    });
}

/* (self, dim, keepdim), or (self) */
static enum dg_status median(struct dg_call *call, bool along, enum pick pick)
{
    struct dg_tensor *self;
    int dim;

    if (take_self(call, &self, along ? dg_arg_int(call, 1, -1) : 0, &dim))
        return call->err->status;
    return select_one(call, self, along ? dim : -1, dg_arg_bool(call, 2, false),
                      {pick, 0, false});
}

enum dg_status dg_cuda_median(struct dg_call *call)
{
    return median(call, false, PICK_MEDIAN);
}

enum dg_status dg_cuda_median_dim(struct dg_call *call)
{
    return median(call, true, PICK_MEDIAN);
}

enum dg_status dg_cuda_nanmedian(struct dg_call *call)
{
    return median(call, false, PICK_NANMEDIAN);
}

enum dg_status dg_cuda_nanmedian_dim(struct dg_call *call)
{
    return median(call, true, PICK_NANMEDIAN);
}

/* (self, k, dim, keepdim) */
enum dg_status dg_cuda_kthvalue(struct dg_call *call)
{
    int64_t k = dg_arg_int(call, 1, 0), size;
    struct dg_tensor *self;
    int dim;

    if (take_self(call, &self, dg_arg_int(call, 2, -1), &dim))
        return call->err->status;
    size = self->rank ? self->sizes[dim] : 1;
    if (k < 1 || k > size)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "element %lld of dimension %d of size %lld", (long long)k,
                            dim, (long long)size);
    return select_one(call, self, dim, dg_arg_bool(call, 3, false),
                      {PICK_KTH, k - 1, false});
}
