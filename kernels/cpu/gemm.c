/* Batches of matrix products: tiles packed into panels, spread over threads. */
#include "kernels/cpu/gemm.h"

#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/gemm_pack.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vectorize.h"

enum {
    ROWS = DG_GEMM_ROWS,
    DEPTH = 256, /* of k at a time: a panel of b fits the first cache */
    STRIP_MOST = DG_GEMM_STRIP_PANELS * DG_GEMM_PANEL / sizeof(float),
};

static int64_t parts(int64_t count, int64_t most)
{
    return (count + most - 1) / most;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

union number {
    double real;
    int64_t integer;
};

/* What differs between f64, f32 and i64. */
struct arithmetic {
    size_t size;
    int64_t columns; /* of a panel of b */
    dg_gemm_inner_fn *(*inner)(size_t widest);
    const struct dg_gemm_packing *packing;
    /* line[i] = alpha * sums[i] + beta * add[i]; add NULL: none */
    void (*finish)(const struct dg_gemm *gemm, const void *sums,
                   const union number *add, union number *line, int64_t n);
};

#define ARITHMETIC(tag, scalar, member, factor)                                        \
    static void finish_##tag(const struct dg_gemm *gemm, const void *block,            \
                             const union number *add, union number *line, int64_t n)   \
    {                                                                                  \
        const scalar *sums = block;                                                    \
        scalar alpha = (scalar)(factor)gemm->alpha, beta = (scalar)(factor)gemm->beta; \
                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            line[i].member = alpha * sums[i];                                          \
        for (int64_t i = 0; add && i < n; i++)                                         \
            line[i].member = (scalar)line[i].member + beta * (scalar)add[i].member;    \
    }                                                                                  \
                                                                                       \
    static const struct arithmetic arithmetic_##tag = {                                \
        sizeof(scalar), DG_GEMM_PANEL / sizeof(scalar), dg_gemm_inner_##tag,           \
        &dg_gemm_packing_##tag, finish_##tag};

ARITHMETIC(f64, double, real, double)
ARITHMETIC(f32, float, real, double)
ARITHMETIC(i64, uint64_t, integer, int64_t)

static const struct arithmetic *arithmetic_of(const struct dg_gemm *gemm)
{
    return gemm->integers ? &arithmetic_i64
           : gemm->narrow ? &arithmetic_f32
                          : &arithmetic_f64;
}

struct job {
    const struct dg_gemm *gemm;
    const struct arithmetic *arithmetic;
    dg_gemm_inner_fn *inner;
    int64_t tile_rows, tile_columns; /* multiples of panels */
    int64_t n_row_tiles, n_column_tiles;
};

/* Memory of one thread. */
struct bench {
    char *a, *b, *sums;
    union number line[STRIP_MOST], add[STRIP_MOST];
    union dg_gemm_scratch scratch;
};

/* A part of one product. */
struct tile {
    const char *a, *b, *add;
    char *c;
    int64_t row, column, rows, columns;
};

/* Columns of a tile that are packed together, and the sums of these. */
struct strip {
    int64_t column, count;
    char *sums;
};

static int64_t padded_rows(const struct tile *tile)
{
    return parts(tile->rows, ROWS) * ROWS;
}

static void load(const struct dg_gemm *gemm, union number *line, enum dg_type type,
                 const char *from, int64_t stride, int64_t n)
{
    if (gemm->integers)
        dg_load_i64(&line->integer, type, from, stride, n);
    else
        dg_load_f64(&line->real, type, from, stride, n);
}

static const char *at(const char *data, const struct dg_gemm_matrix *matrix,
                      int64_t row, int64_t column)
{
    return data + (row * matrix->row + column * matrix->column) *
                      (int64_t)dg_type_bytes(matrix->type);
}

static void pack_rows(const struct job *job, const struct tile *tile, int64_t from,
                      int64_t k, struct bench *bench)
{
    const struct dg_gemm_matrix *a = &job->gemm->a;
    const struct dg_gemm_packing *packing = job->arithmetic->packing;
    dg_gemm_line_fn *line = job->gemm->a_line;
    struct dg_gemm_side side = {NULL, a->type, a->row, a->column, tile->rows};

    for (int64_t i = 0; line && i < tile->rows; i++) {
        line(job->gemm->line_data, tile->a, tile->row + i, from, k, &bench->scratch);
        packing->row(bench->a, &bench->scratch, i, k);
    }
    if (!line) {
        side.data = at(tile->a, a, tile->row, from);
        packing->rows(bench->a, &side, k, &bench->scratch);
    }
}

