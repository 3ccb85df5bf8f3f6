/* A tile of a matrix product: packed piece by piece, multiplied, stored. */
#include "kernels/cpu/gemm_tile.h"

#include "kernels/cpu/line.h"
#include "kernels/cpu/vectorize.h"

enum { ROWS = DG_GEMM_ROWS };

#define ARITHMETIC(tag, TYPE, scalar, member, factor)                                  \
    static void finish_##tag(const struct dg_gemm *gemm, const void *block,            \
                             const union dg_gemm_number *add, void *line, int64_t n)   \
    {                                                                                  \
        const scalar *sums = block;                                                    \
        scalar *to = line;                                                             \
        scalar alpha = (scalar)(factor)gemm->alpha, beta = (scalar)(factor)gemm->beta; \
                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            to[i] = alpha * sums[i];                                                   \
        for (int64_t i = 0; add && i < n; i++)                                         \
            to[i] = to[i] + beta * (scalar)add[i].member;                              \
    }                                                                                  \
                                                                                       \
    static const struct dg_gemm_arithmetic arithmetic_##tag = {                        \
        .type = TYPE,                                                                  \
        .size = sizeof(scalar),                                                        \
        .columns = DG_GEMM_PANEL / sizeof(scalar),                                     \
        .inner = dg_gemm_inner_##tag,                                                  \
        .packing = &dg_gemm_packing_##tag,                                             \
        .finish = finish_##tag};

ARITHMETIC(f64, DG_TYPE_F64, double, real, double)
ARITHMETIC(f32, DG_TYPE_F32, float, real, double)
ARITHMETIC(i64, DG_TYPE_I64, uint64_t, integer, int64_t)

const struct dg_gemm_arithmetic *dg_gemm_arithmetic_of(const struct dg_gemm *gemm)
{
    return gemm->integers ? &arithmetic_i64
           : gemm->narrow ? &arithmetic_f32
                          : &arithmetic_f64;
}

/* Columns of a tile that are packed together, and the sums of these. */
struct strip {
    int64_t column, count;
    char *sums;
};

static int64_t padded_rows(const struct dg_gemm_tile *tile)
{
    return dg_gemm_parts(tile->rows, ROWS) * ROWS;
}

static void load(const struct dg_gemm *gemm, union dg_gemm_number *line,
                 enum dg_type type, const char *from, int64_t stride, int64_t n)
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

/* Where it lies by its strides; without data otherwise. */
static struct dg_gemm_side rows_of(const struct dg_gemm_job *job,
                                   const struct dg_gemm_tile *tile, int64_t from)
{
    const struct dg_gemm_matrix *a = &job->gemm->a;

    if (job->gemm->a_line)
        return (struct dg_gemm_side){NULL, a->type, 0, 0, 0};
    return (struct dg_gemm_side){at(tile->a, a, tile->row, from), a->type, a->row,
                                 a->column, tile->rows};
}

static struct dg_gemm_side columns_of(const struct dg_gemm_job *job,
                                      const struct dg_gemm_tile *tile,
                                      const struct strip *strip, int64_t from)
{
    const struct dg_gemm_matrix *b = &job->gemm->b;

    if (job->gemm->b_line)
        return (struct dg_gemm_side){NULL, b->type, 0, 0, 0};
    return (struct dg_gemm_side){at(tile->b, b, from, strip->column), b->type,
                                 b->column, b->row, strip->count};
}

static void pack_rows(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                      int64_t from, int64_t k, struct dg_gemm_bench *bench)
{
    const struct dg_gemm_packing *packing = job->arithmetic->packing;
    dg_gemm_line_fn *line = job->gemm->a_line;
    struct dg_gemm_side side = rows_of(job, tile, from);

    for (int64_t i = 0; line && i < tile->rows; i++) {
        line(job->gemm->line_data, tile->a, tile->row + i, from, k, &bench->scratch);
        packing->row(bench->a, &bench->scratch, i, k);
    }
    if (!line)
        packing->rows(bench->a, &side, k, &bench->scratch);
}

static void pack_columns(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                         const struct strip *strip, int64_t from, int64_t k,
                         struct dg_gemm_bench *bench)
{
    const struct dg_gemm *gemm = job->gemm;
    const struct dg_gemm_packing *packing = job->arithmetic->packing;
    dg_gemm_line_fn *line = gemm->b_line;
    struct dg_gemm_side side = columns_of(job, tile, strip, from);

