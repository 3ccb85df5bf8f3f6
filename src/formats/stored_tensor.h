/* Tensors over bytes of a file, which rows describe and nobody has checked. */
#ifndef DG_FORMATS_STORED_TENSOR_H
#define DG_FORMATS_STORED_TENSOR_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/tensor.h"

/* A tensor over `bytes`, which are copied to `memory` where they are not aligned;
 * `strides` NULL: contiguous. NULL: it does not fit into the bytes. */
struct dg_tensor *dg_stored_tensor(enum dg_type type, int rank, const int64_t *sizes,
                                   const int64_t *strides, int64_t offset,
                                   struct dg_bytes bytes, struct dg_arena *memory);

/* Strides of a dense tensor whose dimensions lie in `order`, the outermost first;
 * false: `order` is no permutation. */
bool dg_strides_in_order(int rank, const int64_t *sizes, const int64_t *order,
                         int64_t *strides);

/* Bytes at an address where elements of `size` bytes can be read; `size` 0: a copy. */
const void *dg_aligned_bytes(struct dg_bytes bytes, size_t size,
                             struct dg_arena *memory);

/* `size` bytes at `offset` of `file`; false: they are not all there. */
bool dg_stored_bytes(struct dg_bytes file, int64_t offset, int64_t size,
                     struct dg_bytes *bytes);

#endif