static void pack_columns(const struct job *job, const struct tile *tile,
                         const struct strip *strip, int64_t from, int64_t k,
                         struct bench *bench)
{
    const struct dg_gemm *gemm = job->gemm;
    const struct dg_gemm_packing *packing = job->arithmetic->packing;
    dg_gemm_line_fn *line = gemm->b_line;
    struct dg_gemm_side side = {NULL, gemm->b.type, gemm->b.column, gemm->b.row,
                                strip->count};

    for (int64_t p = 0; line && p < k; p++) {
        line(gemm->line_data, tile->b, from + p, strip->column, strip->count,
             &bench->scratch);
        packing->line(bench->b, &bench->scratch, strip->count, p, k);
    }
    if (!line) {
        side.data = at(tile->b, &gemm->b, from, strip->column);
        packing->columns(bench->b, &side, k, &bench->scratch);
    }
}

/* Add the products of k of the packed rows and columns to the sums of these. */
static void multiply(const struct job *job, const struct tile *tile,
                     const struct strip *strip, int64_t k, struct bench *bench)
{
    int64_t size = (int64_t)job->arithmetic->size, width = job->arithmetic->columns;
    char *sums = strip->sums;

    for (int64_t j = 0; j < strip->count; j += width) {
        for (int64_t i = 0; i < tile->rows; i += ROWS) {
            job->inner(k, bench->a + i * k * size, bench->b + j * k * size, sums,
                       strip->count - j);
            sums += ROWS * width * size;
        }
    }
}

static void finish_row(const struct job *job, const struct tile *tile,
                       const struct strip *strip, int64_t i, struct bench *bench)
{
    const struct dg_gemm *gemm = job->gemm;
    int64_t width = job->arithmetic->columns, size = (int64_t)job->arithmetic->size;
    int64_t panel = padded_rows(tile) * width;
    const char *add =
        tile->add ? at(tile->add, &gemm->add, tile->row + i, strip->column) : NULL;

    if (add)
        load(gemm, bench->add, gemm->add.type, add, gemm->add.column, strip->count);
    for (int64_t j = 0; j < strip->count; j += width)
        job->arithmetic->finish(gemm,
                                strip->sums + (j / width * panel + i * width) * size,
                                add ? bench->add + j : NULL, bench->line + j,
                                least(strip->count - j, width));
}

static void store(const struct job *job, const struct tile *tile,
                  const struct strip *strip, struct bench *bench)
{
    const struct dg_gemm_matrix *c = &job->gemm->c;

    for (int64_t i = 0; i < tile->rows; i++) {
        void *to = (void *)at(tile->c, c, tile->row + i, strip->column);

        finish_row(job, tile, strip, i, bench);
        if (job->gemm->integers)
            dg_store_i64(c->type, to, c->column, &bench->line->integer, strip->count);
        else
            dg_store_f64(c->type, to, c->column, &bench->line->real, strip->count);
    }
}

/* A piece of k for one strip; its sums are stored while they are in the cache. */
static void run_strip(const struct job *job, const struct tile *tile,
                      const struct strip *strip, int64_t from, int64_t k,
                      struct bench *bench)
{
    int64_t width = job->arithmetic->columns;
    int64_t columns = parts(strip->count, width) * width;

    if (!from)
        memset(strip->sums, 0,
               (size_t)(padded_rows(tile) * columns) * job->arithmetic->size);
    pack_columns(job, tile, strip, from, k, bench);
    multiply(job, tile, strip, k, bench);
    if (from + k == job->gemm->k)
        store(job, tile, strip, bench);
}

/* Of no products (k is 0) the sums are stored, too. */
static void run_tile(const struct job *job, const struct tile *tile,
                     struct bench *bench)
{
    int64_t most = DG_GEMM_STRIP_PANELS * job->arithmetic->columns, from = 0;

