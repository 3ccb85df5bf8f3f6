/* How far rounding leads, as the evaluations of a program show. */
#include <math.h>

#include "exec/judge_parts.h"
#include "exec/ulp.h"

enum { SIGMAS = 3 }; /* what is expected of rounding varies no more than that */
static const double tf32_floor_db = 70.5;

enum dg_type dg_narrowest(const struct dg_case *judged)
{
    enum dg_type type = judged->evidence->narrowest;

    return dg_fraction_bits(type) < 0 ? judged->tested->type : type;
}

bool dg_steps_lead(const struct dg_case *judged)
{
    return judged->evidence->tolerance == DG_TOLERANCE_STEPWISE &&
           dg_fraction_bits(dg_narrowest(judged)) < dg_fraction_bits(DG_TYPE_F32);
}

/* Few elements are a small sample of what rounding does: torch's rule of two has
 * wider factors for them. */
static double factor(const struct dg_case *judged)
{
    int64_t n = judged->judgement->metrics.compared;
    enum dg_type type = dg_narrowest(judged);

    if (judged->evidence->other_grid)
        return 3; /* the evaluation moves all that other code may */
    if (n <= 500)
        return n <= 10 ? 10 : 8;
    if (n < 1000 || judged->evidence->tf32)
        return 3;
    return type == DG_TYPE_F32 || type == DG_TYPE_F64 ? 2 : 3;
}

/* The same of what is expected, which varies by chance alone. */
static double factor_of_chance(const struct dg_case *judged)
{
    return fmin(factor(judged), SIGMAS);
}

/* Own sums may be right by chance, and so few elements have wide factors. Those of one
 * long sum, which are further off than roundings are on average, are so by no chance:
 * one term after the other, a sum of millions stands still. */
static double factor_of_own(const struct dg_case *judged, double rmse, double expected)
{
    double most = factor(judged);

    return judged->evidence->n_steps <= 1 && rmse > SIGMAS * expected
               ? fmin(most, SIGMAS)
               : most;
}

/* RMS error of a rounding, in halves of an ulp at the RMS value: errors are spread over
 * the ulp, and elements over a power of two. */
static const double rms_of_rounding = 0.42;

static double n_steps(const struct dg_case *judged)
{
    return judged->evidence->n_steps ? (double)judged->evidence->n_steps : 1;
}

static double n_terms(const struct dg_case *judged)
{
    int64_t terms = judged->evidence->longest_sum;

    return terms ? (double)terms : DG_UNKNOWN_SUM;
}

/* The longest sum errs like a random walk: 113 dB of 16384 terms. */
static double error_of_sums(const struct dg_case *judged, double terms)
{
    return ldexp(sqrt(terms * n_steps(judged)), -24);
}

/* RMS error that a correct implementation may have, before any was seen: each step
 * rounds once, and where a sample is small, the longest sum counts. What several sums
 * add up to, the evaluation of own sums tells. Functions of 16 bits compute in f32:
 * nothing but the rounding of their results errs. */
static double expected_error(const struct dg_case *judged, double rms)
{
    const struct dg_evidence *evidence = judged->evidence;
    double steps = n_steps(judged), terms = n_terms(judged);
    double error = ldexp(sqrt(steps), -dg_fraction_bits(dg_narrowest(judged)) - 1);

    if (dg_fraction_bits(dg_narrowest(judged)) < dg_fraction_bits(DG_TYPE_F32))
        error *= rms_of_rounding;
    if (!judged->wide || !judged->own_sums)
        error = fmax(error, error_of_sums(judged, terms));
    else if (judged->judgement->metrics.compared < DG_FEW)
        error = fmax(error, ldexp(0.3 * sqrt(terms), -24));
    if (evidence->tf32 && evidence->tolerance >= DG_TOLERANCE_CONTRACTION)
        error = fmax(error, sqrt(steps) * pow(10, -tf32_floor_db / 20));
    return error * rms;
}

/* What a norm sums: along a dimension, or all but the first. */
static double n_of_line(const struct dg_tensor *tensor)
{
    int64_t line = tensor->rank && tensor->sizes[0]
                       ? dg_tensor_count(tensor) / tensor->sizes[0]
                       : 1;

    for (int dim = 0; dim < tensor->rank; dim++)
        line = tensor->sizes[dim] > line ? tensor->sizes[dim] : line;
    return (double)line;
}

double dg_error_by_chance(const struct dg_case *judged, double rms)
{
    double terms = fmax(n_terms(judged), n_of_line(judged->tested));
    double sums = factor_of_chance(judged) * error_of_sums(judged, terms);

    return fmax(factor_of_chance(judged) * expected_error(judged, rms),
                rms * fmin(sums, pow(10, -dg_class_limit(judged) / 20)));
}

/* f64 has no wider evaluation: the bound of its own sums, n units of rounding for n
 * terms. */
static double bound_of_f64(const struct dg_case *judged, double rms)
{
    return ldexp(n_terms(judged) + 16 * (double)judged->evidence->n_steps, -53) * rms;
}

/* How far own sums are off f64. Where there are those of several grids: the RMS error
 * of few values is chance, and the worst one counts; that of many is the same on each.
 * The largest error grows with the grids that are looked at: what it is on one of them
 * on average counts. */
static struct dg_deviation measure_own_sums(const struct dg_case *judged)
{
    struct dg_deviation own = {.snr_db = NAN};
    int n = 1;

    if (!judged->wide || !judged->own_sums)
        return own;
    own = dg_deviation_of(judged->wide, judged->own_sums);
    for (int i = 0; i < DG_GRIDS && judged->grids[i]; i++, n++) {
        struct dg_deviation other = dg_deviation_of(judged->wide, judged->grids[i]);

        own.rmse = fmax(own.rmse, other.rmse);
        own.snr_db = fmin(own.snr_db, other.snr_db);
        own.max_abs += other.max_abs;
    }
    own.max_abs /= n;
    return own;
}

struct dg_evaluations dg_measure_evaluations(const struct dg_case *judged)
{
    struct dg_judgement *judgement = judged->judgement;
    const struct dg_tensor *wide = judged->wide ? judged->wide : judged->reference;
    const struct dg_metrics *off = dg_off_wide(judgement, wide, judged->tested);
    struct dg_deviation own = measure_own_sums(judged);
    struct dg_evaluations evaluations;
    double expected;
    bool has_f64 = dg_narrowest(judged) == DG_TYPE_F64;

    evaluations.error = off->rmse;
    evaluations.rms = off->rms;
    evaluations.reference_error = judged->reference == judged->tested
                                      ? off->rmse
                                      : dg_deviation_of(wide, judged->reference).rmse;
    evaluations.own_snr_db = own.snr_db;
    judgement->floor = own.rmse;
    judgement->error = evaluations.error;
    expected = has_f64 ? bound_of_f64(judged, evaluations.rms)
                       : expected_error(judged, evaluations.rms);
    judgement->allowed = fmax(factor_of_own(judged, own.rmse, expected) * own.rmse,
                              factor_of_chance(judged) * expected) +
                         dg_ulp_at(judged->tested->type, evaluations.rms) / 2;
    judgement->allowed =
        fmax(judgement->allowed, dg_error_of_functions(judged) * evaluations.rms);
    evaluations.peak =
        DG_PEAK_FACTOR *
        fmax(own.max_abs, judged->evidence->other_grid ? expected : judgement->allowed);
    dg_allow_steps(judged, &evaluations.peak);
    return evaluations;
}
