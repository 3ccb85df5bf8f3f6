/* What families of linear algebra share. */
#ifndef DG_KERNELS_CPU_LINALG_H
#define DG_KERNELS_CPU_LINALG_H

#include "kernels/cpu/matrices.h"

/* P L U of matrices, or of their adjoints. */
struct dg_lu {
    struct dg_matrices lu, pivots; /* from 1 on */
    struct dg_matrices info; /* by matrix: where its U has a first 0; 0: nowhere */
    bool of_adjoint;
};

enum dg_status dg_lu_factor(struct dg_lu *factors, struct dg_call *call,
                            const struct dg_tensor *tensor, enum dg_matrix_form form);
enum dg_status dg_lu_need_regular(const struct dg_lu *factors);
/* DG_ERR_DEVICE where matrices of `type` are singular as far as f32 can tell: right
 * code may give anything. */
enum dg_status dg_lu_need_certain(const struct dg_lu *factors, enum dg_type type);
/* `b` becomes a^-1 b, or that of the adjoint. */
enum dg_status dg_lu_solve(const struct dg_lu *factors, bool adjoint,
                           const struct dg_matrices *b);
/* The inverses of what was factored. */
enum dg_status dg_lu_invert(const struct dg_lu *factors, struct dg_matrices *inverse);

/* Singular values, the largest first, as columns of real numbers; the matrices are used
 * up. Vectors as LAPACK's `job` asks; NULL for 'N'. */
enum dg_status dg_singular_values(const struct dg_matrices *matrices, char job,
                                  struct dg_matrices *u, struct dg_matrices *values,
                                  struct dg_matrices *vh);
/* Eigenvalues of Hermitian matrices, whose triangle `side` counts, the least first;
 * `matrices` become their vectors, or are used up. */
enum dg_status dg_eigen_values(const struct dg_matrices *matrices, char side,
                               bool vectors, struct dg_matrices *values);

#endif
