/* How far two tensors are apart: statistics in f64, over elements that are finite on
 * both sides. */
#include "exec/compare.h"

#include <math.h>

#include "exec/compare_parts.h"
#include "exec/compare_piece.h"
#include "exec/ulp.h"
#include "kernels/cpu/line.h"

void dg_close_tolerance(enum dg_type type, double *rtol, double *atol)
{
    *rtol = type == DG_TYPE_F16    ? 1e-3
            : type == DG_TYPE_BF16 ? 1.6e-2
            : type == DG_TYPE_F32  ? 1.3e-6
            : type == DG_TYPE_F64  ? 1e-7
                                   : 0;
    *atol = type == DG_TYPE_F64 ? 1e-7 : dg_type_is_float(type) ? 1e-5 : 0;
}

/* fmax() of what is no NaN: in place, where a library is called for the other. */
static double larger(double a, double b)
{
    return a > b ? a : b;
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

/* Of values divided by a power of two, so that no square overflows. */
struct sums {
    struct sum ref, got, error, product; /* of squares */
    struct sum mean;                     /* of errors, with their signs */
    double scale;
    int64_t n;
};

static void add_piece(struct sums *sums, const struct dg_piece_sums *piece, int64_t n)
{
    add(&sums->ref, piece->ref2);
    add(&sums->got, piece->got2);
    add(&sums->error, piece->error2);
    add(&sums->product, piece->product);
    add(&sums->mean, piece->error);
    sums->n += n;
}

struct survey {
    struct dg_pair pair;
    struct dg_metrics metrics;
    bool has_ulp, bare; /* bare: no error by itself is looked at but the largest */
    double rtol, atol, largest;
    struct sums sums;
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

static void note_worst(struct dg_metrics *metrics, double ref, double got,
                       int64_t index)
{
    metrics->worst = index;
    metrics->worst_ref = ref;
    metrics->worst_got = got;
}

/* Both are finite, and they differ. */
static void survey_error(struct survey *survey, double ref, double got, int64_t index)
{
    struct dg_metrics *metrics = &survey->metrics;
    double error = dg_difference(ref, got), size = fabs(ref);
    /* Relative to 0 no error is small: the quotient is infinite. */
    double relative = error / size;

    metrics->mismatches += error > survey->atol + survey->rtol * size ||
                           (survey->pair.integers && survey->rtol + survey->atol == 0);
    if (metrics->worst < 0 || error > metrics->max_abs)
        note_worst(metrics, ref, got, index);
    metrics->max_abs = larger(metrics->max_abs, error);
    if (size > survey->atol)
        metrics->max_rel = larger(metrics->max_rel, relative);
    metrics->pass_rtol = larger(metrics->pass_rtol, relative);
}

/* Where not all is finite, and of whole numbers, which f64 may not tell apart. What is
 * finite stays, behind one another; how many these are. */
static int64_t survey_odd(struct survey *survey, struct dg_pair_piece *piece, int64_t n)
{
    struct dg_metrics *metrics = &survey->metrics;
    int64_t finite = 0;

    for (int64_t i = 0; i < n; i++) {
        double ref = piece->ref[i], got = piece->got[i];
        bool equal = dg_pair_same(&survey->pair, piece, i);

        metrics->exact = metrics->exact && equal;
        if (!isfinite(ref) || !isfinite(got)) {
            survey_special(metrics, ref, got);
            continue;
        }
        if (!equal)
            survey_error(survey, ref, got, survey->pair.seen + i);
        piece->ref[finite] = ref;
        piece->got[finite++] = got;
    }
    return finite;
}

/* Errors of a piece that has some, and where all is finite. */
static void survey_errors(struct survey *survey, struct dg_pair_piece *piece, int64_t n,
                          double most)
{
    struct dg_metrics *metrics = &survey->metrics;
    struct dg_piece_relation relation;
    int64_t i = 0;

    metrics->exact = false;
    if (survey->bare) {
        metrics->max_abs = larger(metrics->max_abs, most);
        return;
    }
    dg_piece_relate(&relation, piece->ref, piece->got, n, survey->rtol, survey->atol);
    metrics->mismatches += relation.mismatches;
    metrics->max_rel = larger(metrics->max_rel, relation.sized);
    metrics->pass_rtol = larger(metrics->pass_rtol, relation.relative);
    if (metrics->worst >= 0 && most <= metrics->max_abs)
        return;
    while (fabs(piece->ref[i] - piece->got[i]) < most)
        i++;
    note_worst(metrics, piece->ref[i], piece->got[i], survey->pair.seen + i);
    metrics->max_abs = most;
}

static void survey_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct survey *survey = data;
    struct dg_metrics *metrics = &survey->metrics;
    struct dg_pair_piece piece;
    struct dg_piece_sums of_piece;
    int64_t finite = n;

    dg_pair_load(&piece, &survey->pair, at, strides, n);
    if (survey->pair.integers ||
        !dg_piece_measure(&of_piece, piece.ref, piece.got, n)) {
        finite = survey_odd(survey, &piece, n);
        dg_piece_measure(&of_piece, piece.ref, piece.got, finite);
    } else if (of_piece.most > 0) {
        survey_errors(survey, &piece, n, of_piece.most);
    }
    if (survey->has_ulp && of_piece.most > 0) {
        int64_t ulp =
            dg_ulp_most(survey->pair.tested->type, piece.ref, piece.got, finite);

        metrics->max_ulp = ulp > metrics->max_ulp ? ulp : metrics->max_ulp;
    }
    survey->largest = larger(survey->largest, of_piece.largest);
    metrics->compared += finite;
    add_piece(&survey->sums, &of_piece, finite);
    survey->pair.seen += n;
}

/* Another pass over what is finite, divided by a power of two. */
static void scaled_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct survey *survey = data;
    struct dg_pair_piece piece;
    struct dg_piece_sums of_piece;
    int64_t finite = 0;

    dg_pair_load(&piece, &survey->pair, at, strides, n);
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(piece.ref[i]) || !isfinite(piece.got[i]))
            continue;
        piece.ref[finite] = piece.ref[i] * survey->sums.scale;
        piece.got[finite++] = piece.got[i] * survey->sums.scale;
    }
    dg_piece_measure(&of_piece, piece.ref, piece.got, finite);
    add_piece(&survey->sums, &of_piece, finite);
}

