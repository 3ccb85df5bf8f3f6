/* Batches of matrix products: c = alpha * (a x b) + beta * add.
 *
 * Each element is summed over k = 0, 1, 2, ... one product after the other, so that no
 * blocking, vector width or number of threads shows in the result. */
#ifndef DG_KERNELS_CPU_GEMM_H
#define DG_KERNELS_CPU_GEMM_H

#include "kernels/kernel.h"

/* One matrix for each product; strides count elements. data NULL: none. */
struct dg_gemm_matrix {
    enum dg_type type;
    void *data;
    int64_t row, column;         /* strides */
    int64_t batch[DG_RANK_MOST]; /* strides of the batch's dimensions */
};

/* Load n elements of row `row` of a matrix from column `from` on into `line`, of f64 or
 * i64 as the sum is made in, or of `narrow_lines`; `matrix` points at the data of this
 * product. */
typedef void dg_gemm_line_fn(const void *data, const char *matrix, int64_t row,
                             int64_t from, int64_t n, void *line);

struct dg_gemm {
    int64_t m, n, k; /* c is m x n */
    int batch_rank;
    int64_t batch_sizes[DG_RANK_MOST];
    struct dg_gemm_matrix a, b, add, c;
    double alpha, beta;               /* beta 0: `add` is not read */
    dg_gemm_line_fn *a_line, *b_line; /* NULL: it lies by its strides */
    const void *line_data;
    bool integers;      /* sums in i64 that wrap */
    bool narrow;        /* sums in f32: otherwise f64 */
    bool narrow_lines;  /* these are f32, too */
    const void *packed; /* b, by dg_gemm_pack(): `b` is not read; NULL: it is packed
                           piece by piece, while it is used */
};

void dg_gemm(const struct dg_context *context, const struct dg_gemm *gemm);

/* For several products with one b, which have its n, k and type of sums in common, and
 * no batch: b as dg_gemm() packs it, in `to`, of dg_gemm_packed_bytes(). */
size_t dg_gemm_packed_bytes(const struct dg_gemm *gemm);
void dg_gemm_pack(const struct dg_gemm *gemm, void *to);

#endif
