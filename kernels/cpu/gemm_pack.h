/* Tiles of matrices as the innermost loop of products reads them. */
#ifndef DG_KERNELS_CPU_GEMM_PACK_H
#define DG_KERNELS_CPU_GEMM_PACK_H

#include "base/tensor.h"
#include "kernels/cpu/gemm_inner.h"

enum {
    DG_GEMM_TILE_ROWS = 43 * DG_GEMM_ROWS, /* whole panels: those of a tile are, too */
    DG_GEMM_TILE_COLUMNS = 1024,
    DG_GEMM_STRIP_PANELS = 4, /* of b that are packed together: they fit the second
                                 cache beside the rows of a tile */
    DG_GEMM_TURNED = 16,      /* lines that are turned together */
};

/* How many parts of at most `most` there are. */
static inline int64_t dg_gemm_parts(int64_t count, int64_t most)
{
    return (count + most - 1) / most;
}

static inline int64_t dg_gemm_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Memory for what is loaded before it finds its place. */
union dg_gemm_scratch {
    double reals[DG_GEMM_TURNED * DG_GEMM_TILE_ROWS];
    float singles[DG_GEMM_TURNED * DG_GEMM_TILE_ROWS];
    int64_t integers[DG_GEMM_TURNED * DG_GEMM_TILE_ROWS];
};

/* The side of a tile: `count` rows of a, or columns of b, that are `across` elements
 * apart; what follows along k is `depth` apart. */
struct dg_gemm_side {
    const char *data;
    enum dg_type type;
    int64_t across, depth, count;
};

/* What a side of depth k reads: `count` lines of `bytes`, `step` bytes apart. */
struct dg_gemm_lines {
    const char *data;
    int64_t step, bytes, count;
};

/* Of a side whose elements lie side by side in neither direction there are none. */
struct dg_gemm_lines dg_gemm_lines_of(const struct dg_gemm_side *side, int64_t k);

/* Short lines that are far apart are found by no processor itself: these are on their
 * way into the second cache. */
void dg_gemm_ask_for(const struct dg_gemm_lines *lines, int64_t from, int64_t to);

/* Packing for one type of sum. */
struct dg_gemm_packing {
    /* k elements of each row, row after row. */
    void (*rows)(void *to, const struct dg_gemm_side *side, int64_t k,
                 union dg_gemm_scratch *scratch);
    /* Panels of DG_GEMM_PANEL bytes of columns: for each k a line of them. */
    void (*columns)(void *to, const struct dg_gemm_side *side, int64_t k,
                    union dg_gemm_scratch *scratch);
    /* Row i of these rows of k elements, from f64 or i64. */
    void (*row)(void *to, const union dg_gemm_scratch *line, int64_t i, int64_t k);
    /* Line p of k of these panels, from f64 or i64; of `own` type if that is narrow. */
    void (*line)(void *to, const union dg_gemm_scratch *line, bool own, int64_t count,
                 int64_t p, int64_t k);
};

extern const struct dg_gemm_packing dg_gemm_packing_f64, dg_gemm_packing_f32,
    dg_gemm_packing_i64;

#endif
