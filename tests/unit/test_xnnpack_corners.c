/* Nodes of XNNPACK on NaN, infinities, subnormals and what is beyond a range: as the
 * runtime has them, which is not what a function says. */
#include "unit/xnnpack_node.h"

static const double subnormal = 0x1p-130;

/* A node on a line of elements, whose result has the type of its input. */
static void given(const char *kind, enum dg_type type, int64_t n, const double *values)
{
    begin(kind);
    node.out[0].type = type;
    input(type, SHAPE(n), values);
}

static void expect(int line, int64_t n, const double *values)
{
    ck_assert_msg(!run(), "line %d: %s", line, node.err.text);
    expect_result(line, 0, SHAPE(n), values);
    drop();
}

#define COUNT(...) (sizeof((double[]){__VA_ARGS__}) / sizeof(double))
#define GIVEN(kind, type, ...)                                                         \
    given(kind, type, COUNT(__VA_ARGS__), VALUES(__VA_ARGS__))
#define GIVES(...) expect(__LINE__, COUNT(__VA_ARGS__), VALUES(__VA_ARGS__))

START_TEST(integers_of_floats_are_the_nearest_that_both_have)
{
    GIVEN("Convert", DG_TYPE_F32, 0.5, 1.5, -1.5, 2.75);
    node.out[0].type = DG_TYPE_I32;
    GIVES(0, 2, -2, 3);
    GIVEN("Convert", DG_TYPE_F32, NAN, INFINITY, -INFINITY, 3e9, -0x1p31);
    node.out[0].type = DG_TYPE_I32;
    GIVES(0, 2147483520, -0x1p31, 2147483520, -0x1p31);
    GIVEN("Convert", DG_TYPE_F16, 2.5, INFINITY, NAN);
    node.out[0].type = DG_TYPE_I32;
    GIVES(2, 2147483520, 0);
}

START_TEST(roots_of_halves_are_numbers_below_zero)
{
    GIVEN("SquareRoot", DG_TYPE_F16, 4, 0, -4, -0x1p-24);
    GIVES(2, 0, -0.0, -0.0);
    GIVEN("SquareRoot", DG_TYPE_F16, -0.0, INFINITY, -INFINITY, NAN);
    GIVES(NAN, NAN, NAN, NAN);
    GIVEN("ReciprocalSquareRoot", DG_TYPE_F16, 4, 0, -0.0, INFINITY, -1);
    GIVES(0.5, INFINITY, -INFINITY, 0, NAN);
}

START_TEST(roots_of_floats_come_of_an_estimate)
{
    double large = 0x1.2p127; /* 9 * 2^124 */

    GIVEN("SquareRoot", DG_TYPE_F32, 4, 0, 0x1p126, large);
    GIVES(2, 0, 0x1p63, 1.5 * 3 * 0x1p62);
    GIVEN("SquareRoot", DG_TYPE_F32, subnormal, -subnormal, INFINITY, -1, NAN);
    GIVES(0, -0.0, NAN, NAN, NAN);
    GIVEN("ReciprocalSquareRoot", DG_TYPE_F32, 4, 0x1p126, INFINITY);
    GIVES(0.5, 0x1p-63, 0);
    GIVEN("ReciprocalSquareRoot", DG_TYPE_F32, 0, -0.0, subnormal, -1, NAN);
    GIVES(NAN, NAN, NAN, NAN, NAN);
}

START_TEST(powers_and_logarithms_end_where_exponents_do)
{
    GIVEN("Exp", DG_TYPE_F32, 0, NAN, -INFINITY, INFINITY, -100, 88.5);
    GIVES(1, 0, 0, INFINITY, 0, INFINITY);
    GIVEN("Exp", DG_TYPE_F16, 0, NAN, -INFINITY, -12, INFINITY);
    GIVES(1, 0x1p-15, 0x1p-15, 0x1p-15, INFINITY);
    GIVEN("Log", DG_TYPE_F32, 1, 0, subnormal, -subnormal, 0x1.8p127, -1, NAN);
    GIVES(0, -INFINITY, -INFINITY, -INFINITY, INFINITY, NAN, NAN);
    GIVEN("Log", DG_TYPE_F16, 1, 0, INFINITY, -1);
    GIVES(0, -INFINITY, 88.375, NAN);
    GIVEN("Sigmoid", DG_TYPE_F16, 0, -9.75, INFINITY);
    GIVES(0.5, 0, 1);
}

