/* How far two tensors are apart: statistics in f64, over elements that are finite on
 * both sides. */
#include "exec/compare.h"

#include <float.h>
#include <math.h>

#include "exec/ulp.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/walk.h"

void dg_close_tolerance(enum dg_type type, double *rtol, double *atol)
{
    *rtol = type == DG_TYPE_F16    ? 1e-3
            : type == DG_TYPE_BF16 ? 1.6e-2
            : type == DG_TYPE_F32  ? 1.3e-6
            : type == DG_TYPE_F64  ? 1e-7
                                   : 0;
    *atol = type == DG_TYPE_F64 ? 1e-7 : dg_type_is_float(type) ? 1e-5 : 0;
}

/* A piece of both tensors. Integers are compared as such: f64 rounds beyond 2^53. */
struct pair {
    enum dg_type reference, tested;
    bool integers;
    int64_t seen; /* elements of the pieces before */
};

struct piece {
    double ref[DG_LINE_MOST], got[DG_LINE_MOST];
    int64_t ref_int[DG_LINE_MOST], got_int[DG_LINE_MOST];
};

static struct pair pair_of(const struct dg_tensor *reference,
                           const struct dg_tensor *tested)
{
    return (struct pair){
        reference->type, tested->type,
        dg_fraction_bits(reference->type) < 0 && dg_fraction_bits(tested->type) < 0, 0};
}

static void load(struct piece *piece, const struct pair *pair, char *const *at,
                 const int64_t *strides, int64_t n)
{
    dg_load_f64(piece->ref, pair->reference, at[0], strides[0], n);
    dg_load_f64(piece->got, pair->tested, at[1], strides[1], n);
    if (!pair->integers)
        return;
    dg_load_i64(piece->ref_int, pair->reference, at[0], strides[0], n);
    dg_load_i64(piece->got_int, pair->tested, at[1], strides[1], n);
}

static void walk(const struct dg_tensor *reference, const struct dg_tensor *tested,
                 dg_line_fn *fn, void *data)
{
    struct dg_walk walk;

    dg_walk_begin(&walk, 2,
                  (struct dg_tensor *[]){(struct dg_tensor *)reference,
                                         (struct dg_tensor *)tested});
    dg_walk_lines(&walk, 1, fn, data);
}

static bool same(const struct pair *pair, const struct piece *piece, int64_t i)
{
    if (pair->integers)
        return piece->ref_int[i] == piece->got_int[i];
    return piece->ref[i] == piece->got[i] ||
           (isnan(piece->ref[i]) && isnan(piece->got[i]));
}

/* fmax() of what is no NaN: in place, where a library is called for the other. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double difference(double a, double b)
{
    double distance = fabs(a - b);

    return distance < DBL_MAX ? distance : DBL_MAX;
}

/* First pass: what needs no sums. */
struct survey {
    struct dg_metrics *metrics;
    struct pair pair;
    bool has_ulp, special;
    double rtol, atol, largest;
};

static void survey_special(struct dg_metrics *metrics, double ref, double got)
{
    metrics->nan[0] += isnan(ref) != 0;
    metrics->nan[1] += isnan(got) != 0;
    metrics->inf[0] += isinf(ref) != 0;
    metrics->inf[1] += isinf(got) != 0;
    if (ref == got || (isnan(ref) && isnan(got)))
        return;
    metrics->same_special = false;
    metrics->mismatches++;
}

/* Both are finite, and they differ. */
static inline void survey_error(const struct survey *survey, struct dg_metrics *metrics,
                                double ref, double got, int64_t index)
{
    double error = difference(ref, got), size = fabs(ref);
    /* Relative to 0 no error is small: the quotient is infinite. */
    double relative = error / size;

    metrics->mismatches += error > survey->atol + survey->rtol * size ||
                           (survey->pair.integers && survey->rtol + survey->atol == 0);
    if (metrics->worst < 0 || error > metrics->max_abs) {
        metrics->worst = index;
        metrics->worst_ref = ref;
        metrics->worst_got = got;
    }
    metrics->max_abs = larger(metrics->max_abs, error);
    if (size > survey->atol)
        metrics->max_rel = larger(metrics->max_rel, relative);
    metrics->pass_rtol = larger(metrics->pass_rtol, relative);
}

