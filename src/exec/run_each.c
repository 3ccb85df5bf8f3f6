/* Judging each step of a call, and finding the first one that errs more than rounding
 * explains. */
#include <string.h>

#include "exec/run_parts.h"

bool dg_step_computes(const struct dg_step *step)
{
    bool computes = step->kind != DG_STEP_MOVE && step->kind != DG_STEP_JUMP_FALSE &&
                    step->kind != DG_STEP_FREE;

    return computes && !(step->op && strstr(step->op, "getitem"));
}

static size_t first_failing(const struct dg_numeric_answer *answer, uint32_t step)
{
    size_t i = answer->n_steps;

    while (i && answer->steps[i - 1].step == step)
        i--;
    while (i < answer->n_steps && answer->steps[i].judgement.verdict != DG_VERDICT_FAIL)
        i++;
    return i;
}

/* The other program may run what is judged later before what was judged: codes are
 * judged by the last node that makes floats of them. */
static bool runs_before(const struct dg_comparison *comparison, uint32_t i, uint32_t of)
{
    const uint32_t *others = comparison->matching.steps;

    return comparison->request->against && others[i] != DG_NO_STEP &&
           others[of] != DG_NO_STEP && others[i] < others[of];
}

/* It may be held to the wrong step of the other program. */
static bool is_doubtful(const struct dg_comparison *comparison, uint32_t i)
{
    return comparison->request->against && comparison->matching.doubtful[i];
}

static uint32_t culprit_of(const struct dg_comparison *comparison)
{
    const struct dg_numeric_answer *answer = comparison->answer;

    return answer->steps[answer->culprit].step;
}

/* No step behind it can be the first that is wrong: this one is, or what led to it
 * where it cannot be fed alone. One that passes alone may only have been handed what
 * rounding added up to. */
static bool is_found(const struct dg_comparison *comparison, uint32_t i)
{
    const struct dg_numeric_answer *answer = comparison->answer;

    return answer->culprit != SIZE_MAX &&
           (answer->confirmed || (answer->alone.verdict == DG_VERDICT_SKIP &&
                                  !is_doubtful(comparison, culprit_of(comparison)) &&
                                  !runs_before(comparison, i, culprit_of(comparison))));
}

/* Whether a step that fails takes the place of the one named so far. */
static bool is_named_instead(const struct dg_comparison *comparison, uint32_t i,
                             bool confirmed)
{
    return confirmed || comparison->answer->culprit == SIZE_MAX ||
           (is_doubtful(comparison, culprit_of(comparison)) &&
            !is_doubtful(comparison, i));
}

/* The first step that fails is named, and replaced by one that also fails alone where
 * it passes so, or by one that is sure to be the one that it is held to. */
static enum dg_status bisect(struct dg_comparison *comparison,
                             const struct dg_judged_step *judged, uint32_t next,
                             const struct dg_reads *reads, struct dg_error *err)
{
    struct dg_numeric_answer *answer = comparison->answer;
    struct dg_judgement before = answer->alone;
    bool confirmed = true;
    enum dg_status status = DG_OK;

    if (!judged->substituted)
        status = dg_step_alone(comparison, *judged, next, reads, &confirmed, err);
    else
        answer->alone = answer->steps[first_failing(answer, judged->i)].judgement;
    if (!status && is_named_instead(comparison, judged->i, confirmed)) {
        if (!confirmed)
            dg_comparison_candidates(comparison, judged->i);
        answer->culprit = first_failing(answer, judged->i);
        answer->confirmed = confirmed;
    } else {
        answer->alone = before;
    }
    return status;
}

/* Where XNNPACK merges nodes, codes are passed over: it never rounds to those of the
 * first, which leads further than rounding otherwise does. */
static bool passes_over_codes(const struct dg_schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        if (schedule->steps[i].shown_only)
            return true;
    }
    return false;
}

