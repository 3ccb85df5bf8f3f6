/* The innermost loop of matrix products, for each type of sum. */
#ifndef DG_KERNELS_CPU_GEMM_INNER_H
#define DG_KERNELS_CPU_GEMM_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `a` has DG_GEMM_ROWS rows of k elements, one after the other; `b` for each k a line
 * of DG_GEMM_PANEL bytes of columns, and `c` for each row such a line. */
enum { DG_GEMM_ROWS = 6, DG_GEMM_PANEL = 256 };

/* c[i,j] += sum over k of a[i,k] * b[k,j], one product after the other; at least the
 * first `columns` of c. `begins`: c was not set, and counts as 0. A product is not
 * rounded before it is added. */
typedef void dg_gemm_inner_fn(int64_t k, const void *a, const void *b, void *c,
                              int64_t columns, bool begins);

/* With the widest vectors that the processor at hand has, but none beyond `widest`
 * bytes. All give the same bits. */
dg_gemm_inner_fn *dg_gemm_inner_f64(size_t widest);
dg_gemm_inner_fn *dg_gemm_inner_f32(size_t widest);
dg_gemm_inner_fn *dg_gemm_inner_i64(size_t widest);

#endif
