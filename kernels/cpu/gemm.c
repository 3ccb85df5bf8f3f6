/* Batches of matrix products: tiles spread over threads. */
#include "kernels/cpu/gemm.h"

#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/gemm_tile.h"
#include "kernels/cpu/parallel.h"

enum {
    ROWS = DG_GEMM_ROWS,
    DEPTH = 128, /* of k at a time: a panel of b takes 32 KiB of the first cache */
};

static const char *of_product(const struct dg_gemm *gemm,
                              const struct dg_gemm_matrix *matrix, int64_t product)
{
    int64_t offset = 0;

    if (!matrix->data)
        return NULL;
    for (int dim = gemm->batch_rank - 1; dim >= 0; dim--) {
        offset += product % gemm->batch_sizes[dim] * matrix->batch[dim];
        product /= gemm->batch_sizes[dim];
    }
    return (const char *)matrix->data + offset * (int64_t)dg_type_bytes(matrix->type);
}

/* Where the part `number` of `n` begins, of `count` lines in panels of `width`: parts
 * differ by one panel at most. */
static int64_t begin_of(int64_t number, int64_t n, int64_t count, int64_t width)
{
    return dg_gemm_least(dg_gemm_parts(count, width) * number / n * width, count);
}

static struct dg_gemm_tile tile_of(const struct dg_gemm_job *job, int64_t number)
{
    const struct dg_gemm *gemm = job->gemm;
    int64_t n_columns = job->n_column_tiles, n_rows = job->n_row_tiles;
    int64_t column = number % n_columns, row = number / n_columns % n_rows;
    int64_t product = number / n_columns / n_rows, width = job->arithmetic->columns;
    struct dg_gemm_tile tile = {
        .a = of_product(gemm, &gemm->a, product),
        .b = of_product(gemm, &gemm->b, product),
        .add = gemm->beta != 0 ? of_product(gemm, &gemm->add, product) : NULL,
        .c = (char *)of_product(gemm, &gemm->c, product),
        .row = begin_of(row, n_rows, gemm->m, ROWS),
        .column = begin_of(column, n_columns, gemm->n, width),
    };

    tile.rows = begin_of(row + 1, n_rows, gemm->m, ROWS) - tile.row;
    tile.columns = begin_of(column + 1, n_columns, gemm->n, width) - tile.column;
    return tile;
}

static void run_tiles(void *data, int64_t from, int64_t to)
{
    const struct dg_gemm_job *job = data;
    int64_t strip = DG_GEMM_STRIP_PANELS * job->arithmetic->columns;
    size_t size = job->arithmetic->size;
    size_t sums = (size_t)(job->tile_rows * job->tile_columns) * size;
    struct dg_arena memory = {0};
    struct dg_gemm_bench *bench = dg_alloc(&memory, 1, sizeof(*bench));

    bench->a = dg_alloc(&memory, (size_t)(job->tile_rows * job->depth), size);
    bench->b = dg_alloc(&memory, (size_t)(strip * job->depth), size);
    bench->sums = dg_alloc(&memory, 1, sums);
    for (int64_t number = from; number < to; number++) {
        struct dg_gemm_tile tile = tile_of(job, number);

        dg_gemm_run_tile(job, &tile, bench);
    }
    dg_arena_clear(&memory);
}

/* Rows and columns of tiles: equal shares, and as many for each thread. */
static void choose_tiles(struct dg_gemm_job *job, int64_t n_products, int n_threads)
{
    int64_t m = job->gemm->m, n = job->gemm->n, width = job->arithmetic->columns;

    job->n_row_tiles = dg_gemm_parts(m, DG_GEMM_TILE_ROWS);
    job->n_column_tiles = dg_gemm_parts(n, DG_GEMM_TILE_COLUMNS);
    while (n_products * job->n_row_tiles * job->n_column_tiles % n_threads &&
           job->n_column_tiles < 4 * n_threads && n > job->n_column_tiles * width)
        job->n_column_tiles++;
    while (n_products * job->n_row_tiles * job->n_column_tiles < n_threads &&
           m > job->n_row_tiles * ROWS)
        job->n_row_tiles++; /* each of them packs all columns again */
    job->tile_rows = dg_gemm_parts(dg_gemm_parts(m, ROWS), job->n_row_tiles) * ROWS;
    job->tile_columns =
        dg_gemm_parts(dg_gemm_parts(n, width), job->n_column_tiles) * width;
}

/* c' = b' x a': columns are what vectors hold, so there should be many. */
static void swap_sides(struct dg_gemm *gemm)
{
    struct dg_gemm_matrix *matrices[] = {&gemm->a, &gemm->b, &gemm->add, &gemm->c},
                          a = gemm->a;
    int64_t m = gemm->m;

    gemm->a = gemm->b;
    gemm->b = a;
    gemm->m = gemm->n;
    gemm->n = m;
    for (int i = 0; i < 4; i++) {
        int64_t row = matrices[i]->row;

        matrices[i]->row = matrices[i]->column;
        matrices[i]->column = row;
    }
}

static struct dg_gemm_job job_of(const struct dg_gemm *gemm)
{
    return (struct dg_gemm_job){.gemm = gemm,
                                .arithmetic = dg_gemm_arithmetic_of(gemm),
                                .depth = dg_gemm_least(gemm->k, DEPTH)};
}

size_t dg_gemm_packed_bytes(const struct dg_gemm *gemm)
{
    const struct dg_gemm_arithmetic *arithmetic = dg_gemm_arithmetic_of(gemm);

    return (size_t)(gemm->k * dg_gemm_parts(gemm->n, arithmetic->columns) *
                    arithmetic->columns) *
           arithmetic->size;
}

void dg_gemm_pack(const struct dg_gemm *gemm, void *to)
{
    struct dg_gemm_job job = job_of(gemm);
    struct dg_arena memory = {0};

    memset(to, 0, dg_gemm_packed_bytes(gemm)); /* behind the last column */
    dg_gemm_pack_columns(&job, to, dg_alloc(&memory, 1, sizeof(union dg_gemm_scratch)));
    dg_arena_clear(&memory);
}

void dg_gemm(const struct dg_context *context, const struct dg_gemm *request)
{
    struct dg_gemm gemm = *request;
    struct dg_gemm_job job = job_of(&gemm);
    int64_t n_products = 1;
    double tile;

    for (int dim = 0; dim < gemm.batch_rank; dim++)
        n_products *= gemm.batch_sizes[dim];
    if (n_products == 0 || gemm.m == 0 || gemm.n == 0)
        return;
    if (!gemm.a_line && !gemm.b_line && !gemm.packed && gemm.n < ROWS &&
        gemm.m > gemm.n)
        swap_sides(&gemm);
    job.inner = job.arithmetic->inner(SIZE_MAX);
    choose_tiles(&job, n_products, context->n_threads > 1 ? context->n_threads : 1);
    tile = (double)job.tile_rows * (double)job.tile_columns * (double)gemm.k;
    dg_parallel(context->n_threads, n_products * job.n_row_tiles * job.n_column_tiles,
                (int64_t)(1e6 / (tile + 100)) + 1, run_tiles, &job);
}
