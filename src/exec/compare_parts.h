/* What comparisons of two tensors share: both walked side by side, piece by piece. */
#ifndef DG_EXEC_COMPARE_PARTS_H
#define DG_EXEC_COMPARE_PARTS_H

#include <float.h>
#include <math.h>

#include "exec/compare.h"
#include "kernels/cpu/walk.h"

/* Both of one shape. Integers are compared as such: f64 rounds beyond 2^53. */
struct dg_pair {
    const struct dg_tensor *reference, *tested;
    const struct dg_tensor *beside[2]; /* walked with them; both NULL: none */
    bool integers;
    int64_t seen;  /* elements of the pieces before */
    int64_t times; /* each of them stands for so many: what both repeat is read once */
};

struct dg_pair_piece {
    double ref[DG_LINE_MOST], got[DG_LINE_MOST];
    int64_t ref_int[DG_LINE_MOST], got_int[DG_LINE_MOST];
};

struct dg_pair dg_pair_of(const struct dg_tensor *reference,
                          const struct dg_tensor *tested);

/* Walk a pair in parts, side by side. `states` has room for DG_PAIR_PARTS of `size`
 * bytes, each of which begins with its struct dg_pair; the first one is copied to as
 * many as are used, and fn gets the one of its part. How many these are depends on the
 * shapes alone, and so does what comes of joining them in their order. */
enum { DG_PAIR_PARTS = 16 };
int dg_pair_walk(void *states, size_t size, dg_line_fn *fn);
void dg_pair_load(struct dg_pair_piece *piece, const struct dg_pair *pair,
                  char *const *at, const int64_t *strides, int64_t n);
/* Flat index, in the shape of all, of the first element that number `seen` of those
 * that are read stands for; -1 stays -1. */
int64_t dg_pair_index(const struct dg_pair *pair, int64_t seen);

static inline bool dg_pair_same(const struct dg_pair *pair,
                                const struct dg_pair_piece *piece, int64_t i)
{
    if (pair->integers)
        return piece->ref_int[i] == piece->got_int[i];
    return piece->ref[i] == piece->got[i] ||
           (isnan(piece->ref[i]) && isnan(piece->got[i]));
}

static inline double dg_difference(double a, double b)
{
    double distance = fabs(a - b);

    return distance < DBL_MAX ? distance : DBL_MAX;
}

#endif