    do {
        int64_t k = least(job->gemm->k - from, DEPTH);

        pack_rows(job, tile, from, k, bench);
        for (int64_t j = 0; j < tile->columns; j += most) {
            struct strip strip = {tile->column + j, least(tile->columns - j, most),
                                  bench->sums + (size_t)(j * padded_rows(tile)) *
                                                    job->arithmetic->size};

            run_strip(job, tile, &strip, from, k, bench);
        }
        from += DEPTH;
    } while (from < job->gemm->k);
}

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

static struct tile tile_of(const struct job *job, int64_t number)
{
    const struct dg_gemm *gemm = job->gemm;
    int64_t column = number % job->n_column_tiles * job->tile_columns;
    int64_t row = number / job->n_column_tiles % job->n_row_tiles * job->tile_rows;
    int64_t product = number / job->n_column_tiles / job->n_row_tiles;
    struct tile tile = {
        .a = of_product(gemm, &gemm->a, product),
        .b = of_product(gemm, &gemm->b, product),
        .add = gemm->beta != 0 ? of_product(gemm, &gemm->add, product) : NULL,
        .c = (char *)of_product(gemm, &gemm->c, product),
        .row = row,
        .column = column,
        .rows = gemm->m - row,
        .columns = gemm->n - column,
    };

    if (tile.rows > job->tile_rows)
        tile.rows = job->tile_rows;
    if (tile.columns > job->tile_columns)
        tile.columns = job->tile_columns;
    return tile;
}

static void run_tiles(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;
    int64_t depth = least(job->gemm->k, DEPTH);
    int64_t strip = DG_GEMM_STRIP_PANELS * job->arithmetic->columns;
    size_t size = job->arithmetic->size;
    size_t sums = (size_t)(job->tile_rows * job->tile_columns) * size;
    struct dg_arena memory = {0};
    struct bench *bench = dg_alloc(&memory, 1, sizeof(*bench));

    bench->a = dg_alloc(&memory, (size_t)(job->tile_rows * depth), size);
    bench->b = dg_alloc(&memory, (size_t)(strip * depth), size);
    bench->sums = dg_alloc(&memory, 1, sums);
    for (int64_t number = from; number < to; number++) {
        struct tile tile = tile_of(job, number);

        run_tile(job, &tile, bench);
    }
    dg_arena_clear(&memory);
}

/* Rows and columns of tiles: equal shares, and as many for each thread. */
static void choose_tiles(struct job *job, int64_t n_products, int n_threads)
{
    int64_t m = job->gemm->m, n = job->gemm->n, width = job->arithmetic->columns;

    job->n_row_tiles = parts(m, DG_GEMM_TILE_ROWS);
    job->n_column_tiles = parts(n, DG_GEMM_TILE_COLUMNS);
    while (n_products * job->n_row_tiles * job->n_column_tiles % n_threads &&
           job->n_column_tiles < 4 * n_threads && n > job->n_column_tiles * width)
        job->n_column_tiles++;
    job->tile_rows = parts(parts(m, job->n_row_tiles), ROWS) * ROWS;
    job->tile_columns = parts(parts(n, job->n_column_tiles), width) * width;
    job->n_row_tiles = parts(m, job->tile_rows);
    job->n_column_tiles = parts(n, job->tile_columns);
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

void dg_gemm(const struct dg_context *context, const struct dg_gemm *request)
{
    struct dg_gemm gemm = *request;
    struct job job = {&gemm, arithmetic_of(&gemm), NULL, 0, 0, 0, 0};
    int64_t n_products = 1;
    double tile;

    for (int dim = 0; dim < gemm.batch_rank; dim++)
        n_products *= gemm.batch_sizes[dim];
    if (n_products == 0 || gemm.m == 0 || gemm.n == 0)
        return;
    if (!gemm.a_line && !gemm.b_line && gemm.n < ROWS && gemm.m > gemm.n)
        swap_sides(&gemm);
    job.inner = job.arithmetic->inner(
        job.arithmetic == &arithmetic_f32 ? dg_gemm_widest_f32() : SIZE_MAX);
    choose_tiles(&job, n_products, context->n_threads > 1 ? context->n_threads : 1);
    tile = (double)job.tile_rows * (double)job.tile_columns * (double)gemm.k;
    dg_parallel(context->n_threads, n_products * job.n_row_tiles * job.n_column_tiles,
                (int64_t)(1e6 / (tile + 100)) + 1, run_tiles, &job);
}
