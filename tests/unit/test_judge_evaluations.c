/* Seeded faults: for each class the smallest wrong result that matters fails, and right
 * results of other summation orders pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/evaluations.h"
#include "unit/suite.h"

enum { SEEDS = 50, MOST = 4096 };

/* One value computed in five ways. */
struct five {
    double wide, reference, own_sums, reordered, faulty;
};
typedef struct five one_fn(struct random *random, enum dg_type type, int64_t terms);

static float in_order(const double *terms, int64_t n)
{
    float sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (float)terms[i];
    return sum;
}

/* Eight sums beside one another, from the end: as vector code does it. */
static float in_lanes(const double *terms, int64_t n)
{
    float lanes[8] = {0}, sum = 0;

    for (int64_t i = n - 1; i >= 0; i--)
        lanes[i % 8] += (float)terms[i];
    for (int k = 0; k < 8; k++)
        sum += lanes[k];
    return sum;
}

static double in_type(enum dg_type type, const double *terms, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum = rounded(type, sum + terms[i]);
    return sum;
}

static double sum_of(const double *terms, int64_t n)
{
    long double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += terms[i];
    return (double)sum;
}

static struct five finish(enum dg_type type, const double *terms, int64_t n,
                          double faulty)
{
    double exact = sum_of(terms, n);

    return (struct five){exact, rounded(type, exact), rounded(type, in_order(terms, n)),
                         rounded(type, in_lanes(terms, n)), rounded(type, faulty)};
}

/* An element of a product; the fault is to round inputs to TF32. */
static struct five product(struct random *random, enum dg_type type, int64_t terms)
{
    static double products[MOST], coarse[MOST];

    for (int64_t i = 0; i < terms; i++) {
        double a = rounded(type, normal(random)), b = rounded(type, normal(random));

        products[i] = a * b;
        coarse[i] = as_tf32(a) * as_tf32(b);
    }
    return finish(type, products, terms, in_order(coarse, terms));
}

/* The same; the fault is to keep the sum in the dtype of 16 bits. */
static struct five product_in_type(struct random *random, enum dg_type type,
                                   int64_t terms)
{
    static double products[MOST];

    for (int64_t i = 0; i < terms; i++)
        products[i] = rounded(type, normal(random)) * rounded(type, normal(random));
    return finish(type, products, terms, in_type(type, products, terms));
}

/* A mean; the fault is to leave out the last element. */
static struct five mean(struct random *random, enum dg_type type, int64_t terms)
{
    static double values[MOST];
    struct five five;

    for (int64_t i = 0; i < terms; i++)
        values[i] = rounded(type, normal(random) + 1);
    five = finish(DG_TYPE_F64, values, terms, sum_of(values, terms - 1));
    return (struct five){five.wide / (double)terms,
                         rounded(type, five.wide / (double)terms),
                         rounded(type, five.own_sums / (double)terms),
                         rounded(type, five.reordered / (double)terms),
                         rounded(type, five.faulty / (double)(terms - 1))};
}

/* A variance; the tested one rounds each square and sum to the dtype, as ExecuTorch's
 * does. The fault is to divide by the number of terms. */
static struct five variance(struct random *random, enum dg_type type, int64_t terms)
{
    static double values[MOST], squares[MOST];
    double wide, mean, narrow;

    for (int64_t i = 0; i < terms; i++)
        values[i] = rounded(type, normal(random));
    mean = sum_of(values, terms) / (double)terms;
    narrow = rounded(type, in_type(type, values, terms) / (double)terms);
    for (int64_t i = 0; i < terms; i++)
        squares[i] = (values[i] - mean) * (values[i] - mean);
    wide = sum_of(squares, terms) / (double)(terms - 1);
    for (int64_t i = 0; i < terms; i++) {
        double less = rounded(type, values[i] - narrow);

        squares[i] = rounded(type, less * less);
    }
    return (struct five){
        wide, rounded(type, wide), rounded(type, wide),
        rounded(type, in_type(type, squares, terms) / (double)(terms - 1)),
        rounded(type, wide * (double)(terms - 1) / (double)terms)};
}

/* First element of a layer norm; the fault is an epsilon of 1e-6 instead of 1e-5. */
static struct five layer_norm(struct random *random, enum dg_type type, int64_t terms)
{
    static double values[MOST], squares[MOST];
    double sums[2][3], means[3], result[4];

