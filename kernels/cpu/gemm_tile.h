/* A tile of a matrix product: packed piece by piece, multiplied, stored. */
#ifndef DG_KERNELS_CPU_GEMM_TILE_H
#define DG_KERNELS_CPU_GEMM_TILE_H

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemm_pack.h"

enum { DG_GEMM_STRIP_MOST = DG_GEMM_STRIP_PANELS * DG_GEMM_PANEL / sizeof(float) };

union dg_gemm_number {
    double real;
    int64_t integer;
};

/* What differs between f64, f32 and i64. */
struct dg_gemm_arithmetic {
    enum dg_type type; /* of sums */
    size_t size;
    int64_t columns; /* of a panel of b */
    dg_gemm_inner_fn *(*inner)(size_t widest);
    const struct dg_gemm_packing *packing;
    /* line[i] = alpha * sums[i] + beta * add[i], of the sums' type; add NULL: none */
    void (*finish)(const struct dg_gemm *gemm, const void *sums,
                   const union dg_gemm_number *add, void *line, int64_t n);
};

/* How a request is computed. */
struct dg_gemm_job {
    const struct dg_gemm *gemm;
    const struct dg_gemm_arithmetic *arithmetic;
    dg_gemm_inner_fn *inner;
    int64_t tile_rows, tile_columns; /* at most; multiples of panels */
    int64_t n_row_tiles, n_column_tiles;
    int64_t depth; /* of k that is packed at a time */
};

/* Memory of one thread. */
struct dg_gemm_bench {
    char *a, *b, *sums;
    union dg_gemm_number line[DG_GEMM_STRIP_MOST], /* before it is converted */
        add[DG_GEMM_STRIP_MOST];
    union dg_gemm_scratch scratch;
};

/* A part of one product. */
struct dg_gemm_tile {
    const char *a, *b, *add;
    char *c;
    int64_t row, column, rows, columns;
};

const struct dg_gemm_arithmetic *dg_gemm_arithmetic_of(const struct dg_gemm *gemm);

/* All columns of b, for dg_gemm_run_tile(), of a product that has job->gemm->packed. */
void dg_gemm_pack_columns(const struct dg_gemm_job *job, char *to,
                          union dg_gemm_scratch *scratch);

/* Elements of c, from all of k. */
void dg_gemm_run_tile(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                      struct dg_gemm_bench *bench);

#endif
