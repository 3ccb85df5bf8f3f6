/* Statistics of a comparison: where other tools went wrong. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "exec/ulp.h"
#include "kernels/cpu/thread_pool.h"
#include "unit/evaluations.h"
#include "unit/suite.h"

static struct dg_metrics measured(enum dg_type type, int64_t n, const double *reference,
                                  const double *tested)
{
    struct dg_tensor *a = tensor_of(type, reference, n),
                     *b = tensor_of(type, tested, n);
    struct dg_metrics metrics;

    dg_measure(&metrics, a, b);
    dg_tensor_drop(a);
    dg_tensor_drop(b);
    return metrics;
}

START_TEST(nan_is_counted_and_never_taken_for_zero)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F32, 3, (double[]){0, 1, NAN}, (double[]){NAN, 1, NAN});

    ck_assert(!metrics.same_special);
    ck_assert(!metrics.exact);
    ck_assert_int_eq(metrics.nan[0], 1);
    ck_assert_int_eq(metrics.nan[1], 2);
    ck_assert_int_eq(metrics.mismatches, 1);
    ck_assert_int_eq(metrics.compared, 1);
    ck_assert(isnan(metrics.pass_atol));
    ck_assert(isnan(metrics.pass_rtol));
}

START_TEST(nan_equals_nan)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F32, 2, (double[]){NAN, 1}, (double[]){-NAN, 1});

    ck_assert(metrics.same_special);
    ck_assert(metrics.exact);
}

START_TEST(infinities_of_other_signs_differ_and_minus_infinity_is_not_nan)
{
    double plus[] = {INFINITY}, minus[] = {-INFINITY}, nan[] = {NAN};

    ck_assert(!measured(DG_TYPE_F32, 1, plus, minus).same_special);
    ck_assert(!measured(DG_TYPE_F32, 1, minus, nan).same_special);
    ck_assert(measured(DG_TYPE_F32, 1, minus, minus).same_special);
}

START_TEST(close_numbers_of_sixteen_bits_are_numbers_and_not_bytes)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_BF16, 2, (double[]){1, 256}, (double[]){1, 258});

    ck_assert_int_eq(metrics.max_ulp, 1);
    ck_assert_int_eq(metrics.mismatches, 0);
    ck_assert(!metrics.exact);
}

START_TEST(statistics_are_not_made_in_f32)
{
    enum { N = 1 << 20 };
    double *a = malloc(N * sizeof(*a)), *b = malloc(N * sizeof(*b));
    struct dg_metrics metrics;

    /* In f32 a sum of squares stops growing at 2^24. */
    for (int i = 0; i < N; i++) {
        a[i] = 8;
        b[i] = 9;
    }
    metrics = measured(DG_TYPE_F32, N, a, b);
    ck_assert_double_eq(metrics.rmse, 1);
    ck_assert_double_eq(metrics.rms, 8);
    ck_assert_double_eq_tol(metrics.snr_db, 20 * log10(8), 1e-12);
    free(a);
    free(b);
}

START_TEST(small_differences_are_not_rounded_away)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F32, 1, (double[]){1e-3}, (double[]){1e-3 + 1e-8});

    ck_assert(metrics.max_abs > 0.9e-8 && metrics.max_abs < 1.1e-8);
    ck_assert(metrics.snr_db > 99 && metrics.snr_db < 101);
}

START_TEST(squares_of_the_largest_numbers_do_not_overflow)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F64, 2, (double[]){DBL_MAX, 1}, (double[]){DBL_MAX / 2, 1});

    ck_assert(isfinite(metrics.rmse));
    ck_assert_double_eq_tol(metrics.snr_db, 20 * log10(2), 1e-9);
    metrics = measured(DG_TYPE_F64, 1, (double[]){DBL_MAX}, (double[]){-DBL_MAX});
    ck_assert(isfinite(metrics.max_abs));
}

START_TEST(squares_of_the_smallest_numbers_do_not_vanish)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F64, 1, (double[]){4e-300}, (double[]){5e-300});

    ck_assert_double_eq_tol(metrics.snr_db, 20 * log10(4), 1e-9);
}

START_TEST(a_flushed_denormal_is_many_ulp_off)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F32, 1, (double[]){1e-40}, (double[]){0});

    ck_assert_int_gt(metrics.max_ulp, 70000);
    ck_assert_int_eq(metrics.mismatches, 0);
}

START_TEST(zeros_of_both_signs_are_no_ulp_apart)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F16, 1, (double[]){0.0}, (double[]){-0.0});

    ck_assert_int_eq(metrics.max_ulp, 0);
    ck_assert(metrics.exact);
}

