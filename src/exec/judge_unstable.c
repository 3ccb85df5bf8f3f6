/* Values that rounding alone may lead far: then hardly anything can be said of them. */
#include <math.h>

#include "exec/judge_parts.h"
#include "exec/ulp.h"

enum { CHAOS_DB = 20 }; /* where rounding alone leads so far, nothing can be judged */

/* As far as the classes of the steps lead, one after the other: their errors add up by
 * their squares, those of a long sum at worst term by term. */
static double stable_db(const struct dg_case *judged)
{
    const struct dg_evidence *evidence = judged->evidence;
    double steps = fmax((double)evidence->n_steps, 1);
    double terms = fmax((double)evidence->longest_sum / DG_UNKNOWN_SUM, 1);

    if (evidence->other_grid || dg_steps_lead(judged) ||
        judged->judgement->metrics.compared < DG_FEW)
        return CHAOS_DB;
    return fmax(dg_class_limit(judged) - 10 * log10(steps) - 20 * log10(terms),
                CHAOS_DB);
}

static bool are_own_sums(const struct dg_case *judged, const struct dg_tensor *values)
{
    struct dg_metrics metrics;

    dg_measure(&metrics, judged->own_sums, values);
    return metrics.exact;
}

/* Values that something else gave, as ours sums in its own order: however far that
 * leads, both went there. That our own values are these says nothing of the others. */
static bool sums_the_same(const struct dg_case *judged)
{
    return !judged->evidence->alone && judged->own_sums &&
           !dg_is_zero(judged->own_sums) &&
           are_own_sums(judged,
                        judged->evidence->expects ? judged->reference : judged->tested);
}

/* Whether so many elements are so far off that rounding does not explain it though it
 * leads far: an eighth of them, by ten times as much as own sums. Of right f16 values
 * that were unstable at most one in 170 was: they may have heavy tails. */
static bool is_beyond_doubt(const struct dg_case *judged,
                            const struct dg_tensor *values, const char *whose)
{
    enum { TIMES = 10, SHARE = 8 };
    int64_t compared = judged->judgement->metrics.compared;
    struct dg_nearness bound = {.absolute = TIMES * judged->judgement->floor};
    struct dg_beyond beyond = dg_find_beyond(judged->wide, values, &bound);

    if (beyond.count <= compared / SHARE)
        return false;
    dg_verdict(
        judged->judgement, DG_VERDICT_FAIL,
        "%s elements: %lld of %lld are more than %d times as far off f64 as sums "
        "in %s; element %lld is %.9g, in f64 %.9g",
        whose, (long long)beyond.count, (long long)compared, TIMES,
        dg_type_name(dg_narrowest(judged)), (long long)beyond.worst, beyond.worst_got,
        beyond.worst_ref);
    return true;
}

/* Whether values are as near f64 as if rounding did not lead far, all together and
 * each: chance leads nobody there. */
static bool is_near(const struct dg_case *judged, const struct dg_tensor *values)
{
    struct dg_deviation off = dg_deviation_of(judged->wide, values);
    double most = dg_error_by_chance(judged, off.rms);
    struct dg_nearness bound = {
        .rel = ldexp(DG_PEAK_FACTOR, -dg_fraction_bits(dg_narrowest(judged))),
        .absolute = DG_PEAK_FACTOR * most};

    return off.rmse <= most && !dg_find_beyond(judged->wide, values, &bound).count;
}

/* Whether the references differ by more than that: then they bound little. */
bool dg_is_unstable(const struct dg_case *judged,
                    const struct dg_evaluations *evaluations)
{
    double least = stable_db(judged);

    if (!(evaluations->own_snr_db < least) || dg_narrowest(judged) == DG_TYPE_F64)
        return false;
    if (sums_the_same(judged)) {
        dg_verdict(judged->judgement, DG_VERDICT_PASS,
                   "equal to what sums in %s lead to, one term after the other",
                   dg_type_name(dg_narrowest(judged)));
        return true;
    }
    if (!judged->evidence->alone && is_near(judged, judged->tested) &&
        is_near(judged, judged->reference))
        return false;
    if (evaluations->own_snr_db >= CHAOS_DB &&
        (is_beyond_doubt(judged, judged->tested, "its") ||
         is_beyond_doubt(judged, judged->reference, "the expected values'")))
        return true;
    dg_verdict(judged->judgement, DG_VERDICT_SKIP,
               "unstable: summing in %s alone leads to an SNR of %.1f dB against f64, "
               "where its steps explain %.1f dB",
               dg_type_name(dg_narrowest(judged)), evaluations->own_snr_db, least);
    judged->judgement->unstable = true;
    return true;
}
