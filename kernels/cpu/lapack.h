/* LAPACK, opened when a kernel first needs it. Matrices lie column after column. */
#ifndef DG_KERNELS_CPU_LAPACK_H
#define DG_KERNELS_CPU_LAPACK_H

#include "kernels/kernel.h"

/* A matrix of f32, f64, c64 or c128; neither size is 0. */
struct dg_columns {
    enum dg_type type;
    int rows, columns;
    void *data;
};

/* DG_ERR_DEVICE: it is not on this machine. Before any of these: */
enum dg_status dg_lapack_load(struct dg_call *call);

/* What LAPACK says of a call: 0, or at which step it met a 0 or did not converge; below
 * 0: it found no memory. Sizes, pivots and elements must fit together: LAPACK ends the
 * process where they do not. */

/* P L U in the place of `a`; `pivots`: as many as the lesser size. */
int dg_lapack_lu(struct dg_columns a, int32_t *pivots);
/* `b` becomes a^-1 b, or for `way` 'C' that of the adjoint. */
int dg_lapack_lu_solve(struct dg_columns lu, const int32_t *pivots, char way,
                       struct dg_columns b);
/* `side`: the triangle that counts, 'L' or 'U'. */
int dg_lapack_cholesky(struct dg_columns a, char side);
int dg_lapack_cholesky_solve(struct dg_columns factor, char side, struct dg_columns b);
int dg_lapack_cholesky_invert(struct dg_columns factor, char side);
/* L D L^T of the lower triangle; of Hermitian matrices L D L^H. */
int dg_lapack_ldl(struct dg_columns a, bool hermitian, int32_t *pivots);
int dg_lapack_ldl_solve(struct dg_columns factor, bool hermitian, const int32_t *pivots,
                        struct dg_columns b);
/* R above and reflectors below; `scales`: as many as the lesser size. */
int dg_lapack_qr(struct dg_columns a, void *scales);
/* The first columns of the product of `n` reflectors, at most as many as columns, of
 * which there are at most as many as rows. */
int dg_lapack_reflect(struct dg_columns reflectors, int n, const void *scales);
/* `c` times the product of `n` reflectors, or its adjoint (`way` 'C'), from the left
 * ('L') or right. */
int dg_lapack_reflect_other(struct dg_columns reflectors, int n, const void *scales,
                            char side, char way, struct dg_columns c);
/* Finite elements only. `job`: 'A' all vectors, 'S' as many as the lesser size, 'N'
 * none. `values` are real. */
int dg_lapack_svd(struct dg_columns a, char job, void *values, struct dg_columns u,
                  struct dg_columns vh);
int dg_lapack_eigh(struct dg_columns a, char job, char side, void *values);
/* Of complex numbers; `vectors.data` NULL: values alone. */
int dg_lapack_eig(struct dg_columns a, void *values, struct dg_columns vectors);

#endif