START_TEST(what_hangs_on_the_sign_of_nan_is_not_run)
{
    GIVEN("Log", DG_TYPE_F16, 1, NAN);
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    begin("MaxPooling2d");
    node.out[0].type = DG_TYPE_F16;
    node.step.node.height = node.step.node.width = 1;
    node.step.node.down = node.step.node.across = 1;
    input(DG_TYPE_F16, SHAPE(1, 1, 2, 1), VALUES(1, NAN));
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    ck_assert_uint_eq(dg_host_memory.used, 0);
}

START_TEST(subnormals_of_floats_are_zeros)
{
    GIVEN("Ceiling", DG_TYPE_F32, subnormal, 0x1p-126, -subnormal);
    GIVES(0, 1, -0.0);
    GIVEN("Floor", DG_TYPE_F32, -subnormal, -0x1p-126);
    GIVES(-0.0, -1);
    GIVEN("Clamp", DG_TYPE_F32, subnormal, 0x1p-126);
    GIVES(0, 0x1p-126);
    GIVEN("Square", DG_TYPE_F32, 0x1p-63, 0x1p-64);
    GIVES(0x1p-126, 0);
    GIVEN("Div", DG_TYPE_F32, 1, subnormal, -1);
    input(DG_TYPE_F32, SHAPE(3), VALUES(subnormal, 0, -subnormal));
    GIVES(INFINITY, NAN, INFINITY);
}

START_TEST(subnormals_stay_where_nothing_is_computed_or_in_halves)
{
    GIVEN("Abs", DG_TYPE_F32, -subnormal);
    GIVES(subnormal);
    GIVEN("LeakyReLU", DG_TYPE_F32, subnormal, -subnormal, -0x1p-125, -0x1p-126);
    node.step.real = 0.5;
    GIVES(subnormal, -subnormal, -0x1p-126, -0.0);
    GIVEN("Ceiling", DG_TYPE_F16, 0x1p-24, -0x1p-24);
    GIVES(1, -0.0);
}

START_TEST(a_clamp_of_halves_loses_nan)
{
    GIVEN("Clamp", DG_TYPE_F16, NAN, 3, -1);
    node.step.least = 0;
    node.step.most = 2;
    GIVES(0, 2, 0);
    GIVEN("Clamp", DG_TYPE_F16, NAN, 3);
    node.step.most = 2;
    GIVES(-INFINITY, 2);
    GIVEN("Clamp", DG_TYPE_F16, NAN, 3);
    GIVES(NAN, 3);
    GIVEN("Clamp", DG_TYPE_F32, NAN, 3);
    node.step.least = 0;
    node.step.most = 2;
    GIVES(NAN, 2);
    GIVEN("Div", DG_TYPE_F16, 0, 1);
    node.step.least = 0;
    input(DG_TYPE_F16, SHAPE(2), VALUES(0, 0));
    GIVES(0, INFINITY);
}

static void by_number(const char *kind, double number, bool first)
{
    begin(kind);
    node.out[0].type = DG_TYPE_F16;
    if (first)
        input(DG_TYPE_F16, SHAPE(1), &number)->constant = true;
    input(DG_TYPE_F16, SHAPE(3), VALUES(NAN, 1, -5));
    if (!first)
        input(DG_TYPE_F16, SHAPE(1), &number)->constant = true;
}