static bool has_same_codes(const struct dg_comparison *comparison, uint32_t i)
{
    const struct dg_numeric_answer *answer = comparison->answer;
    const struct dg_numeric_result *last =
        answer->n_steps ? &answer->steps[answer->n_steps - 1] : NULL;

    return comparison->meets_at_codes && last && last->step == i &&
           comparison->schedule->steps[i].n_results == 1 &&
           last->judgement.verdict == DG_VERDICT_PASS &&
           last->judgement.metrics.exact &&
           (last->type == DG_TYPE_I8 || last->type == DG_TYPE_U8);
}

/* What rounding did before explains nothing behind them: evaluations that came to other
 * codes go on from these. */
static enum dg_status meet_at_codes(struct dg_comparison *comparison, uint32_t i,
                                    struct dg_error *err)
{
    uint32_t slot = comparison->schedule->steps[i].results[0];
    enum dg_status status = DG_OK;
    struct dg_arg codes;

    dg_evaluation_read(&comparison->evaluations[DG_EVALUATION_REFERENCE], slot, &codes);
    for (int which = DG_EVALUATION_WIDE; which < DG_EVALUATION_TESTED; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];

        if (!status && evaluation->open && !evaluation->lost)
            status = dg_machine_write(&evaluation->machine, slot, &codes, err);
    }
    dg_arg_drop(&codes);
    return status;
}

/* Of those that cannot be fed alone it is only told how many. */
static bool can_judge(struct dg_comparison *comparison,
                      const struct dg_judged_step *judged)
{
    if (!judged->substituted || !comparison->not_fed)
        return true;
    comparison->answer->n_not_fed[comparison->not_fed]++;
    return false;
}

/* What computes, and of a list the item that is what a node inside of a delegate gives.
 */
static bool is_judged(const struct dg_comparison *comparison, uint32_t i)
{
    const struct dg_schedule *against = comparison->request->against;
    uint32_t other = against ? comparison->matching.steps[i] : DG_NO_STEP;

    return dg_step_computes(&comparison->schedule->steps[i]) ||
           (other != DG_NO_STEP && against->steps[other].xnnpack);
}

static enum dg_status judge_one(struct dg_comparison *comparison,
                                const struct dg_judged_step *judged, uint32_t *next,
                                struct dg_error *err)
{
    const struct dg_numeric_request *request = comparison->request;
    struct dg_reads reads = {0};
    enum dg_status status;

    if (judged->substituted || request->bisect)
        dg_read_arguments(comparison, judged->i, &reads);
    status = dg_comparison_step_all(comparison, judged->i, next,
                                    judged->substituted ? &reads : NULL, err);
    if (!status && is_judged(comparison, judged->i) && !comparison->inner[judged->i] &&
        dg_has_counterpart(comparison, judged->i) && can_judge(comparison, judged) &&
        dg_step_judge(comparison, judged) == DG_VERDICT_FAIL && request->bisect &&
        !is_found(comparison, judged->i))
        status = bisect(comparison, judged, *next, &reads, err);
    if (!status && has_same_codes(comparison, judged->i))
        status = meet_at_codes(comparison, judged->i, err);
    dg_reads_clear(&reads);
    return status;
}

/* Which steps make what another partition, or the caller, reads: of a partition judged
 * as a unit nothing else counts. */
struct crossing {
    struct dg_comparison *comparison;
    uint32_t reader, *maker; /* maker: of each slot */
};

static void note_crossing(void *data, uint32_t slot)
{
    struct crossing *crossing = data;
    const int64_t *partition = crossing->comparison->request->partition_of;
    uint32_t maker = crossing->maker[slot];

    if (maker != DG_NO_STEP && partition[maker] != partition[crossing->reader])
        crossing->comparison->inner[maker] = false;
}