START_TEST(ulp_counts_across_zero_and_to_infinity)
{
    ck_assert_int_eq(dg_ulp_distance(DG_TYPE_F32, 0x1p-149, -0x1p-149), 2);
    ck_assert_int_eq(dg_ulp_distance(DG_TYPE_F32, FLT_MAX, INFINITY), 1);
    ck_assert_int_eq(dg_ulp_distance(DG_TYPE_F64, DBL_MAX, -DBL_MAX), INT64_MAX);
    ck_assert_int_eq(dg_ulp_distance(DG_TYPE_F16, 1, 1 + 0x1p-10), 1);
    ck_assert_int_eq(dg_ulp_distance(DG_TYPE_BF16, 1, 1 - 0x1p-8), 1);
    ck_assert_int_eq(dg_ulp_distance(DG_TYPE_F8E4M3FN, 1, 1.125), 1);
    ck_assert_double_eq(dg_ulp_at(DG_TYPE_F32, 1.5), 0x1p-23);
    ck_assert_double_eq(dg_ulp_at(DG_TYPE_F16, 0), 0x1p-24);
}

START_TEST(the_cosine_of_constant_tensors_is_one_and_says_nothing)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F32, 2, (double[]){1, 1}, (double[]){2, 2});

    ck_assert_double_eq_tol(metrics.cosine, 1, 1e-15);
    ck_assert_double_eq(metrics.snr_db, 0);
    ck_assert_int_eq(metrics.mismatches, 2);
}

START_TEST(what_is_not_defined_is_nan)
{
    struct dg_metrics equal = measured(DG_TYPE_F32, 1, (double[]){3}, (double[]){3});
    struct dg_metrics zero = measured(DG_TYPE_F32, 1, (double[]){0}, (double[]){1});

    ck_assert(isnan(equal.snr_db));
    ck_assert_int_eq(equal.worst, -1);
    ck_assert(isnan(zero.snr_db) && isnan(zero.cosine) && isnan(zero.pass_rtol));
}

START_TEST(the_worst_element_is_named_with_both_values)
{
    struct dg_metrics metrics =
        measured(DG_TYPE_F32, 4, (double[]){1, 2, 3, 4}, (double[]){1, 2.5, 1, 4});

    ck_assert_int_eq(metrics.worst, 2);
    ck_assert_double_eq(metrics.worst_ref, 3);
    ck_assert_double_eq(metrics.worst_got, 1);
    ck_assert_double_eq(metrics.pass_atol, 2);
    ck_assert_double_eq_tol(metrics.pass_rtol, 2.0 / 3, 1e-15);
}

START_TEST(the_worst_element_of_a_long_tensor_is_counted_through_lines)
{
    enum { N = 5000 };
    double *a = calloc(N, sizeof(*a)), *b = calloc(N, sizeof(*b));

    b[4321] = 1;
    ck_assert_int_eq(measured(DG_TYPE_F32, N, a, b).worst, 4321);
    free(a);
    free(b);
}

START_TEST(strided_views_are_measured_element_by_element)
{
    struct dg_tensor *base = tensor_of(DG_TYPE_F32, (double[]){1, 2, 3, 4, 5, 6}, 6);
    struct dg_tensor *transposed =
        dg_tensor_view(base, 2, (int64_t[]){3, 2}, (int64_t[]){1, 3}, 0);
    struct dg_tensor *flat = tensor_of(DG_TYPE_F32, (double[]){1, 4, 2, 5, 3, 6}, 6);
    struct dg_tensor *rows =
        dg_tensor_view(flat, 2, (int64_t[]){3, 2}, (int64_t[]){2, 1}, 0);
    struct dg_metrics metrics;

    dg_measure(&metrics, rows, transposed);
    ck_assert(metrics.exact);
    ck_assert_int_eq(metrics.count, 6);
    dg_tensor_drop(base);
    dg_tensor_drop(transposed);
    dg_tensor_drop(flat);
    dg_tensor_drop(rows);
}

START_TEST(integers_beyond_doubles_are_told_apart)
{
    int64_t a[] = {INT64_MAX}, b[] = {INT64_MAX - 1}, one = 1;
    struct dg_tensor *x = dg_tensor_over(DG_TYPE_I64, 1, &one, a);
    struct dg_tensor *y = dg_tensor_over(DG_TYPE_I64, 1, &one, b);
    struct dg_metrics metrics;

    dg_measure(&metrics, x, y);
    ck_assert(!metrics.exact);
    ck_assert_int_eq(metrics.mismatches, 1);
    ck_assert_int_eq(metrics.worst, 0);
    ck_assert_int_eq(metrics.max_ulp, -1);
    dg_tensor_drop(x);
    dg_tensor_drop(y);
}