static void survey_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct survey *survey = data;
    struct dg_metrics metrics = *survey->metrics; /* a copy can be held in registers */
    double largest = survey->largest;
    struct piece piece;

    load(&piece, &survey->pair, at, strides, n);
    for (int64_t i = 0; i < n; i++) {
        double ref = piece.ref[i], got = piece.got[i];
        bool equal = same(&survey->pair, &piece, i);

        metrics.exact = metrics.exact && equal;
        if (!isfinite(ref) || !isfinite(got)) {
            survey_special(&metrics, ref, got);
            continue;
        }
        metrics.compared++;
        largest = larger(largest, larger(fabs(ref), fabs(got)));
        if (!equal)
            survey_error(survey, &metrics, ref, got, survey->pair.seen + i);
    }
    if (survey->has_ulp) {
        int64_t ulp = dg_ulp_most(survey->pair.tested, piece.ref, piece.got, n);

        metrics.max_ulp = ulp > metrics.max_ulp ? ulp : metrics.max_ulp;
    }
    *survey->metrics = metrics;
    survey->largest = largest;
    survey->pair.seen += n;
}

/* A sum whose rounding errors are summed beside it (Neumaier). */
struct sum {
    double total, lost;
};

static void add(struct sum *sum, double term)
{
    double total = sum->total + term;

    sum->lost += fabs(sum->total) >= fabs(term) ? (sum->total - total) + term
                                                : (term - total) + sum->total;
    sum->total = total;
}

static double value_of(struct sum sum)
{
    return sum.total + sum.lost;
}

/* Second pass: squares, of values divided by a power of two so that none overflows. */
struct squares {
    struct pair pair;
    double scale;
    struct sum ref, got, error, product;
    struct sum mean; /* of errors, with their signs */
    int64_t n;
};

static void square_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct squares *sums = data;
    struct piece piece;
    double ref2 = 0, got2 = 0, error2 = 0, product = 0, error = 0;

    load(&piece, &sums->pair, at, strides, n);
    for (int64_t i = 0; i < n; i++) {
        double ref = piece.ref[i] * sums->scale, got = piece.got[i] * sums->scale;

        if (!isfinite(ref) || !isfinite(got))
            continue;
        ref2 += ref * ref;
        got2 += got * got;
        error2 += (ref - got) * (ref - got);
        error += got - ref;
        product += ref * got;
        sums->n++;
    }
    add(&sums->ref, ref2);
    add(&sums->got, got2);
    add(&sums->error, error2);
    add(&sums->mean, error);
    add(&sums->product, product);
}

/* Squares of `largest` and its like are near 1. */
static double scale_for(double largest)
{
    int exponent = 0;

    frexp(largest, &exponent);
    return largest > 0 ? ldexp(1, exponent > -1000 ? -exponent : 1000) : 1;
}

static void finish(struct dg_metrics *metrics, const struct squares *sums)
{
    double ref = value_of(sums->ref), got = value_of(sums->got);
    double error = value_of(sums->error), n = (double)sums->n;

    if (ref > 0 && error > 0)
        metrics->snr_db = 10 * log10(ref / error);
    if (ref > 0 && got > 0)
        metrics->cosine = value_of(sums->product) / (sqrt(ref) * sqrt(got));
    if (sums->n) {
        metrics->rms = sqrt(ref / n) / sums->scale;
        metrics->rmse = sqrt(error / n) / sums->scale;
        metrics->mean_error = value_of(sums->mean) / n / sums->scale;
    }
}

void dg_measure(struct dg_metrics *metrics, const struct dg_tensor *reference,
                const struct dg_tensor *tested)
{
    double rtol, atol;

    dg_close_tolerance(tested->type, &rtol, &atol);
    dg_measure_within(metrics, reference, tested, rtol, atol);
}