static void find_inner(struct dg_comparison *comparison)
{
    const struct dg_schedule *schedule = comparison->schedule;
    const int64_t *partition = comparison->request->partition_of;
    struct crossing crossing = {comparison, 0, NULL};

    comparison->inner = dg_alloc(&comparison->memory, schedule->n_steps + 1,
                                 sizeof(*comparison->inner));
    if (!partition)
        return;
    crossing.maker =
        dg_alloc(&comparison->memory, schedule->n_slots + 1, sizeof(uint32_t));
    memset(crossing.maker, 0xff, schedule->n_slots * sizeof(uint32_t));
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        crossing.reader = i;
        comparison->inner[i] = partition[i] >= 0;
        dg_step_reads(&schedule->steps[i], note_crossing, &crossing);
        for (size_t k = 0; k < schedule->steps[i].n_results; k++)
            crossing.maker[schedule->steps[i].results[k]] = i;
    }
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        uint32_t slot = schedule->outputs[i].slot;

        if (slot != DG_IO_LITERAL && crossing.maker[slot] != DG_NO_STEP)
            comparison->inner[crossing.maker[slot]] = false;
    }
}

/* What the other program gives, before its steps get substituted inputs and run once
 * more. */
static enum dg_status keep_outputs(struct dg_comparison *comparison,
                                   struct dg_error *err)
{
    const size_t *outputs = comparison->matching.outputs;
    enum dg_status status = DG_OK;

    if (!comparison->kept_outputs)
        comparison->kept_outputs =
            dg_alloc(&comparison->memory, comparison->schedule->n_outputs + 1,
                     sizeof(*comparison->kept_outputs));
    for (size_t i = 0; i < comparison->schedule->n_outputs && !status; i++) {
        dg_arg_drop(&comparison->kept_outputs[i]);
        if (outputs[i] != SIZE_MAX)
            status = dg_machine_output(
                &comparison->evaluations[DG_EVALUATION_TESTED].machine, outputs[i],
                &comparison->kept_outputs[i], err);
        dg_keep_copy(&comparison->kept_outputs[i]);
    }
    return status;
}

/* The other program first, and alone: its steps may have another order. */
static enum dg_status capture(struct dg_comparison *comparison, struct dg_error *err)
{
    struct dg_evaluation *evaluation = &comparison->evaluations[DG_EVALUATION_TESTED];
    const struct dg_schedule *schedule = evaluation->machine.schedule;
    uint32_t *wanted_by =
        dg_alloc(&comparison->memory, schedule->n_steps + 1, sizeof(uint32_t));
    enum dg_status status = DG_OK;

    memset(wanted_by, 0xff, (schedule->n_steps + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < comparison->schedule->n_steps; i++) {
        dg_arg_drop(&comparison->captured[i]);
        if (comparison->matching.steps[i] != DG_NO_STEP)
            wanted_by[comparison->matching.steps[i]] = i;
    }
    for (uint32_t j = 0, next; j < schedule->n_steps && !status; j = next) {
        uint32_t i = wanted_by[j];

        if (i != DG_NO_STEP)
            dg_note_shapes(comparison, i);
        status = dg_evaluation_step(evaluation, j, &next, err);
        if (!status && i != DG_NO_STEP)
            dg_capture_results(evaluation, j, &comparison->captured[i]);
    }
    if (!status)
        status = dg_machine_finish(&evaluation->machine, err);
    status = dg_comparison_name(comparison, status, err);
    return status ? status : keep_outputs(comparison, err);
}

enum dg_status dg_comparison_lockstep(struct dg_comparison *comparison,
                                      struct dg_error *err)
{
    struct dg_judged_step judged = {0, comparison->request->isolate, false};
    enum dg_status status = DG_OK;

    if (!comparison->inner)
        find_inner(comparison);
    comparison->meets_at_codes = comparison->request->bisect &&
                                 comparison->other_grid &&
                                 !passes_over_codes(comparison->schedule) &&
                                 !passes_over_codes(comparison->request->against);
    if (comparison->request->against)
        status = capture(comparison, err);
    for (uint32_t next = 0; !status && judged.i < comparison->schedule->n_steps;
         judged.i = next)
        status = judge_one(comparison, &judged, &next, err);
    for (int which = 0; which < DG_LEGS && !status; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];

        if (evaluation->open && !evaluation->lost &&
            (which != DG_EVALUATION_TESTED || !comparison->request->against))
            status = dg_machine_finish(&evaluation->machine, err);
    }
    return status;
}
