/* The innermost loop of matrix products, for each type of sum. */
#ifndef DG_KERNELS_CPU_GEMM_INNER_H
#define DG_KERNELS_CPU_GEMM_INNER_H

#include <stdint.h>

/* `a` is a panel of DG_GEMM_ROWS rows, `b` one of DG_GEMM_PANEL bytes of columns; both
 * hold what belongs to one k side by side. `c` has the rows of the block one after the
 * other. */
enum { DG_GEMM_ROWS = 6, DG_GEMM_PANEL = 128 };

/* c[i,j] += sum over k of a[k,i] * b[k,j], one product after the other; at least the
 * first `columns` of c. */
typedef void dg_gemm_inner_fn(int64_t k, const void *a, const void *b, void *c,
                              int64_t columns);

/* For the processor at hand. */
dg_gemm_inner_fn *dg_gemm_inner_f64(void);
dg_gemm_inner_fn *dg_gemm_inner_f32(void);
dg_gemm_inner_fn *dg_gemm_inner_i64(void);

#endif
