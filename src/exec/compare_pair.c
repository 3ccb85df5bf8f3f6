/* Two tensors walked side by side, and how long that may take. */
#include <string.h>

#include "exec/compare_parts.h"
#include "exec/ulp.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/thread_pool.h"

enum { WORTH = 1 << 14 }; /* elements of a part: some 50 us */

struct dg_pair dg_pair_of(const struct dg_tensor *reference,
                          const struct dg_tensor *tested)
{
    return (struct dg_pair){.reference = reference,
                            .tested = tested,
                            .integers = dg_fraction_bits(reference->type) < 0 &&
                                        dg_fraction_bits(tested->type) < 0,
                            .times = 1};
}

struct parts {
    const struct dg_walk *walk;
    dg_line_fn *fn;
    char *states;
    size_t size;
    int n;
};

static void run_parts(void *data, int64_t from, int64_t to)
{
    const struct parts *parts = data;
    int64_t n_pieces = dg_walk_n_pieces(parts->walk);

    for (int64_t i = from; i < to; i++) {
        char *state = parts->states + (size_t)i * parts->size;
        int64_t first = n_pieces * i / parts->n, end = n_pieces * (i + 1) / parts->n;

        ((struct dg_pair *)state)->seen = dg_walk_before(parts->walk, first);
        dg_walk_pieces(parts->walk, first, end, parts->fn, state);
    }
}

int dg_pair_walk(void *states, size_t size, dg_line_fn *fn)
{
    struct dg_pair *pair = states;
    struct dg_tensor *const tensors[] = {
        (struct dg_tensor *)pair->reference, (struct dg_tensor *)pair->tested,
        (struct dg_tensor *)pair->beside[0], (struct dg_tensor *)pair->beside[1]};
    struct dg_walk walk;
    struct parts parts = {&walk, fn, states, size, DG_PAIR_PARTS};

    dg_walk_begin(&walk, pair->beside[0] ? 4 : 2, tensors);
    pair->times = dg_walk_once(&walk);
    while (parts.n > 1 &&
           dg_walk_before(&walk, dg_walk_n_pieces(&walk)) / parts.n < WORTH)
        parts.n /= 2;
    for (int i = 1; i < parts.n; i++)
        memcpy((char *)states + (size_t)i * size, states, size);
    dg_parallel(dg_thread_pool_size(), parts.n, 1, run_parts, &parts);
    return parts.n;
}

void dg_pair_load(struct dg_pair_piece *piece, const struct dg_pair *pair,
                  char *const *at, const int64_t *strides, int64_t n)
{
    dg_load_f64(piece->ref, pair->reference->type, at[0], strides[0], n);
    dg_load_f64(piece->got, pair->tested->type, at[1], strides[1], n);
    if (!pair->integers)
        return;
    dg_load_i64(piece->ref_int, pair->reference->type, at[0], strides[0], n);
    dg_load_i64(piece->got_int, pair->tested->type, at[1], strides[1], n);
}

static bool repeats(const struct dg_tensor *const *tensors, int n, int dim)
{
    for (int k = 0; k < n; k++) {
        if (tensors[k] && tensors[k]->strides[dim])
            return false;
    }
    return true;
}

int64_t dg_pair_index(const struct dg_pair *pair, int64_t seen)
{
    const struct dg_tensor *all[] = {pair->reference, pair->tested, pair->beside[0],
                                     pair->beside[1]};
    int64_t index = 0, step = 1;

    if (seen < 0)
        return -1;
    for (int dim = all[0]->rank - 1; dim >= 0; dim--) {
        if (!repeats(all, 4, dim)) {
            index += seen % all[0]->sizes[dim] * step;
            seen /= all[0]->sizes[dim];
        }
        step *= all[0]->sizes[dim];
    }
    return index;
}

/* Windows that overlap a few times are as usual as they are cheap. */
enum { FREE = 1 << 26, TIMES_MOST = 4 };

bool dg_repeats_endlessly(const struct dg_tensor *const *tensors, int n)
{
    double read = 1, stored = 0;

    for (int dim = 0; dim < tensors[0]->rank; dim++)
        read *= repeats(tensors, n, dim) ? 1 : (double)tensors[0]->sizes[dim];
    for (int k = 0; k < n; k++) {
        if (tensors[k])
            stored = fmax(stored, (double)(tensors[k]->storage->size /
                                           dg_type_bytes(tensors[k]->type)));
    }
    return read > FREE && read > TIMES_MOST * stored;
}
