/* Matrix products: the same bits by vectors of any width, from matrices of any layout.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemm_inner.h"
#include "kernels/cpu/line.h"
#include "unit/kernel_case.h"

enum { DEPTH = 37, ROWS = DG_GEMM_ROWS, PANEL = DG_GEMM_PANEL / sizeof(double) };

/* Neither few bits nor one size: every product and every sum is rounded. */
static double number(int64_t i)
{
    return ldexp((double)(i * 2654435761 % 1000003) / 999983 - 0.5, (int)(i % 9) - 4);
}

/* Sums begin at zeros that are there, or at what was never set. */
static void expect_one_result(dg_gemm_inner_fn *(*inner)(size_t widest), const void *a,
                              const void *b, size_t size)
{
    char narrow[ROWS][DG_GEMM_PANEL] = {{0}}, wide[ROWS][DG_GEMM_PANEL];

    inner(0)(DEPTH, a, b, narrow, DG_GEMM_PANEL, false);
    for (size_t widest = 16; widest <= 64; widest *= 2) {
        for (size_t columns = 1; columns * size <= DG_GEMM_PANEL; columns++) {
            bool begins = columns % 2;

            memset(wide, begins ? 0xff : 0, sizeof(wide));
            inner(widest)(DEPTH, a, b, wide, (int64_t)columns, begins);
            for (int i = 0; i < ROWS; i++)
                ck_assert_mem_eq(wide[i], narrow[i], columns * size);
        }
    }
}

START_TEST(vectors_of_any_width_give_the_same_bits)
{
    double a[ROWS * DEPTH], b[PANEL * DEPTH];
    float a_singles[ROWS * DEPTH], b_singles[2 * PANEL * DEPTH];
    int64_t a_integers[ROWS * DEPTH], b_integers[PANEL * DEPTH];

    for (int64_t i = 0; i < ROWS * DEPTH; i++) {
        a[i] = number(i);
        a_singles[i] = (float)a[i];
        a_integers[i] = (int64_t)(a[i] * 0x1p60);
    }
    for (int64_t i = 0; i < PANEL * DEPTH; i++) {
        b[i] = number(i + 1000);
        b_singles[i] = b_singles[PANEL * DEPTH + i] = (float)b[i];
        b_integers[i] = (int64_t)(b[i] * 0x1p60);
    }
    expect_one_result(dg_gemm_inner_f64, a, b, sizeof(*a));
    expect_one_result(dg_gemm_inner_f32, a_singles, b_singles, sizeof(*a_singles));
    expect_one_result(dg_gemm_inner_i64, a_integers, b_integers, sizeof(*a_integers));
}

/* A matrix of rows x columns, row after row or column after column. */
struct stored {
    double values[400 * 400]; /* room for elements of any type */
    struct dg_gemm_matrix matrix;
};

static void fill(struct stored *stored, enum dg_type type, int64_t rows,
                 int64_t columns, bool turned)
{
    stored->matrix = (struct dg_gemm_matrix){
        type, stored->values, turned ? 1 : columns, turned ? rows : 1, {0}};
    for (int64_t i = 0; i < rows * columns; i++) {
        double value = number(i * 7 + rows);

        dg_store_f64(type, (char *)stored->values + (size_t)i * dg_type_bytes(type), 1,
                     &value, 1);
    }
}

static double element(const struct dg_gemm_matrix *matrix, int64_t row, int64_t column)
{
    int64_t at = row * matrix->row + column * matrix->column;
    double value = 0;

    dg_load_f64(&value, matrix->type,
                (const char *)matrix->data + at * (int64_t)dg_type_bytes(matrix->type),
                1, 1);
    return value;
}

/* The sum in its order, one product after the other. */
static double sum_of(const struct dg_gemm *gemm, int64_t row, int64_t column)
{
    double sum = 0;
    float narrow = 0;

    for (int64_t p = 0; p < gemm->k; p++) {
        double a = element(&gemm->a, row, p), b = element(&gemm->b, p, column);

        sum = fma(a, b, sum);
        narrow = fmaf((float)a, (float)b, narrow);
    }
    return gemm->narrow ? (double)narrow : sum;
}

static void expect_sums_of(const struct dg_gemm *gemm, int n_threads, const char *what)
{
    struct dg_context context = {.n_threads = n_threads};

    memset(gemm->c.data, 0x7f, (size_t)(gemm->m * gemm->n) * sizeof(double));
    dg_gemm(&context, gemm);
    for (int64_t i = 0; i < gemm->m * gemm->n; i++)
        ck_assert_msg(element(&gemm->c, i / gemm->n, i % gemm->n) ==
                          sum_of(gemm, i / gemm->n, i % gemm->n),
                      "%d threads, %s, %s, %lld x %lld x %lld: element %lld", n_threads,
                      dg_type_name(gemm->a.type), what, (long long)gemm->m,
                      (long long)gemm->k, (long long)gemm->n, (long long)i);
}

