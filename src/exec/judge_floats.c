/* Verdicts on floats: near the f64 reference, as near as rounding leads. */
#include <math.h>

#include "exec/judge_parts.h"
#include "exec/ulp.h"

enum column { COLUMN_F64, COLUMN_F32, COLUMN_TF32, COLUMN_F16, COLUMN_BF16, COLUMNS };

static const struct {
    double snr_db[COLUMNS]; /* 0: none */
    struct {
        int64_t ulp;
        double rel;
    } step[COLUMNS];
} limits[] = {
#define ULP(ulp, rel)                                                                  \
    {                                                                                  \
        ulp, rel                                                                       \
    }
#define STEP(class, ...) [DG_TOLERANCE_##class] = {.step = {__VA_ARGS__}},
#define SUMS(class, ...) [DG_TOLERANCE_##class] = {.snr_db = {__VA_ARGS__}},
#include "exec/tolerances.h"
#undef STEP
#undef SUMS
#undef ULP
    [DG_TOLERANCE_RANDOM] = {{0}, {{0, 0}}},
    [DG_TOLERANCE_VECTORS] = {{0}, {{0, 0}}},
};

/* An SNR of several steps is below that of its worst one. */
static const double program_margin_db = 6;
static const double stepwise_margin_db = 10;
/* oneDNN's gelu of f32 errs by 11 ulp of 1 times x / 2, others by less. */
static const double cancellation = 2;
static const double f16_normal = 0x1p-14, small_part = 0x1p-3;

static enum column column_of(enum dg_type type, bool tf32)
{
    switch (type) {
    case DG_TYPE_F64:
        return COLUMN_F64;
    case DG_TYPE_F32:
        return tf32 ? COLUMN_TF32 : COLUMN_F32;
    case DG_TYPE_F16:
        return COLUMN_F16;
    case DG_TYPE_BF16:
    case DG_TYPE_F8E5M2: /* nobody sums in 8 bits */
    case DG_TYPE_F8E4M3FN:
    case DG_TYPE_F8E5M2FNUZ:
    case DG_TYPE_F8E4M3FNUZ:
        return COLUMN_BF16;
    default:
        return COLUMNS;
    }
}

static bool is_program(const struct dg_case *judged)
{
    return judged->evidence->n_steps > 1;
}

/* Whether one step of a kind that is judged element by element made it. */
static bool by_element(const struct dg_case *judged)
{
    return !is_program(judged) && judged->evidence->tolerance <= DG_TOLERANCE_POWER;
}

/* Functions cancel near their zeros, by a factor that hangs on the library. Those of 16
 * bits compute in f32. */
static double cancelled(enum dg_tolerance class, enum dg_type type, double rms)
{
    enum dg_type computed = type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;

    return cancellation * (double)limits[class].step[column_of(computed, false)].ulp *
           dg_ulp_at(computed, rms);
}

/* Of what a function is a small difference: own sums round a term near 1, so that their
 * error says what that is multiplied by. In 16 bits that is lost in the last rounding,
 * but in bf16 ulp of 1 in f32 are no ulp of values that are not tiny. */
static double rms_of_terms(const struct dg_case *judged)
{
    static const double error_near_one = 0.3 * 0x1p-24, tiny = 0x1p-11;
    double rms = judged->judgement->metrics.rms;
    enum dg_type type = judged->tested->type;

    if (judged->evidence->tolerance != DG_TOLERANCE_DIFFERENCE)
        return rms;
    if (type == DG_TYPE_BF16 && rms >= tiny)
        return fmax(rms, 1);
    if (type != DG_TYPE_F32 || !judged->wide || !judged->own_sums)
        return rms;
    return fmax(rms,
                dg_deviation_of(judged->wide, judged->own_sums).rmse / error_near_one);
}

/* Subnormals of f16: XNNPACK's sigmoid gives 0 for them, and exp nothing below 2^-15.
 * Where they are no small part of the values they are told apart. */
static double flushed(enum dg_type type, double rms)
{
    return type == DG_TYPE_F16 ? fmin(f16_normal, rms * small_part) : 0;
}

/* What functions may be off where their values are small beside the others. */
static double absolute_error(enum dg_tolerance class, enum dg_type type, double rms)
{
    return class == DG_TOLERANCE_ROUNDED
               ? 0
               : fmax(cancelled(class, type, rms), flushed(type, rms));
}