    for (int64_t p = 0; line && p < k; p++) {
        line(gemm->line_data, tile->b, from + p, strip->column, strip->count,
             &bench->scratch);
        packing->line(bench->b, &bench->scratch, gemm->narrow_lines, strip->count, p,
                      k);
    }
    if (!line)
        packing->columns(bench->b, &side, k, &bench->scratch);
}

/* Of what was packed before: the panels of k lines from `from` on, side by side. */
static char *packed_columns(const struct dg_gemm_job *job, char *packed, int64_t from,
                            int64_t k, int64_t column)
{
    int64_t width = job->arithmetic->columns;
    int64_t columns = dg_gemm_parts(job->gemm->n, width) * width;

    return packed + (from * columns + column * k) * (int64_t)job->arithmetic->size;
}

void dg_gemm_pack_columns(const struct dg_gemm_job *job, char *to,
                          union dg_gemm_scratch *scratch)
{
    const struct dg_gemm *gemm = job->gemm;
    int64_t most = DG_GEMM_STRIP_PANELS * job->arithmetic->columns;
    struct dg_gemm_tile tile = {.b = gemm->b.data};

    for (int64_t from = 0; from < gemm->k; from += job->depth) {
        int64_t k = dg_gemm_least(gemm->k - from, job->depth);

        for (int64_t column = 0; column < gemm->n; column += most) {
            struct strip strip = {column, dg_gemm_least(gemm->n - column, most), NULL};
            struct dg_gemm_side side = columns_of(job, &tile, &strip, from);

            job->arithmetic->packing->columns(packed_columns(job, to, from, k, column),
                                              &side, k, scratch);
        }
    }
}

/* What is packed next, asked for while what is packed now is multiplied. */
struct ahead {
    struct dg_gemm_lines rows, columns;
};

/* How many of these lines were asked for, and how much of the next one is due. */
struct asked {
    int64_t lines, due;
};

/* One of `of` equal shares. */
static void ask_for_share(struct asked *asked, const struct dg_gemm_lines *lines,
                          int64_t of)
{
    int64_t from = asked->lines;

    for (asked->due += lines->count; asked->due >= of; asked->due -= of)
        asked->lines++;
    if (from < asked->lines)
        dg_gemm_ask_for(lines, from, asked->lines);
}

/* Add the products of k of the packed rows and of columns `b`, from `from` on, to the
 * sums of these. */
static void multiply(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                     const struct strip *strip, int64_t from, int64_t k,
                     const struct ahead *ahead, const char *b,
                     struct dg_gemm_bench *bench)
{
    int64_t size = (int64_t)job->arithmetic->size, width = job->arithmetic->columns;
    int64_t n = dg_gemm_parts(strip->count, width) * dg_gemm_parts(tile->rows, ROWS);
    struct asked rows = {0, 0}, columns = {0, 0};
    char *sums = strip->sums;

    for (int64_t j = 0; j < strip->count; j += width) {
        for (int64_t i = 0; i < tile->rows; i += ROWS) {
            ask_for_share(&rows, &ahead->rows, n);
            ask_for_share(&columns, &ahead->columns, n);
            job->inner(k, bench->a + i * k * size, b + j * k * size, sums,
                       strip->count - j, !from);
            sums += ROWS * width * size;
        }
    }
}

/* Into a line of the sums' type. */
static void finish_row(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                       const struct strip *strip, int64_t i, char *line,
                       struct dg_gemm_bench *bench)
{
    const struct dg_gemm *gemm = job->gemm;
    int64_t width = job->arithmetic->columns, size = (int64_t)job->arithmetic->size;
    int64_t panel = padded_rows(tile) * width;
    const char *add =
        tile->add ? at(tile->add, &gemm->add, tile->row + i, strip->column) : NULL;

    if (add && (!i || gemm->add.row))
        load(gemm, bench->add, gemm->add.type, add, gemm->add.column, strip->count);
    for (int64_t j = 0; j < strip->count; j += width)
        job->arithmetic->finish(gemm,
                                strip->sums + (j / width * panel + i * width) * size,
                                add ? bench->add + j : NULL, line + j * size,
                                dg_gemm_least(strip->count - j, width));
}