    for (int64_t i = 0; i < terms; i++)
        values[i] = rounded(type, 0.3 * normal(random) + 0.1);
    sums[0][0] = sum_of(values, terms);
    sums[0][1] = in_order(values, terms);
    sums[0][2] = in_lanes(values, terms);
    for (int k = 0; k < 3; k++) {
        means[k] = sums[0][k] / (double)terms;
        for (int64_t i = 0; i < terms; i++)
            squares[i] = (values[i] - means[k]) * (values[i] - means[k]);
        sums[1][k] = k == 0   ? sum_of(squares, terms)
                     : k == 1 ? in_order(squares, terms)
                              : in_lanes(squares, terms);
        result[k] = (values[0] - means[k]) / sqrt(sums[1][k] / (double)terms + 1e-5);
    }
    result[3] = (values[0] - means[0]) / sqrt(sums[1][0] / (double)terms + 1e-6);
    return (struct five){result[0], rounded(type, result[0]), rounded(type, result[1]),
                         rounded(type, result[2]), rounded(type, result[3])};
}

/* Two classes of a softmax; the fault is a step along the wrong axis: other terms. */
static struct five softmax(struct random *random, enum dg_type type, int64_t terms)
{
    static double exps[MOST];
    double first, other = 0;

    for (int64_t i = 0; i < terms; i++) {
        exps[i] = exp(rounded(type, normal(random)));
        other += exp(rounded(type, normal(random)));
    }
    first = exps[0];
    return (struct five){first / sum_of(exps, terms),
                         rounded(type, first / sum_of(exps, terms)),
                         rounded(type, first / in_order(exps, terms)),
                         rounded(type, (float)first / in_lanes(exps, terms)),
                         rounded(type, first / other)};
}

/* The last element of a scan; the fault is to begin one element late. */
static struct five scan(struct random *random, enum dg_type type, int64_t terms)
{
    static double values[MOST];

    for (int64_t i = 0; i < terms; i++)
        values[i] = rounded(type, normal(random));
    return finish(type, values, terms, sum_of(values + 1, terms - 1));
}

/* A shape of a test: what is computed, from how many terms, how often. */
struct subject {
    one_fn *one;
    enum dg_type type;
    enum dg_tolerance tolerance;
    int64_t terms, n;
};

static void check_seed(const struct subject *subject, uint64_t seed)
{
    static double wide[MOST], reference[MOST], own[MOST], reordered[MOST], faulty[MOST];
    struct values values = {subject->type, subject->n, reference, reordered, wide, own};
    struct dg_evidence evidence = {
        .tolerance = subject->tolerance, .n_steps = 1, .longest_sum = subject->terms};
    struct random random = {seed};
    struct dg_judgement right, wrong;

    for (int64_t i = 0; i < subject->n; i++) {
        struct five five = subject->one(&random, subject->type, subject->terms);

        wide[i] = five.wide;
        reference[i] = five.reference;
        own[i] = five.own_sums;
        reordered[i] = five.reordered;
        faulty[i] = five.faulty;
    }
    right = judged(&values, evidence);
    ck_assert_msg(right.verdict == DG_VERDICT_PASS, "%s %s, %lld terms, seed %llu: %s",
                  dg_type_name(subject->type), "reordered", (long long)subject->terms,
                  (unsigned long long)seed, right.why);
    values.tested = faulty;
    wrong = judged(&values, evidence);
    ck_assert_msg(wrong.verdict == DG_VERDICT_FAIL,
                  "%s faulty, %lld terms, seed %llu passes: error %g, allowed %g, "
                  "SNR %g",
                  dg_type_name(subject->type), (long long)subject->terms,
                  (unsigned long long)seed, wrong.error, wrong.allowed,
                  wrong.metrics.snr_db);
}

static void check(const struct subject *subjects, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            check_seed(&subjects[i], seed);
    }
}

#define CHECK(subjects) check(subjects, sizeof(subjects) / sizeof(*(subjects)))