void dg_measure_within(struct dg_metrics *metrics, const struct dg_tensor *reference,
                       const struct dg_tensor *tested, double rtol, double atol)
{
    struct survey survey = {
        metrics, pair_of(reference, tested), false, false, rtol, atol, 0};
    struct squares squares = {.pair = pair_of(reference, tested)};

    survey.has_ulp = dg_fraction_bits(tested->type) >= 0;
    *metrics = (struct dg_metrics){.count = dg_tensor_count(tested),
                                   .snr_db = NAN,
                                   .cosine = NAN,
                                   .max_ulp = survey.has_ulp ? 0 : -1,
                                   .same_special = true,
                                   .exact = true,
                                   .worst = -1};
    walk(reference, tested, survey_line, &survey);
    metrics->pass_atol = metrics->same_special ? metrics->max_abs : NAN;
    if (!metrics->same_special || isinf(metrics->pass_rtol))
        metrics->pass_rtol = NAN;
    squares.scale = scale_for(survey.largest);
    walk(reference, tested, square_line, &squares);
    finish(metrics, &squares);
}

static void largest_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct squares *sums = data;
    struct piece piece;

    load(&piece, &sums->pair, at, strides, n);
    for (int64_t i = 0; i < n; i++) {
        if (isfinite(piece.ref[i]) && isfinite(piece.got[i]))
            sums->scale =
                larger(sums->scale, larger(fabs(piece.ref[i]), fabs(piece.got[i])));
    }
}

double dg_rmse(const struct dg_tensor *reference, const struct dg_tensor *tested)
{
    struct squares squares = {.pair = pair_of(reference, tested)};

    squares.pair.integers = false;
    walk(reference, tested, largest_line, &squares);
    squares.scale = scale_for(squares.scale);
    walk(reference, tested, square_line, &squares);
    return squares.n ? sqrt(value_of(squares.error) / (double)squares.n) / squares.scale
                     : 0;
}

struct beyond {
    struct pair pair;
    int64_t ulp;
    double rel, absolute;
    struct dg_beyond found;
};

static void beyond_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct beyond *beyond = data;
    struct dg_beyond *found = &beyond->found;
    struct piece piece;

    load(&piece, &beyond->pair, at, strides, n);
    for (int64_t i = 0; i < n; i++) {
        double ref = piece.ref[i], got = piece.got[i], error = difference(ref, got);

        if (ref == got || isnan(ref) || isnan(got) ||
            error <= beyond->rel * fabs(ref) || error <= beyond->absolute ||
            dg_ulp_distance(beyond->pair.tested, ref, got) <= beyond->ulp)
            continue;
        if (!found->count++ || error > difference(found->worst_ref, found->worst_got)) {
            found->worst = beyond->pair.seen + i;
            found->worst_ref = ref;
            found->worst_got = got;
        }
    }
    beyond->pair.seen += n;
}

struct dg_beyond dg_find_beyond(const struct dg_tensor *reference,
                                const struct dg_tensor *tested, int64_t ulp, double rel,
                                double absolute)
{
    struct beyond beyond = {pair_of(reference, tested), ulp, rel, absolute, {0}};

    walk(reference, tested, beyond_line, &beyond);
    return beyond.found;
}

struct differing {
    struct dg_differences *count;
    enum dg_type types[4];
    int n;
};

static void differing_line(void *data, char *const *at, const int64_t *strides,
                           int64_t n)
{
    struct differing *differing = data;
    int64_t values[4][DG_LINE_MOST];

    for (int k = 0; k < differing->n; k++)
        dg_load_i64(values[k], differing->types[k], at[k], strides[k], n);
    for (int64_t i = 0; i < n; i++) {
        bool tested = values[1][i] != values[0][i], evaluations = false;

        for (int k = 2; k < differing->n; k++)
            evaluations = evaluations || values[k][i] != values[0][i];
        differing->count->tested += tested;
        differing->count->evaluations += evaluations;
        differing->count->both += tested && evaluations;
    }
}

void dg_count_differences(struct dg_differences *count,
                          const struct dg_tensor *reference,
                          const struct dg_tensor *tested,
                          const struct dg_tensor *const *evaluations)
{
    struct dg_tensor *tensors[4] = {(struct dg_tensor *)reference,
                                    (struct dg_tensor *)tested};
    struct differing differing = {count, {0}, 2};
    struct dg_walk walk;

    *count = (struct dg_differences){0, 0, 0};
    for (int k = 0; k < 2; k++) {
        if (evaluations[k])
            tensors[differing.n++] = (struct dg_tensor *)evaluations[k];
    }
    for (int k = 0; k < differing.n; k++)
        differing.types[k] = tensors[k]->type;
    dg_walk_begin(&walk, differing.n, tensors);
    dg_walk_lines(&walk, 1, differing_line, &differing);
}