START_TEST(empty_tensors_are_equal)
{
    struct dg_metrics metrics = measured(DG_TYPE_F32, 0, NULL, NULL);

    ck_assert(metrics.exact);
    ck_assert_int_eq(metrics.count, 0);
}

enum { MANY = 100003, ODD = 70001 };

/* What two long tensors differ by, on so many threads: one is not finite in a place,
 * and the largest error comes twice. */
static struct dg_metrics measured_by(int n_threads, double factor)
{
    double *ref = dg_zeroed(MANY, sizeof(*ref)), *got = dg_zeroed(MANY, sizeof(*got));
    struct dg_metrics metrics;

    for (int64_t i = 0; i < MANY; i++) {
        ref[i] = factor * (double)((i * 7919) % 1009 - 504) / 16;
        got[i] = ref[i] + (i % 3 ? 0 : factor * (double)(i % 11) / 64);
    }
    got[9000] = ref[9000] + factor;
    got[90000] = ref[90000] + factor;
    got[ODD] = INFINITY;
    dg_thread_pool_begin(n_threads);
    metrics = measured(DG_TYPE_F64, MANY, ref, got);
    dg_thread_pool_end();
    free(ref);
    free(got);
    return metrics;
}

START_TEST(long_tensors_have_the_same_bits_by_any_number_of_threads)
{
    struct dg_metrics one = measured_by(1, 1);

    ck_assert_int_eq(one.worst, 9000);
    ck_assert_double_eq(one.max_abs, 1);
    ck_assert_int_eq(one.compared, MANY - 1);
    ck_assert_int_eq(one.inf[1], 1);
    ck_assert(!one.same_special);
    for (int n_threads = 2; n_threads < 8; n_threads++) {
        struct dg_metrics other = measured_by(n_threads, 1);

        ck_assert_double_eq(one.rms, other.rms);
        ck_assert_double_eq(one.rmse, other.rmse);
        ck_assert_double_eq(one.snr_db, other.snr_db);
        ck_assert_double_eq(one.cosine, other.cosine);
        ck_assert_double_eq(one.mean_error, other.mean_error);
        ck_assert_int_eq(one.mismatches, other.mismatches);
        ck_assert_int_eq(one.max_ulp, other.max_ulp);
        ck_assert_int_eq(one.worst, other.worst);
    }
}

/* Powers of two change no fraction, also where squares of the values are no numbers. */
START_TEST(numbers_of_any_magnitude_have_the_same_ratio)
{
    struct dg_metrics one = measured_by(1, 1);

    for (int exponent = -900; exponent <= 900; exponent += 300) {
        struct dg_metrics other = measured_by(3, ldexp(1, exponent));

        ck_assert_double_eq(one.snr_db, other.snr_db);
        ck_assert_double_eq(one.cosine, other.cosine);
        ck_assert_double_eq(ldexp(one.rms, exponent), other.rms);
        ck_assert_double_eq(ldexp(one.rmse, exponent), other.rmse);
    }
}

Suite *compare_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *metrics = tcase_create("metrics");

    tcase_add_test(metrics, nan_is_counted_and_never_taken_for_zero);
    tcase_add_test(metrics, nan_equals_nan);
    tcase_add_test(metrics,
                   infinities_of_other_signs_differ_and_minus_infinity_is_not_nan);
    tcase_add_test(metrics, close_numbers_of_sixteen_bits_are_numbers_and_not_bytes);
    tcase_add_test(metrics, statistics_are_not_made_in_f32);
    tcase_add_test(metrics, small_differences_are_not_rounded_away);
    tcase_add_test(metrics, squares_of_the_largest_numbers_do_not_overflow);
    tcase_add_test(metrics, squares_of_the_smallest_numbers_do_not_vanish);
    tcase_add_test(metrics, a_flushed_denormal_is_many_ulp_off);
    tcase_add_test(metrics, zeros_of_both_signs_are_no_ulp_apart);
    tcase_add_test(metrics, ulp_counts_across_zero_and_to_infinity);
    tcase_add_test(metrics, the_cosine_of_constant_tensors_is_one_and_says_nothing);
    tcase_add_test(metrics, what_is_not_defined_is_nan);
    tcase_add_test(metrics, the_worst_element_is_named_with_both_values);
    tcase_add_test(metrics,
                   the_worst_element_of_a_long_tensor_is_counted_through_lines);
    tcase_add_test(metrics, strided_views_are_measured_element_by_element);
    tcase_add_test(metrics, integers_beyond_doubles_are_told_apart);
    tcase_add_test(metrics, empty_tensors_are_equal);
    tcase_add_test(metrics, long_tensors_have_the_same_bits_by_any_number_of_threads);
    tcase_add_test(metrics, numbers_of_any_magnitude_have_the_same_ratio);
    suite_add_tcase(suite, metrics);
    return suite;
}
