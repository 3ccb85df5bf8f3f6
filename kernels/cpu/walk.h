/* Several tensors element by element, broadcast to the shape of the first. */
#ifndef DG_KERNELS_CPU_WALK_H
#define DG_KERNELS_CPU_WALK_H

#include "kernels/kernel.h"

enum { DG_WALK_MOST = 6, DG_LINE_MOST = 1024 };

struct dg_walk {
    int n, rank;
    int64_t sizes[DG_RANK_MOST];
    int64_t strides[DG_WALK_MOST][DG_RANK_MOST]; /* elements; 0 where broadcast */
    char *bases[DG_WALK_MOST];
    size_t bytes[DG_WALK_MOST]; /* per element */
    int64_t n_lines;
};

/* A piece of a line: `n` elements, at most DG_LINE_MOST, of each tensor k from at[k]
 * on, strides[k] elements apart. Called from several threads. */
typedef void dg_line_fn(void *data, char *const *at, const int64_t *strides, int64_t n);

/* tensors[0] has the shape that the others broadcast to (checked by dg_broadcast). */
void dg_walk_begin(struct dg_walk *walk, int n, struct dg_tensor *const *tensors);
/* Visit once what all of them repeat, in dimensions where each has stride 0: how often
 * each element stands there. */
int64_t dg_walk_once(struct dg_walk *walk);
void dg_walk_lines(const struct dg_walk *walk, int n_threads, dg_line_fn *fn,
                   void *data);

/* The same piece by piece: how many there are, which elements of tensors[0] come before
 * one, and those from `from` up to `to` in their order. */
int64_t dg_walk_n_pieces(const struct dg_walk *walk);
int64_t dg_walk_before(const struct dg_walk *walk, int64_t piece);
void dg_walk_pieces(const struct dg_walk *walk, int64_t from, int64_t to,
                    dg_line_fn *fn, void *data);

/* The common shape of `n` tensors (NULL ones do not count); fails naming the sizes. */
enum dg_status dg_broadcast(struct dg_call *call, int n,
                            struct dg_tensor *const *tensors, int *rank,
                            int64_t *sizes);

/* Copy elements, converting as torch's `to` does; `from` broadcasts to `to`. */
void dg_copy_elements(struct dg_tensor *to, struct dg_tensor *from, int n_threads);

/* A copy with memory of its own: contiguous, or with the strides of `tensor` where that
 * shows elements of a shorter stretch of memory more than once. NULL: failed. */
struct dg_tensor *dg_copy_apart(struct dg_memory *memory, struct dg_tensor *tensor,
                                int n_threads, struct dg_error *err);

/* `tensor` where it is contiguous, else a contiguous copy: one share either way. NULL:
 * failed. */
struct dg_tensor *dg_contiguous(struct dg_call *call, struct dg_tensor *tensor);

#endif