START_TEST(products_in_another_order_pass_and_tf32_inputs_fail)
{
    static const struct subject subjects[] = {
        {product, DG_TYPE_F32, DG_TOLERANCE_CONTRACTION, 4, 256},
        {product, DG_TYPE_F32, DG_TOLERANCE_CONTRACTION, 64, 256},
        {product, DG_TYPE_F32, DG_TOLERANCE_CONTRACTION, 1024, 100},
        {product, DG_TYPE_F32, DG_TOLERANCE_CONTRACTION, 1024, 8},
        {product, DG_TYPE_F32, DG_TOLERANCE_ATTENTION, 64, 1000},
    };

    CHECK(subjects);
}

START_TEST(products_of_sixteen_bits_that_accumulate_in_sixteen_bits_fail)
{
    static const struct subject subjects[] = {
        {product_in_type, DG_TYPE_F16, DG_TOLERANCE_CONTRACTION, 256, 256},
        {product_in_type, DG_TYPE_F16, DG_TOLERANCE_CONTRACTION, 1024, 100},
        {product_in_type, DG_TYPE_BF16, DG_TOLERANCE_CONTRACTION, 256, 256},
    };

    CHECK(subjects);
}

START_TEST(means_in_another_order_pass_and_a_lost_element_fails)
{
    static const struct subject subjects[] = {
        {mean, DG_TYPE_F32, DG_TOLERANCE_REDUCTION, 1000, 100},
        {mean, DG_TYPE_F32, DG_TOLERANCE_REDUCTION, 1000, 16},
        {mean, DG_TYPE_F16, DG_TOLERANCE_REDUCTION, 50, 100},
    };

    CHECK(subjects);
}

START_TEST(short_variances_rounded_at_each_term_pass_and_biased_ones_fail)
{
    static const struct subject subjects[] = {
        {variance, DG_TYPE_F16, DG_TOLERANCE_VARIANCE, 4, 512},
        {variance, DG_TYPE_F16, DG_TOLERANCE_VARIANCE, 8, 512},
        {variance, DG_TYPE_BF16, DG_TOLERANCE_VARIANCE, 8, 512},
    };

    CHECK(subjects);
}

START_TEST(layer_norms_with_another_epsilon_fail)
{
    static const struct subject subjects[] = {
        {layer_norm, DG_TYPE_F32, DG_TOLERANCE_REDUCTION, 64, 256},
        {layer_norm, DG_TYPE_F32, DG_TOLERANCE_REDUCTION, 768, 256},
    };

    CHECK(subjects);
}

START_TEST(a_softmax_along_another_axis_fails)
{
    static const struct subject subjects[] = {
        {softmax, DG_TYPE_F32, DG_TOLERANCE_REDUCTION, 128, 256},
        {softmax, DG_TYPE_F16, DG_TOLERANCE_REDUCTION, 128, 256},
        {softmax, DG_TYPE_BF16, DG_TOLERANCE_REDUCTION, 128, 256},
    };

    CHECK(subjects);
}

START_TEST(a_scan_that_begins_late_fails)
{
    static const struct subject subjects[] = {
        {scan, DG_TYPE_F32, DG_TOLERANCE_SCAN, 1000, 100},
        {scan, DG_TYPE_F16, DG_TOLERANCE_SCAN, 100, 100},
    };

    CHECK(subjects);
}

/* A line that is resampled by 1.7, with positions in f32 that are rounded twice, or
 * once, as by a fused multiply-add, and in f64. `shift`: of the last tenth. */
enum { LINE = 600 };

static float linear_at(const double *line, double at)
{
    int64_t left = (int64_t)fmax(at, 0);
    float share = (float)(fmax(at, 0) - (double)left);

    return (float)line[left] * (1 - share) + (float)line[left + 1] * share;
}

static void resample(double *fused, double *twice, double *wide, const double *line,
                     double shift)
{
    float scale = (float)(1 / 1.7);

    for (int64_t o = 0; o < LINE; o++) {
        double off = o > LINE - LINE / 10 ? shift : 0, middle = (double)o + 0.5;
        double exact = fmax(middle / 1.7 - 0.5, 0);
        int64_t left = (int64_t)exact;

        fused[o] = (double)linear_at(line, fmaf(scale, (float)middle, -0.5F) + off);
        twice[o] = (double)linear_at(line, (double)(scale * (float)middle) - 0.5);
        wide[o] = line[left] * (1 - (exact - (double)left)) +
                  line[left + 1] * (exact - (double)left);
    }
}

