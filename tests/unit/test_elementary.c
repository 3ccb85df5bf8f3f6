/* Elementary functions of lines. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/elementary.h"
#include "unit/suite.h"

enum { N = 1 << 10, RUNS = 200 };

static const double special[] = {
    0,         -0.0,       1,        -1,        5.9,    6,    6.1,       -6,
    709.78,    710,        -708.4,   -745.13,   -745.2, -746, 1e308,     -1e308,
    0x1p-1074, -0x1p-1074, INFINITY, -INFINITY, NAN,    0.5,  -0.999999, 1e-300};

/* Uniform, up to `most` on both sides. */
static void draw(double *x, int64_t n, double most)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (2 * ((double)rand() + (double)rand() / RAND_MAX) / RAND_MAX - 1) * most;
}

static void expect_same_bits(dg_line_function *(*of)(size_t widest), const double *x,
                             int64_t n)
{
    double widest[N], narrower[N];

    memcpy(widest, x, (size_t)n * sizeof(*x));
    of(SIZE_MAX)(widest, n);
    for (size_t bytes = 16; bytes <= 64; bytes *= 2) {
        memcpy(narrower, x, (size_t)n * sizeof(*x));
        of(bytes)(narrower, n);
        ck_assert_mem_eq(narrower, widest, (size_t)n * sizeof(*x));
    }
}

static void expect_same_bits_of_all(const double *x, int64_t n)
{
    expect_same_bits(dg_exp_lines, x, n);
    expect_same_bits(dg_erf_lines, x, n);
    expect_same_bits(dg_tanh_lines, x, n);
    expect_same_bits(dg_sigmoid_lines, x, n);
}

START_TEST(vectors_of_any_width_give_the_same_bits)
{
    double x[N];

    for (int64_t n = 1; n < 40; n++) {
        draw(x, n, 3);
        expect_same_bits_of_all(x, n);
    }
    for (int exponent = -20; exponent < 11; exponent++) {
        draw(x, N, ldexp(1, exponent));
        expect_same_bits_of_all(x, N);
    }
    memcpy(x, special, sizeof(special));
    expect_same_bits_of_all(x, sizeof(special) / sizeof(*special));
}

/* Units in the last place of the exact number. */
static double ulps(double got, long double exact)
{
    int exponent;

    frexp((double)exact, &exponent);
    return fabs((double)(got - exact)) / ldexp(1, fmax(exponent, -1021) - 53);
}

/* Under valgrind, and on some processors, long doubles are doubles: what is exact is
 * off by up to two ulps itself. */
static bool is_exact(void)
{
    volatile long double one = 1;

    return one + 0x1p-60L > one;
}

static void expect_near(dg_line_function *function, long double (*exact)(long double),
                        double size, double ulps_most)
{
    double x[N], y[N], most = is_exact() ? ulps_most : ulps_most + 2;

    for (int run = 0; run < RUNS; run++) {
        draw(x, N, size);
        memcpy(y, x, sizeof(x));
        function(y, N);
        for (int i = 0; i < N; i++)
            ck_assert_msg(ulps(y[i], exact(x[i])) < most, "%a: %a, and %La is exact",
                          x[i], y[i], exact(x[i]));
    }
}

START_TEST(powers_are_less_than_an_ulp_from_exact_ones)
{
    expect_near(dg_exp_line, expl, 1e-8, 1);
    expect_near(dg_exp_line, expl, 0.4, 1);
    expect_near(dg_exp_line, expl, 20, 1);
    expect_near(dg_exp_line, expl, 700, 1);
}

START_TEST(erf_is_less_than_two_ulps_from_the_exact_one)
{
    expect_near(dg_erf_line, erfl, 1e-8, 2);
    expect_near(dg_erf_line, erfl, 1.1, 2);
    expect_near(dg_erf_line, erfl, 7, 2);
}

START_TEST(tanh_is_less_than_two_ulps_from_the_exact_one)
{
    expect_near(dg_tanh_line, tanhl, 1e-8, 2);
    expect_near(dg_tanh_line, tanhl, 0.6, 2);
    expect_near(dg_tanh_line, tanhl, 3, 2);
    expect_near(dg_tanh_line, tanhl, 25, 2);
}

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

START_TEST(sigmoid_is_less_than_two_ulps_from_the_exact_one)
{
    expect_near(dg_sigmoid_line, sigmoid, 1e-8, 2);
    expect_near(dg_sigmoid_line, sigmoid, 5, 2);
    expect_near(dg_sigmoid_line, sigmoid, 700, 2);
}

/* What the C library gives, which is exact there. */
START_TEST(numbers_without_a_neighbour_give_what_they_do_in_libm)
{
    enum { SPECIAL = sizeof(special) / sizeof(*special) };
    double powers[SPECIAL], errors[SPECIAL], tangents[SPECIAL];

    memcpy(powers, special, sizeof(special));
    memcpy(errors, special, sizeof(special));
    memcpy(tangents, special, sizeof(special));
    dg_exp_line(powers, SPECIAL);
    dg_erf_line(errors, SPECIAL);
    dg_tanh_line(tangents, SPECIAL);
    for (int i = 0; i < SPECIAL; i++) {
        double power = exp(special[i]), error = erf(special[i]),
               tangent = tanh(special[i]);

        ck_assert_int_eq(isnan(powers[i]) != 0, isnan(power) != 0);
        ck_assert_int_eq(isnan(errors[i]) != 0, isnan(error) != 0);
        if (!isfinite(power) || power == 0 || power == 1)
            ck_assert(isnan(power) || powers[i] == power);
        if (error == 0 || fabs(error) == 1)
            ck_assert(errors[i] == error && signbit(errors[i]) == signbit(error));
        if (tangent == 0 || fabs(tangent) == 1)
            ck_assert(tangents[i] == tangent &&
                      signbit(tangents[i]) == signbit(tangent));
        ck_assert_int_eq(isnan(tangents[i]) != 0, isnan(tangent) != 0);
    }
}

Suite *elementary_suite(void)
{
    Suite *suite = suite_create("elementary");
    TCase *lines = tcase_create("lines");

    tcase_add_test(lines, vectors_of_any_width_give_the_same_bits);
    tcase_add_test(lines, powers_are_less_than_an_ulp_from_exact_ones);
    tcase_add_test(lines, erf_is_less_than_two_ulps_from_the_exact_one);
    tcase_add_test(lines, tanh_is_less_than_two_ulps_from_the_exact_one);
    tcase_add_test(lines, sigmoid_is_less_than_two_ulps_from_the_exact_one);
    tcase_add_test(lines, numbers_without_a_neighbour_give_what_they_do_in_libm);
    suite_add_tcase(suite, lines);
    return suite;
}