static void convert(const struct dg_gemm_job *job, char *to, int64_t n,
                    struct dg_gemm_bench *bench)
{
    const struct dg_gemm_matrix *c = &job->gemm->c;
    enum dg_type from = job->arithmetic->type;
    const void *line = bench->line;

    if (from == DG_TYPE_I64) {
        dg_store_i64(c->type, to, c->column, line, n);
        return;
    }
    if (from != DG_TYPE_F64)
        dg_load_f64(bench->scratch.reals, from, line, 1, n);
    dg_store_f64(c->type, to, c->column,
                 from == DG_TYPE_F64 ? line : bench->scratch.reals, n);
}

static void store(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                  const struct strip *strip, struct dg_gemm_bench *bench)
{
    const struct dg_gemm_matrix *c = &job->gemm->c;
    bool as_it_is = c->type == job->arithmetic->type && c->column == 1;

    for (int64_t i = 0; i < tile->rows; i++) {
        char *to = (char *)at(tile->c, c, tile->row + i, strip->column);

        finish_row(job, tile, strip, i, as_it_is ? to : (char *)bench->line, bench);
        if (!as_it_is)
            convert(job, to, strip->count, bench);
    }
}

/* The strip of a tile that begins `j` columns into it. */
static struct strip strip_of(const struct dg_gemm_job *job,
                             const struct dg_gemm_tile *tile, int64_t j,
                             struct dg_gemm_bench *bench)
{
    int64_t most = DG_GEMM_STRIP_PANELS * job->arithmetic->columns;
    size_t sums = (size_t)(j * padded_rows(tile)) * job->arithmetic->size;

    return (struct strip){tile->column + j, dg_gemm_least(tile->columns - j, most),
                          bench->sums + sums};
}

/* After the last strip of a piece of k, that of the next piece and its rows. */
static struct ahead ahead_of(const struct dg_gemm_job *job,
                             const struct dg_gemm_tile *tile, const struct strip *strip,
                             int64_t from, struct dg_gemm_bench *bench)
{
    int64_t next = strip->column + strip->count - tile->column;
    bool last = next == tile->columns;
    struct ahead ahead = {{NULL, 0, 0, 0}, {NULL, 0, 0, 0}};
    struct strip following;
    struct dg_gemm_side side;
    int64_t k;

    from += last ? job->depth : 0;
    k = dg_gemm_least(job->gemm->k - from, job->depth);
    if (k <= 0)
        return ahead;
    following = strip_of(job, tile, last ? 0 : next, bench);
    side = columns_of(job, tile, &following, from);
    if (!job->gemm->packed)
        ahead.columns = dg_gemm_lines_of(&side, k);
    side = rows_of(job, tile, from);
    if (last)
        ahead.rows = dg_gemm_lines_of(&side, k);
    return ahead;
}

/* A piece of k for one strip; its sums are stored while they are in the cache. */
static void run_strip(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                      const struct strip *strip, int64_t from, int64_t k,
                      struct dg_gemm_bench *bench)
{
    struct ahead ahead = ahead_of(job, tile, strip, from, bench);
    char *packed = (char *)job->gemm->packed;

    if (!packed)
        pack_columns(job, tile, strip, from, k, bench);
    multiply(job, tile, strip, from, k, &ahead,
             packed ? packed_columns(job, packed, from, k, strip->column) : bench->b,
             bench);
    if (from + k == job->gemm->k)
        store(job, tile, strip, bench);
}

/* Of no products (k is 0) the sums are stored, too. */
void dg_gemm_run_tile(const struct dg_gemm_job *job, const struct dg_gemm_tile *tile,
                      struct dg_gemm_bench *bench)
{
    int64_t from = 0;

    do {
        int64_t k = dg_gemm_least(job->gemm->k - from, job->depth);

        pack_rows(job, tile, from, k, bench);
        for (int64_t j = 0; j < tile->columns;) {
            struct strip strip = strip_of(job, tile, j, bench);

            run_strip(job, tile, &strip, from, k, bench);
            j += strip.count;
        }
        from += job->depth;
    } while (from < job->gemm->k);
}