START_TEST(positions_rounded_once_pass_and_half_an_element_off_fail)
{
    static double line[LINE], fused[LINE], twice[LINE], wide[LINE];
    struct values values = {DG_TYPE_F32, LINE, twice, fused, wide, twice};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct random random = {seed};

        for (int i = 0; i < LINE; i++)
            line[i] = (double)(float)normal(&random);
        resample(fused, twice, wide, line, 0);
        ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_SCAN, 1), DG_VERDICT_PASS);
        fused[LINE / 2] += 0.002;
        ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_SCAN, 1), DG_VERDICT_FAIL);
        resample(fused, twice, wide, line, 0.5);
        ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_SCAN, 1), DG_VERDICT_FAIL);
    }
}

/* f64 has no wider evaluation: all evaluations but the tested one are equal. */
START_TEST(products_in_f64_pass_in_another_order_and_fail_in_f32)
{
    static double reference[256], reordered[256], narrow[256];
    struct values values = {DG_TYPE_F64, 256,       reference,
                            reordered,   reference, reference};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct random random = {seed};

        for (int i = 0; i < 256; i++) {
            double terms[200], sum = 0;

            for (int k = 0; k < 200; k++)
                terms[k] = normal(&random) * normal(&random);
            for (int k = 199; k >= 0; k--)
                sum += terms[k];
            reference[i] = sum_of(terms, 200);
            reordered[i] = sum;
            narrow[i] = in_order(terms, 200);
        }
        values.tested = reordered;
        ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_CONTRACTION, 200),
                         DG_VERDICT_PASS);
        values.tested = narrow;
        ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_CONTRACTION, 200),
                         DG_VERDICT_FAIL);
    }
}

START_TEST(rows_taken_one_index_off_fail_in_every_class)
{
    static double table[257];
    struct values values = {DG_TYPE_F32, 256, table, table + 1, table, table};
    struct random random = {3};

    for (int i = 0; i < 257; i++)
        table[i] = rounded(DG_TYPE_F32, normal(&random));
    for (int class = DG_TOLERANCE_EXACT; class < DG_TOLERANCE_RANDOM; class ++)
        ck_assert_int_eq(verdict_of(&values, class, 64), DG_VERDICT_FAIL);
}

START_TEST(with_tf32_allowed_tf32_inputs_pass_and_sixteen_bits_fail)
{
    static double wide[400], reference[400], own[400], tested[400], worse[400];
    struct values values = {DG_TYPE_F32, 400, reference, tested, wide, own};
    struct dg_evidence evidence = {.tolerance = DG_TOLERANCE_CONTRACTION,
                                   .n_steps = 1,
                                   .longest_sum = 100,
                                   .tf32 = true};
    struct random random = {1};

    for (int i = 0; i < 400; i++) {
        struct five five = product(&random, DG_TYPE_F32, 100);

        wide[i] = five.wide;
        reference[i] = five.reference;
        own[i] = five.own_sums;
        tested[i] = five.faulty;
        worse[i] = rounded(DG_TYPE_BF16, five.faulty);
    }
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
    values.tested = worse;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_FAIL);
}

Suite *judge_evaluations_suite(void)
{
    Suite *suite = suite_create("judge_evaluations");
    TCase *faults = tcase_create("faults");

    tcase_set_timeout(faults, 120); /* seconds, on a busy machine */

    tcase_add_test(faults, products_in_another_order_pass_and_tf32_inputs_fail);
    tcase_add_test(faults,
                   products_of_sixteen_bits_that_accumulate_in_sixteen_bits_fail);
    tcase_add_test(faults, means_in_another_order_pass_and_a_lost_element_fails);
    tcase_add_test(faults,
                   short_variances_rounded_at_each_term_pass_and_biased_ones_fail);
    tcase_add_test(faults, layer_norms_with_another_epsilon_fail);
    tcase_add_test(faults, a_softmax_along_another_axis_fails);
    tcase_add_test(faults, a_scan_that_begins_late_fails);
    tcase_add_test(faults, positions_rounded_once_pass_and_half_an_element_off_fail);
    tcase_add_test(faults, products_in_f64_pass_in_another_order_and_fail_in_f32);
    tcase_add_test(faults, rows_taken_one_index_off_fail_in_every_class);
    tcase_add_test(faults, with_tf32_allowed_tf32_inputs_pass_and_sixteen_bits_fail);
    suite_add_tcase(suite, faults);
    return suite;
}