/* Squares of `largest` and its like are near 1. */
static double scale_for(double largest)
{
    int exponent = 0;

    frexp(largest, &exponent);
    return largest > 0 ? ldexp(1, exponent > -1000 ? -exponent : 1000) : 1;
}

static void finish(struct dg_metrics *metrics, const struct sums *sums)
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

static void count_repeats(struct dg_metrics *metrics, const struct dg_pair *pair)
{
    int64_t *counts[] = {&metrics->compared, &metrics->mismatches, &metrics->nan[0],
                         &metrics->nan[1],   &metrics->inf[0],     &metrics->inf[1]};

    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
        *counts[i] *= pair->times;
    metrics->worst = dg_pair_index(pair, metrics->worst);
}

void dg_measure(struct dg_metrics *metrics, const struct dg_tensor *reference,
                const struct dg_tensor *tested)
{
    double rtol, atol;

    dg_close_tolerance(tested->type, &rtol, &atol);
    dg_measure_within(metrics, reference, tested, rtol, atol);
}

static void join_sums(struct sums *sums, const struct sums *later)
{
    struct sum *to[] = {&sums->ref, &sums->got, &sums->error, &sums->product,
                        &sums->mean};
    const struct sum *from[] = {&later->ref, &later->got, &later->error,
                                &later->product, &later->mean};

    for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
        add(to[i], from[i]->total);
        to[i]->lost += from[i]->lost;
    }
    sums->n += later->n;
}

static void join_metrics(struct dg_metrics *metrics, const struct dg_metrics *later)
{
    if (later->worst >= 0 && (metrics->worst < 0 || later->max_abs > metrics->max_abs))
        note_worst(metrics, later->worst_ref, later->worst_got, later->worst);
    metrics->compared += later->compared;
    metrics->mismatches += later->mismatches;
    for (int k = 0; k < 2; k++) {
        metrics->nan[k] += later->nan[k];
        metrics->inf[k] += later->inf[k];
    }
    metrics->max_abs = larger(metrics->max_abs, later->max_abs);
    metrics->max_rel = larger(metrics->max_rel, later->max_rel);
    metrics->pass_rtol = larger(metrics->pass_rtol, later->pass_rtol);
    metrics->max_ulp =
        later->max_ulp > metrics->max_ulp ? later->max_ulp : metrics->max_ulp;
    metrics->same_special = metrics->same_special && later->same_special;
    metrics->exact = metrics->exact && later->exact;
}

