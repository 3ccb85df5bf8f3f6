/* What kernels that move elements share. Elements move as bytes, whatever their type.
 */
#ifndef DG_KERNELS_CPU_MOVEMENT_H
#define DG_KERNELS_CPU_MOVEMENT_H

#include "kernels/kernel.h"

/* Argument `i`, which must be a tensor; NULL: it is not, and call->err says so. */
struct dg_tensor *dg_need_tensor(struct dg_call *call, size_t i);
/* Tensors of a list, NULL for None, in the call's scratch memory. */
struct dg_tensor **dg_arg_tensors(struct dg_call *call, size_t i, size_t *n);
/* Integers of a list of any length, in the call's scratch memory. */
int64_t *dg_arg_all_ints(struct dg_call *call, size_t i, size_t *n);
/* Argument `i`, a scalar, as the bytes of one element of `type`. */
void dg_scalar_bytes(const struct dg_call *call, size_t i, enum dg_type type,
                     void *bytes);

/* A shape over the storage of `base` that nobody counts: for the length of a call. */
struct dg_tensor dg_shaped(const struct dg_tensor *base, int rank, const int64_t *sizes,
                           const int64_t *strides);
/* `tensor` broadcast to a shape that it was checked to fit. */
struct dg_tensor dg_expanded(const struct dg_tensor *tensor, int rank,
                             const int64_t *sizes);

/* Strides by which `tensor` has another shape of as many elements; false: only a copy
 * can. */
bool dg_reshape_strides(const struct dg_tensor *tensor, int rank, const int64_t *sizes,
                        int64_t *strides);
/* `tensor` as one dimension, contiguous: one share. NULL: failed. */
struct dg_tensor *dg_flattened(struct dg_call *call, struct dg_tensor *tensor);

/* Result 0 as a view. */
enum dg_status dg_give_view(struct dg_call *call, const struct dg_tensor *base,
                            int rank, const int64_t *sizes, const int64_t *strides,
                            int64_t offset);
/* Result 0 as a list of `n` items, all NONE; NULL: failed. */
struct dg_arg *dg_give_list(struct dg_call *call, int64_t n);
struct dg_arg *dg_give_list_as(struct dg_call *call, size_t result, int64_t n);
/* Result 0 as a contiguous copy of `from`; NULL: failed. */
struct dg_tensor *dg_result_copy(struct dg_call *call, struct dg_tensor *from);

/* What rot90 does to argument 0: the dimensions change places, and elements are read
 * from the end of those that are reversed. */
struct dg_rotation {
    struct dg_tensor view;
    int dims[2];
    bool reversed[2];
};
/* By arguments 1 and 2, which are checked. */
enum dg_status dg_rotation_read(struct dg_call *call, struct dg_rotation *rotation);

/* Copy elements; those of one type keep their bits. `from` broadcasts to `to`. */
void dg_move_elements(struct dg_tensor *to, struct dg_tensor *from, int n_threads);
/* An element of 16 bytes. */
struct dg_sixteen {
    uint64_t halves[2];
};
/* `n` elements of 1, 2, 4, 8 or 16 bytes; strides in elements. */
void dg_move_line(size_t bytes, char *to, int64_t to_stride, const char *from,
                  int64_t from_stride, int64_t n);
/* Every element of `to`, contiguous, becomes `bytes`, or 0. */
void dg_fill_elements(struct dg_tensor *to, const void *bytes);
void dg_zero_elements(struct dg_tensor *to);

/* For each dimension where an element of the result comes from: its index in the
 * source, -1 for the fill value; NULL: from its own index. */
struct dg_axes {
    const int64_t *source[DG_RANK_MOST];
};

/* `out`, contiguous, from `in` of the same rank. `fill` may be NULL where no source is
 * -1. */
void dg_take_axes(struct dg_tensor *out, const struct dg_tensor *in,
                  const struct dg_axes *axes, const void *fill, int n_threads);

#endif