static void judge_elements(const struct dg_case *judged)
{
    struct dg_judgement *judgement = judged->judgement;
    const struct dg_metrics *metrics = &judgement->metrics;
    enum dg_tolerance class = judged->evidence->tolerance;
    enum dg_type type = judged->tested->type;
    enum column column = column_of(type, judged->evidence->tf32);
    struct dg_nearness bound = {
        .ulp = column < COLUMNS ? limits[class].step[column].ulp : 1,
        .rel = column < COLUMNS ? limits[class].step[column].rel : 0,
        .absolute = absolute_error(class, type, rms_of_terms(judged))};
    struct dg_beyond beyond;

    if (judged->wide && judged->own_sums) {
        bound.ways[0] = judged->wide;
        bound.ways[1] = judged->own_sums;
    }
    judgement->ulp_limit = bound.ulp;
    beyond = dg_find_beyond(judged->reference, judged->tested, &bound);
    if (!beyond.count)
        dg_verdict(judgement, DG_VERDICT_PASS, "%s", "");
    else
        dg_verdict(judgement, DG_VERDICT_FAIL,
                   "%lld of %lld elements are more than %lld ulp off; element %lld is "
                   "%.9g, expected %.9g",
                   (long long)beyond.count, (long long)metrics->count,
                   (long long)judgement->ulp_limit, (long long)beyond.worst,
                   beyond.worst_got, beyond.worst_ref);
}

/* Elementwise steps in a program are held to what reductions are held to. */
double dg_class_limit(const struct dg_case *judged)
{
    enum dg_tolerance class = judged->evidence->tolerance;
    enum column column = column_of(dg_narrowest(judged), judged->evidence->tf32);

    if (column == COLUMNS)
        return NAN;
    return limits[class < DG_TOLERANCE_REDUCTION ? DG_TOLERANCE_REDUCTION : class]
               .snr_db[column] -
           (is_program(judged) ? program_margin_db : 0);
}

/* XNNPACK's exp of f16 is off by as much as a single step of it may be, all elements
 * at one side of its range: so many ulp, which are 2^-11 to 2^-10 of a value. So is
 * that of its softmax, which adds terms in 32 lanes: each addition rounds all of a row
 * to one side by up to 2^-12. Measured: 58 dB of 64 terms, 47 of 1000, 39 of 4096. */
double dg_error_of_functions(const struct dg_case *judged)
{
    double ulp = (double)limits[DG_TOLERANCE_FUNCTION].step[COLUMN_F16].ulp;

    return judged->evidence->exponential && dg_narrowest(judged) == DG_TYPE_F16
               ? ldexp(ulp * M_SQRT1_2, -10) +
                     ldexp((double)judged->evidence->half_sum, -17)
               : 0;
}

/* What own sums reach, less some: three times their RMS error, as rule 3 allows, where
 * torch's steps lead beyond the limit. */
static double own_limit(const struct dg_case *judged, double own_snr_db, double limit)
{
    bool steps_lead = dg_steps_lead(judged) && own_snr_db < limit;

    return own_snr_db - (steps_lead ? stepwise_margin_db : program_margin_db);
}

/* A dtype that does not reach its limit here, as the evaluation of its own sums shows,
 * sets the limit. */
static double snr_limit(const struct dg_case *judged,
                        const struct dg_evaluations *evaluations)
{
    double limit = dg_class_limit(judged), own = evaluations->own_snr_db;
    double functions = dg_error_of_functions(judged);

    if (functions > 0)
        limit = fmin(limit, -20 * log10(functions));
    if (judged->judgement->metrics.compared < DG_FEW || isnan(limit) ||
        judged->evidence->other_grid)
        return NAN;
    return isnan(own) ? limit : fmin(limit, own_limit(judged, own, limit));
}

/* NaN says nothing of what led to it. */
static bool says_nothing(const struct dg_metrics *metrics)
{
    return metrics->count && !metrics->compared && metrics->nan[1];
}

void dg_pass_with_note(const struct dg_case *judged)
{
    const struct dg_metrics *metrics = &judged->judgement->metrics;
    enum dg_verdict verdict = says_nothing(metrics) ? DG_VERDICT_SKIP : DG_VERDICT_PASS;
    const struct dg_metrics *wide;

    dg_verdict(judged->judgement, verdict, "%s",
               metrics->count && !metrics->compared ? "no element is finite" : "");
    if (!judged->wide)
        return;
    wide = dg_off_wide(judged->judgement, judged->wide, judged->tested);
    if (!wide->same_special)
        dg_verdict(judged->judgement, verdict,
                   "overflow-in-dtype: %s%lld elements are not finite in %s, %lld in "
                   "f64",
                   says_nothing(metrics) ? "no element is finite: " : "",
                   (long long)(wide->nan[1] + wide->inf[1]),
                   dg_type_name(judged->tested->type),
                   (long long)(wide->nan[0] + wide->inf[0]));
}

/* The elements that are too far off though all together are not: by more than the
 * largest of rounding's errors, and more than some ulp of their own. */
static struct dg_beyond stray(const struct dg_case *judged, double peak,
                              const struct dg_tensor *values)
{
    const struct dg_tensor *wide = judged->wide ? judged->wide : judged->reference;
    double rel = ldexp(DG_PEAK_FACTOR, -dg_fraction_bits(dg_narrowest(judged)));
    struct dg_nearness bound = {.rel = fmax(rel, dg_error_of_functions(judged)),
                                .absolute = peak};

    return dg_is_within(&judged->judgement->off_wide, wide, values, peak)
               ? (struct dg_beyond){0}
               : dg_find_beyond(wide, values, &bound);
}