static void walk(struct survey *survey, dg_line_fn *fn)
{
    struct survey parts[DG_PAIR_PARTS] = {*survey};
    int n = dg_pair_walk(parts, sizeof(*parts), fn);

    *survey = parts[0];
    for (int i = 1; i < n; i++) {
        join_metrics(&survey->metrics, &parts[i].metrics);
        join_sums(&survey->sums, &parts[i].sums);
        survey->largest = larger(survey->largest, parts[i].largest);
    }
}

/* Where squares of what there is may not be numbers, which no metric but the sums
 * depends on. */
static void scale_sums(struct survey *survey)
{
    static const double safe = 0x1p200; /* the squares of this and its inverse are */
    struct survey scaled = {.pair = survey->pair};

    if (!survey->largest || (survey->largest <= safe && survey->largest >= 1 / safe))
        return;
    scaled.sums.scale = scale_for(survey->largest);
    walk(&scaled, scaled_line);
    survey->sums = scaled.sums;
}

static struct survey survey_of(const struct dg_tensor *reference,
                               const struct dg_tensor *tested)
{
    return (struct survey){.pair = dg_pair_of(reference, tested),
                           .metrics = {.count = dg_tensor_count(tested),
                                       .snr_db = NAN,
                                       .cosine = NAN,
                                       .max_ulp = -1,
                                       .same_special = true,
                                       .exact = true,
                                       .worst = -1},
                           .sums.scale = 1};
}

static void look(struct survey *survey)
{
    walk(survey, survey_line);
    scale_sums(survey);
    finish(&survey->metrics, &survey->sums);
}

void dg_measure_within(struct dg_metrics *metrics, const struct dg_tensor *reference,
                       const struct dg_tensor *tested, double rtol, double atol)
{
    struct survey survey = survey_of(reference, tested);

    survey.has_ulp = dg_fraction_bits(tested->type) >= 0;
    survey.metrics.max_ulp = survey.has_ulp ? 0 : -1;
    survey.rtol = rtol;
    survey.atol = atol;
    look(&survey);
    *metrics = survey.metrics;
    count_repeats(metrics, &survey.pair);
    metrics->pass_atol = metrics->same_special ? metrics->max_abs : NAN;
    if (!metrics->same_special || isinf(metrics->pass_rtol))
        metrics->pass_rtol = NAN;
}

struct dg_deviation dg_deviation_of(const struct dg_tensor *reference,
                                    const struct dg_tensor *tested)
{
    struct survey survey = survey_of(reference, tested);
    const struct dg_metrics *metrics = &survey.metrics;

    survey.bare = true;
    look(&survey);
    return (struct dg_deviation){metrics->rms, metrics->rmse, metrics->max_abs,
                                 metrics->snr_db};
}

struct zeros {
    enum dg_type type;
    bool finite, others; /* there are elements that are finite; that are not 0, too */
};

static void zeros_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct zeros *zeros = data;
    double values[DG_LINE_MOST];

    if (zeros->others)
        return;
    dg_load_f64(values, zeros->type, at[0], strides[0], n);
    for (int64_t i = 0; i < n; i++) {
        zeros->finite = zeros->finite || isfinite(values[i]);
        zeros->others = zeros->others || (isfinite(values[i]) && values[i] != 0);
    }
}

bool dg_is_zero(const struct dg_tensor *tensor)
{
    struct zeros zeros = {tensor->type, false, false};
    struct dg_walk walk;

    dg_walk_begin(&walk, 1, (struct dg_tensor *[]){(struct dg_tensor *)tensor});
    dg_walk_once(&walk);
    dg_walk_lines(&walk, 1, zeros_line, &zeros);
    return zeros.finite && !zeros.others;
}
