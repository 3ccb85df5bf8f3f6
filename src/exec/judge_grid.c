/* Verdicts on what was quantized by other code: codes on the same grid, some of them a
 * step or more apart, and floats that were made of such codes. The evaluation of own
 * sums rounds to other codes what is near a tie, and so says how far that leads. */
#include <float.h>
#include <math.h>

#include "exec/judge_parts.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/walk.h"

/* Of many steps one behind the other the RMS error says it, and the largest one. What
 * right networks need of it tests/oracle/check_blob_runs.py measures; doc/delegates.md
 * gives the reasons. */
static const double rms_factor = 3, peak_factor = 4;

enum {
    FLIPS_FACTOR = 2, /* other code moves other codes, and as many */
    STEPS_MOST = 4,   /* of each of few codes, */
    STEPS_RMS = 2,    /* and of all of them */
};

bool dg_are_codes(const struct dg_case *judged)
{
    enum dg_type type = judged->tested->type;

    return judged->evidence->other_grid && judged->own_sums &&
           (type == DG_TYPE_I8 || type == DG_TYPE_U8);
}

static bool are_near(const struct dg_metrics *metrics, const struct dg_metrics *own,
                     const struct dg_differences *n)
{
    double most = fmax(dg_steps_apart((double)metrics->count),
                       (double)(FLIPS_FACTOR * n->evaluations));

    if (metrics->max_abs <= 1 && (double)n->tested <= most)
        return true;
    if (metrics->count < DG_FEW && metrics->rmse <= STEPS_RMS &&
        metrics->max_abs <= STEPS_MOST)
        return true;
    return metrics->rmse <= rms_factor * own->rmse &&
           metrics->max_abs <= peak_factor * own->max_abs;
}

/* Ties are rounded up as often as down: the errors of many elements cancel, and what
 * does not is a bias that is wrong, or another way to round. Of right networks the mean
 * stays below 0.1 steps, and below twice what the evaluation of own sums shows. */
static const double mean_factor = 3, mean_steps = 1.0 / 8;

bool dg_is_shifted(const struct dg_case *judged, double step)
{
    double mean = judged->judgement->metrics.mean_error;
    double count = (double)judged->judgement->metrics.compared;
    struct dg_metrics own;

    if (!judged->evidence->other_grid || !judged->own_sums || count < DG_FEW ||
        !(step > 0) || !isfinite(step))
        return false;
    dg_measure(&own, judged->reference, judged->own_sums);
    if (fabs(mean) <= mean_steps * step +
                          mean_factor * (own.rmse / sqrt(count) + fabs(own.mean_error)))
        return false;
    dg_verdict(
        judged->judgement, DG_VERDICT_FAIL,
        "its elements are on average %.2g quantization steps too %s, where errors"
        " of rounding cancel out",
        fabs(mean) / step, mean > 0 ? "high" : "low");
    return true;
}

void dg_judge_codes(const struct dg_case *judged, const struct dg_differences *n)
{
    const struct dg_metrics *metrics = &judged->judgement->metrics;
    struct dg_metrics own;

    dg_measure(&own, judged->reference, judged->own_sums);
    if (dg_is_shifted(judged, 1))
        return;
    if (are_near(metrics, &own, n))
        dg_verdict(judged->judgement, DG_VERDICT_PASS,
                   "%lld element%s up to %.9g step%s off", (long long)n->tested,
                   n->tested == 1 ? " is" : "s are", metrics->max_abs,
                   metrics->max_abs == 1 ? "" : "s");
    else
        dg_fail_at_worst(judged, n->tested);
}

/* What a step of each code leads to in floats that were made of them: together, by
 * squares, and in one element at most. */
struct reach {
    double rms, most;
};

struct kept { /* by the elements of a softmax */
    enum dg_type type;
    double squares, most, n;
};

static void keep_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    struct kept *kept = data;
    double values[DG_LINE_MOST];

    dg_load_f64(values, kept->type, at[0], strides[0], n);
    for (int64_t i = 0; i < n; i++) {
        double part = values[i] * (1 - values[i]);

        kept->squares += part * part;
        kept->most = fmax(kept->most, fabs(part));
    }
    kept->n += (double)n;
}

/* dp = p (dx - sum of p dx): p (1 - p) of its own step stays in each element, and of
 * the steps of all others no more than as much. */
static struct reach behind_softmax(const struct dg_tensor *p, double step)
{
    struct kept kept = {.type = p->type};
    struct dg_walk walk;

    dg_walk_begin(&walk, 1, (struct dg_tensor *[]){(struct dg_tensor *)p});
    dg_walk_once(&walk);
    dg_walk_lines(&walk, 1, keep_line, &kept);
    return (struct reach){step * sqrt(2 * kept.squares / kept.n), step * 2 * kept.most};
}

void dg_allow_steps(const struct dg_case *judged, double *peak)
{
    struct dg_judgement *judgement = judged->judgement;
    double count = (double)judgement->metrics.compared;
    double step = judged->evidence->grid_step * (1 + 1e-6); /* rounded to floats */
    struct reach reach = {step, step};

    if (!judged->evidence->other_grid || !(step > 0) || !isfinite(step) || !(count > 0))
        return;
    if (judged->evidence->grid_softmax)
        reach = behind_softmax(judged->reference, step);
    judgement->allowed =
        fmax(judgement->allowed, reach.most * sqrt(dg_steps_apart(count) / count));
    *peak = fmax(*peak, reach.most);
    if (count < DG_FEW) { /* a sample too small to show what rounding does */
        judgement->allowed = fmax(judgement->allowed, STEPS_RMS * reach.rms);
        *peak = fmax(*peak, STEPS_MOST * reach.most);
    }
}
