/* Elements found by index tensors: what embedding, gather, index and scatter share. */
#ifndef DG_KERNELS_CUDA_INDEXED_CUH
#define DG_KERNELS_CUDA_INDEXED_CUH

#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/map.cuh"
#include "kernels/cuda/state.h"

/* A tensor whose dimensions are partly indexed, seen in the shape of the elements that
 * are chosen: strides are 0 along what an index tensor stands for. */
struct indexed {
    struct dg_tensor whole;
    struct dg_tensor index[DG_INDEXED_MOST]; /* i64, in that shape */
    int dim[DG_INDEXED_MOST];                /* what it indexes, of which size */
    int64_t size[DG_INDEXED_MOST], step[DG_INDEXED_MOST];
    int n;
    bool wraps;                              /* negative indices count from the end */
    struct dg_tensor *held[DG_INDEXED_MOST]; /* shares */

    ~indexed()
    {
        for (struct dg_tensor *tensor : held)
            dg_tensor_drop(tensor);
    }
};

/* Dimension `dim` of `self` is indexed by `index`. */
enum dg_status add_index(struct dg_call *call, struct indexed *of,
                         const struct dg_tensor *self, int dim,
                         struct dg_tensor *index);
/* `tensor` over its own storage with another shape, all strides 0: for a call. */
struct dg_tensor spread(const struct dg_tensor *tensor, int rank, const int64_t *sizes);

/* out, contiguous, becomes the chosen elements. */
enum dg_status read_indexed(struct dg_call *call, const struct dg_tensor *out,
                            const struct indexed *from);
/* The chosen elements become `values`, which broadcast. */
enum dg_status write_indexed(struct dg_call *call, const struct indexed *to,
                             const struct dg_tensor *values);

/* Where the chosen elements lie, from the first of the storage on: i64, in their shape.
 * NULL: failed. */
struct dg_tensor *located(struct dg_call *call, const struct indexed *of);

enum merge { MERGE_SUM, MERGE_PROD, MERGE_MEAN, MERGE_MAX, MERGE_MIN };

struct merging {
    enum merge how;
    bool include_self; /* else the first value replaces what is there */
    double alpha;      /* factor of the values, of a sum */
};

/* The reduction that string argument `i` names; false: failed. */
bool read_merge(struct dg_call *call, size_t i, enum merge *how);
/* The chosen elements and `values`, of one type, become one; `values` broadcast. */
enum dg_status merge_indexed(struct dg_call *call, const struct indexed *to,
                             const struct dg_tensor *values,
                             const struct merging *merging);

#endif
