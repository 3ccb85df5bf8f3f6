/* Sums of F16, by vectors of any width, held to the rounding of each number. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/number.h"
#include "kernels/xnnpack/halves.h"
#include "unit/suite.h"

enum { N = DG_XNN_HALF_LINE, LINES = 3000 };

static uint32_t state;

/* Of all kinds: normal, tiny, infinite, none. */
static double any_half(uint16_t mask)
{
    state = state * 1664525 + 1013904223;
    return (double)dg_f16_value((uint16_t)(state >> 16 & mask));
}

/* Bit for bit, but for which NaN it is. */
static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : !memcmp(&a, &b, sizeof(a));
}

static void expect_line(size_t widest, uint16_t mask, int64_t step)
{
    double sums[N], before[N], weight[N], x[N];

    for (int i = 0; i < N; i++) {
        before[i] = sums[i] = any_half(0xffff);
        weight[i] = any_half(mask);
        x[i] = any_half(mask);
    }
    dg_xnn_half_line_of(widest)(sums, weight, x, step, N);
    for (int i = 0; i < N; i++) {
        double sum = before[i] + weight[i] * x[i * step];

        ck_assert_msg(same(sums[i], (double)dg_f16_value(dg_f16_bits(sum))),
                      "%zu bytes: %a + %a * %a is %a", widest, before[i], weight[i],
                      x[i * step], sums[i]);
    }
}

START_TEST(each_sum_is_rounded_as_its_number_is)
{
    static const uint16_t masks[] = {0xffff, 0xbfff, 0x8fff, 0x83ff};

    state = 1;
    for (int i = 0; i < LINES; i++)
        expect_line((size_t)_i, masks[i % 4], i / 4 % 2);
}

/* Also one of more bits than F16 has, which a program may bring along in F32. */
START_TEST(a_nan_of_any_bits_stays_one)
{
    static const uint64_t bits = INT64_MAX;
    double sums[N], weight[N] = {0}, x[N] = {0};

    for (int i = 0; i < N; i++)
        memcpy(&sums[i], &bits, sizeof(bits));
    dg_xnn_half_line_of((size_t)_i)(sums, weight, x, 1, N);
    for (int i = 0; i < N; i++)
        ck_assert(isnan(sums[i]));
}

Suite *halves_suite(void)
{
    Suite *suite = suite_create("halves");
    TCase *lines = tcase_create("lines");

    for (int widest = 16; widest <= 64; widest *= 2) {
        tcase_add_loop_test(lines, each_sum_is_rounded_as_its_number_is, widest,
                            widest + 1);
        tcase_add_loop_test(lines, a_nan_of_any_bits_stays_one, widest, widest + 1);
    }
    suite_add_tcase(suite, lines);
    return suite;
}
