/* Elements that index tensors name: reading and writing them. */
#ifndef DG_KERNELS_CPU_INDEXING_H
#define DG_KERNELS_CPU_INDEXING_H

#include "kernels/kernel.h"

/* `index` as contiguous i64 from 0 to size - 1; `wrap`: -1 names the last. `dim` is for
 * the message. One share; NULL: failed. */
struct dg_tensor *dg_checked_indices(struct dg_call *call, struct dg_tensor *index,
                                     int dim, int64_t size, bool wrap);

/* Whether indices of the shape of `at` fit: along `dim` of `to` they choose, elsewhere
 * they are inside of it, and of `src` (NULL: nothing is read) the first are taken.
 * Otherwise false, and call->err says so. Indices of no elements always do. */
bool dg_indices_fit(struct dg_call *call, const struct dg_tensor *at,
                    const struct dg_tensor *to, int dim, const struct dg_tensor *src);

/* A 0-d tensor as a vector of one; others as they are. */
struct dg_tensor dg_as_vector(const struct dg_tensor *tensor);
/* A vector of indices along `dim` of a shape, repeated along the others. */
struct dg_tensor dg_spread_along(const struct dg_tensor *index, int dim, int rank,
                                 const int64_t *sizes);

/* out[i, j, ...] = self[i, index[i, j, ...], ...]; `index` has the shape of `out`, and
 * was checked. */
void dg_gather_along(struct dg_tensor *out, const struct dg_tensor *self, int dim,
                     struct dg_tensor *index, int n_threads);
/* to[i, index[i, j, ...], ...] = src[i, j, ...]; `index` and `src` have one shape. Of
 * several values for one element the last stays. */
void dg_scatter_along(const struct dg_tensor *to, int dim, struct dg_tensor *index,
                      struct dg_tensor *src);

enum dg_merge {
    DG_MERGE_SUM,
    DG_MERGE_PROD,
    DG_MERGE_MEAN,
    DG_MERGE_MAX,
    DG_MERGE_MIN
};

struct dg_merging {
    enum dg_merge how;
    bool include_self;          /* else the first value replaces what is there */
    enum dg_type steps;         /* in a run of OWN_SUMS each step rounds to this */
    const struct dg_arg *alpha; /* factor of src, of a sum; NULL: 1 */
};

/* As dg_scatter_along(), but values for one element merge; `to` is a shape over `out`,
 * a new result. */
enum dg_status dg_merge_along(struct dg_call *call, struct dg_tensor *out,
                              const struct dg_tensor *to, int dim,
                              struct dg_tensor *index, struct dg_tensor *src,
                              const struct dg_merging *merging);

/* Where `tensor` is not 0, in order: i64 [n, rank]; one share, NULL: failed. */
struct dg_tensor *dg_nonzero(struct dg_call *call, struct dg_tensor *tensor);

#endif
