/* Two tensors walked side by side, and how long that may take. */
#include "exec/compare_parts.h"
#include "exec/ulp.h"
#include "kernels/cpu/line.h"

struct dg_pair dg_pair_of(const struct dg_tensor *reference,
                          const struct dg_tensor *tested)
{
    return (struct dg_pair){.reference = reference,
                            .tested = tested,
                            .integers = dg_fraction_bits(reference->type) < 0 &&
                                        dg_fraction_bits(tested->type) < 0,
                            .times = 1};
}

void dg_pair_walk(struct dg_pair *pair, dg_line_fn *fn, void *data)
{
    struct dg_tensor *const tensors[] = {
        (struct dg_tensor *)pair->reference, (struct dg_tensor *)pair->tested,
        (struct dg_tensor *)pair->beside[0], (struct dg_tensor *)pair->beside[1]};
    struct dg_walk walk;

    dg_walk_begin(&walk, pair->beside[0] ? 4 : 2, tensors);
    pair->seen = 0;
    pair->times = dg_walk_once(&walk);
    dg_walk_lines(&walk, 1, fn, data);
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
