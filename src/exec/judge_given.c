/* Verdicts by limits that the user gave instead of the policy. */
#include <math.h>

#include "exec/judge_parts.h"

/* An error where all should be 0 is beyond any ratio. */
static double snr_of(const struct dg_metrics *metrics)
{
    if (metrics->exact)
        return INFINITY;
    return isnan(metrics->snr_db) && metrics->max_abs > 0 ? -INFINITY : metrics->snr_db;
}

static void judge_within(const struct dg_case *judged, const struct dg_limits *given)
{
    struct dg_judgement *judgement = judged->judgement;
    const struct dg_metrics *metrics = &judgement->metrics;
    bool elements = given->rtol >= 0 || given->atol >= 0;

    if (!metrics->same_special)
        dg_judge_special(judged);
    else if (elements && metrics->mismatches)
        dg_verdict(
            judgement, DG_VERDICT_FAIL,
            "%lld of %lld elements are beyond rtol %.9g, atol %.9g; element %lld "
            "is %.9g, expected %.9g",
            (long long)metrics->mismatches, (long long)metrics->count, judgement->rtol,
            judgement->atol, (long long)metrics->worst, metrics->worst_got,
            metrics->worst_ref);
    else if (given->min_snr >= 0 && snr_of(metrics) < given->min_snr)
        dg_verdict(judgement, DG_VERDICT_FAIL, "SNR %.1f dB is below %.9g dB",
                   snr_of(metrics), given->min_snr);
    else
        dg_verdict(judgement, DG_VERDICT_PASS, "%s", "");
}

void dg_judge_given(const struct dg_case *judged)
{
    struct dg_judgement *judgement = judged->judgement;
    const struct dg_limits *given = judged->evidence->given;
    const struct dg_tensor *reference = judged->reference;

    if (judged->evidence->alone && judged->wide)
        reference = judged->wide;
    judgement->rtol = fmax(given->rtol, 0);
    judgement->atol = fmax(given->atol, 0);
    if (given->min_snr >= 0)
        judgement->snr_limit = given->min_snr;
    dg_measure_within(&judgement->metrics, reference, judged->tested, judgement->rtol,
                      judgement->atol);
    judge_within(judged, given);
}