/* As they are, and with b packed before. */
static void expect_sums(int n_threads, enum dg_type type, int layout, int64_t m,
                        int64_t k, int64_t n)
{
    static struct stored a, b, c;
    struct dg_gemm gemm = {.m = m, .n = n, .k = k, .alpha = 1};
    char what[32];
    void *packed;

    fill(&a, type, m, k, layout & 1);
    fill(&b, type, k, n, layout >> 1 & 1);
    fill(&c, DG_TYPE_F64, m, n, false); /* with something else */
    gemm.a = a.matrix;
    gemm.b = b.matrix;
    gemm.c = c.matrix;
    gemm.narrow = layout >> 2 & 1;
    snprintf(what, sizeof(what), "layout %d", layout);
    expect_sums_of(&gemm, n_threads, what);
    packed = malloc(dg_gemm_packed_bytes(&gemm));
    dg_gemm_pack(&gemm, packed);
    gemm.packed = packed;
    expect_sums_of(&gemm, n_threads, "packed");
    free(packed);
}

/* Sizes around those of blocks, panels, strips and pieces of k. */
START_TEST(any_layout_gives_the_sums_in_their_order_packed_before_or_not)
{
    static const enum dg_type types[] = {DG_TYPE_F16, DG_TYPE_F32, DG_TYPE_F64};
    static const int64_t sizes[][3] = {
        {1, 1, 1},    {7, 5, 33},    {6, 64, 16},  {6, 64, 31},  {5, 64, 32},
        {259, 3, 20}, {13, 259, 40}, {7, 127, 63}, {6, 128, 64}, {7, 129, 65},
        {9, 5, 127},  {9, 6, 128},   {9, 7, 129},  {9, 5, 257},  {4, 70, 270},
        {512, 17, 9}, {516, 18, 9},  {517, 19, 9}};

    for (int layout = 0; layout < 8; layout++) {
        for (int type = 0; type < 3; type++) {
            for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                expect_sums(1, types[type], layout, sizes[i][0], sizes[i][1],
                            sizes[i][2]);
        }
    }
}

/* Tiles are as many as threads, of whole panels but for the last ones. */
START_TEST(tiles_of_any_number_of_threads_give_the_same_sums)
{
    static const int64_t sizes[][3] = {{1, 3, 1},    {6, 3, 64},   {6, 3, 65},
                                       {13, 5, 196}, {64, 2, 7},   {7, 2, 300},
                                       {300, 2, 49}, {130, 3, 196}};

    for (int n_threads = 2; n_threads <= 7; n_threads++) {
        for (int layout = 0; layout < 8; layout++) {
            for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                expect_sums(n_threads, DG_TYPE_F32, layout, sizes[i][0], sizes[i][1],
                            sizes[i][2]);
        }
    }
}

START_TEST(wide_runs_read_weights_as_they_are_stored)
{
    case_precision = DG_PRECISION_WIDE;
    EXPECT("aten::linear",
           ARGS(TENSOR(F64, DIMS(1, 2), 0.1, 2), TENSOR(F32, DIMS(2, 2), 1, 0, 0, 1)),
           TENSOR(F64, DIMS(1, 2), 0.1, 2));
    EXPECT("aten::conv1d",
           ARGS(TENSOR(F64, DIMS(1, 1, 3), 0.1, 2, 3), TENSOR(F32, DIMS(1, 1, 1), 2)),
           TENSOR(F64, DIMS(1, 1, 3), 0.2, 4, 6));
    EXPECT("aten::embedding",
           ARGS(TENSOR(F32, DIMS(3, 2), 1, 2, 3, 4, 5, 6), TENSOR(I64, DIMS(2), 2, 0)),
           TENSOR(F64, DIMS(2, 2), 5, 6, 1, 2));
    case_precision = DG_PRECISION_EXACT_SUMS;
    EXPECT_REFUSED("aten::linear",
                   ARGS(TENSOR(F64, DIMS(1, 2), 1), TENSOR(F32, DIMS(2, 2), 1)),
                   DG_ERR_FORMAT, "f64 and f32");
}

Suite *gemm_suite(void)
{
    Suite *suite = suite_create("gemm");
    TCase *products = tcase_create("products");

    tcase_add_test(products, vectors_of_any_width_give_the_same_bits);
    tcase_add_test(products,
                   any_layout_gives_the_sums_in_their_order_packed_before_or_not);
    tcase_add_test(products, tiles_of_any_number_of_threads_give_the_same_sums);
    tcase_add_test(products, wide_runs_read_weights_as_they_are_stored);
    suite_add_tcase(suite, products);
    return suite;
}