START_TEST(a_number_that_bounds_halves_is_a_clamp)
{
    for (int first = 0; first < 2; first++) {
        by_number("Maximum", 0, first);
        GIVES(0, 1, 0);
        by_number("Minimum", 0, first);
        GIVES(-INFINITY, 0, -5);
        by_number("Minimum", INFINITY, first);
        GIVES(NAN, 1, -5);
        by_number("Maximum", -INFINITY, first);
        GIVES(NAN, 1, -5);
    }
}

static void multiply(const char *kind, enum dg_type type, enum dg_precision precision)
{
    begin(kind);
    node.precision = precision;
    node.out[0].type = type;
    input(type, SHAPE(2, 1), VALUES(NAN, 3));
    input(type, SHAPE(1, 1), VALUES(2));
}

START_TEST(sums_of_products_of_halves_lose_nan)
{
    static const enum dg_precision precisions[] = {DG_PRECISION_EXACT_SUMS,
                                                   DG_PRECISION_OWN_SUMS};
    static const char *const kinds[] = {"FullyConnected", "BatchMatrixMultiply"};

    for (int i = 0; i < 4; i++) {
        multiply(kinds[i / 2], DG_TYPE_F16, precisions[i % 2]);
        EXPECT(SHAPE(2, 1), -INFINITY, 6);
        multiply(kinds[i / 2], DG_TYPE_F32, precisions[i % 2]);
        EXPECT(SHAPE(2, 1), NAN, 6);
    }
    multiply("FullyConnected", DG_TYPE_F16, DG_PRECISION_EXACT_SUMS);
    node.step.least = 0;
    EXPECT(SHAPE(2, 1), 0, 6);
}

static void pool(const char *kind, double first, double second)
{
    begin(kind);
    node.step.node.height = 1;
    node.step.node.width = 3;
    node.step.node.down = node.step.node.across = 1;
    input(DG_TYPE_F32, SHAPE(1, 1, 3, 1), VALUES(first, second, NAN));
}

START_TEST(averages_lose_nan_and_those_of_all_pixels_keep_it)
{
    pool("AvgPooling2d", 1, 2);
    EXPECT(SHAPE(1, 1, 1, 1), -INFINITY);
    pool("AvgPooling2d", 1, 2);
    node.step.least = 0;
    EXPECT(SHAPE(1, 1, 1, 1), 0);
    pool("GlobalAvgPooling2d", 1, 2);
    node.step.node.flags = DG_XNN_KEEP_DIMS;
    node.step.least = 0;
    EXPECT(SHAPE(1, 1, 1, 1), NAN);
}

START_TEST(the_largest_of_a_window_passes_over_nan)
{
    pool("MaxPooling2d", NAN, 7);
    EXPECT(SHAPE(1, 1, 1, 1), 7);
    pool("MaxPooling2d", 7, NAN);
    EXPECT(SHAPE(1, 1, 1, 1), 7);
    pool("MaxPooling2d", NAN, NAN);
    EXPECT(SHAPE(1, 1, 1, 1), -INFINITY);
}

Suite *xnnpack_corners_suite(void)
{
    Suite *suite = suite_create("xnnpack corners");
    TCase *all = tcase_create("all");

    tcase_add_test(all, integers_of_floats_are_the_nearest_that_both_have);
    tcase_add_test(all, roots_of_halves_are_numbers_below_zero);
    tcase_add_test(all, roots_of_floats_come_of_an_estimate);
    tcase_add_test(all, powers_and_logarithms_end_where_exponents_do);
    tcase_add_test(all, what_hangs_on_the_sign_of_nan_is_not_run);
    tcase_add_test(all, subnormals_of_floats_are_zeros);
    tcase_add_test(all, subnormals_stay_where_nothing_is_computed_or_in_halves);
    tcase_add_test(all, a_clamp_of_halves_loses_nan);
    tcase_add_test(all, a_number_that_bounds_halves_is_a_clamp);
    tcase_add_test(all, sums_of_products_of_halves_lose_nan);
    tcase_add_test(all, averages_lose_nan_and_those_of_all_pixels_keep_it);
    tcase_add_test(all, the_largest_of_a_window_passes_over_nan);
    suite_add_tcase(suite, all);
    return suite;
}