/* Whether errors against f64 are rounding: all together, and the largest one. */
static bool near_f64(const struct dg_case *judged,
                     const struct dg_evaluations *evaluations,
                     const struct dg_tensor *values, double error, const char *whose)
{
    struct dg_judgement *judgement = judged->judgement;
    struct dg_beyond beyond = stray(judged, evaluations->peak, values);

    if (error > judgement->allowed)
        dg_verdict(judgement, DG_VERDICT_FAIL,
                   "%s RMS error %.3g against f64 is %.2g times what rounding "
                   "explains, %.2g",
                   whose, error, error / judgement->allowed, judgement->allowed);
    else if (beyond.count)
        dg_verdict(judgement, DG_VERDICT_FAIL,
                   "%s element %lld is %.9g, in f64 %.9g: %.2g times what rounding "
                   "explains, %.2g",
                   whose, (long long)beyond.worst, beyond.worst_got, beyond.worst_ref,
                   fabs(beyond.worst_got - beyond.worst_ref) / evaluations->peak,
                   evaluations->peak);
    else
        return true;
    return false;
}

static void judge_sums(const struct dg_case *judged)
{
    struct dg_judgement *judgement = judged->judgement;
    struct dg_evaluations evaluations = dg_measure_evaluations(judged);

    judgement->snr_limit = snr_limit(judged, &evaluations);
    if (dg_is_unstable(judged, &evaluations) ||
        !near_f64(judged, &evaluations, judged->tested, evaluations.error, "its") ||
        (judged->reference != judged->tested &&
         !near_f64(judged, &evaluations, judged->reference, evaluations.reference_error,
                   "the expected values'")) ||
        dg_is_shifted(judged, judged->evidence->grid_step))
        return;
    else if (judgement->metrics.snr_db < judgement->snr_limit)
        dg_verdict(judgement, DG_VERDICT_FAIL, "SNR %.1f dB is below %.1f dB",
                   judgement->metrics.snr_db, judgement->snr_limit);
    else
        dg_pass_with_note(judged);
}

/* How far from 0 a value may be where f64 is 0: behind a sum, a little, and as far as
 * own sums are when what they cancel is rounded. */
static double most_of_zero(const struct dg_case *judged)
{
    struct dg_metrics own = {.max_abs = 0};

    if (by_element(judged))
        return 0;
    if (judged->wide && judged->own_sums)
        dg_measure(&own, judged->wide, judged->own_sums);
    return fmax(1e-6, DG_PEAK_FACTOR * own.max_abs);
}

static bool near_zero(const struct dg_case *judged, const struct dg_tensor *values,
                      const char *whose)
{
    double most = most_of_zero(judged);
    struct dg_metrics metrics;

    dg_measure(&metrics, judged->wide ? judged->wide : judged->reference, values);
    if (metrics.max_abs <= most)
        return true;
    dg_verdict(judged->judgement, DG_VERDICT_FAIL,
               "%s element %lld is %.9g where f64 has 0 everywhere", whose,
               (long long)metrics.worst, metrics.worst_got);
    return false;
}

/* Where the f64 evaluation is 0 everywhere there is no SNR. */
static void judge_zero(const struct dg_case *judged)
{
    if (near_zero(judged, judged->tested, "its") &&
        near_zero(judged, judged->reference, "the expected values'"))
        dg_pass_with_note(judged);
}

void dg_judge_special(const struct dg_case *judged)
{
    const struct dg_metrics *metrics = &judged->judgement->metrics;

    dg_verdict(judged->judgement, DG_VERDICT_FAIL,
               "NaN or infinities differ: %lld NaN and %lld infinite, expected "
               "%lld and %lld, or elsewhere",
               (long long)metrics->nan[1], (long long)metrics->inf[1],
               (long long)metrics->nan[0], (long long)metrics->inf[0]);
}

void dg_judge_floats(const struct dg_case *judged)
{
    const struct dg_metrics *metrics = &judged->judgement->metrics;
    enum dg_tolerance class = judged->evidence->tolerance;

    if (!metrics->same_special)
        dg_judge_special(judged);
    else if (dg_is_zero(judged->wide ? judged->wide : judged->reference))
        judge_zero(judged);
    else if (by_element(judged))
        judge_elements(judged);
    else if (class == DG_TOLERANCE_ORDER && !is_program(judged) && !metrics->exact)
        dg_verdict(judged->judgement, DG_VERDICT_FAIL,
                   "must be equal, as values are only put in order: element %lld is "
                   "%.9g, expected %.9g",
                   (long long)metrics->worst, metrics->worst_got, metrics->worst_ref);
    else
        judge_sums(judged);
}
