/* Judging each step of a call, and finding the first one that errs more than rounding
 * explains. */
#include <stdio.h>
#include <string.h>

#include "exec/run_parts.h"

bool dg_step_computes(const struct dg_step *step)
{
    bool computes = step->kind != DG_STEP_MOVE && step->kind != DG_STEP_JUMP_FALSE &&
                    step->kind != DG_STEP_FREE;

    return computes && !(step->op && strstr(step->op, "getitem"));
}

/* Item `item` of a list; the value itself when it is none. */
static void take_item(struct dg_arg *value, size_t item)
{
    struct dg_arg taken = {0};

    if (value->kind != DG_ARG_LIST)
        return;
    if (item < value->as.list.n_items)
        dg_arg_set(&taken, &value->as.list.items[item]);
    dg_arg_drop(value);
    *value = taken;
}

static void read_place(struct dg_comparison *comparison, uint32_t i, size_t result,
                       struct dg_place *place)
{
    const struct dg_step *step = &comparison->schedule->steps[i];
    uint32_t slot = step->results[result];

    *place = (struct dg_place){.slot = slot, .slice = *comparison->slices[slot]};
    for (int which = 0; which < DG_LEGS; which++) {
        if (which != DG_EVALUATION_TESTED || !comparison->request->against)
            dg_evaluation_read(&comparison->evaluations[which], slot,
                               &place->values[which]);
    }
}

/* Several results are one list in a .pt2, and so many slots in a .pte. */
static void pick_result(struct dg_arg *value, const struct dg_arg *results,
                        size_t n_ours, size_t result)
{
    size_t n = results->kind == DG_ARG_LIST ? results->as.list.n_items : 0;
    const struct dg_arg *first = n ? &results->as.list.items[0] : NULL;

    if (n > 1 && n_ours == 1)
        dg_arg_set(value, results);
    else if (n == 1 && n_ours > 1 && first->kind == DG_ARG_LIST &&
             result < first->as.list.n_items)
        dg_arg_set(value, &first->as.list.items[result]);
    else if (result < n)
        dg_arg_set(value, &results->as.list.items[result]);
}

/* The same from the other program: captured before, or in its slots when these were
 * substituted. */
static void read_other(struct dg_comparison *comparison, uint32_t i, size_t result,
                       bool substituted, struct dg_arg *value)
{
    uint32_t j = comparison->matching.steps[i];
    size_t n_ours = comparison->schedule->steps[i].n_results;
    struct dg_arg results = {0};

    *value = (struct dg_arg){0};
    if (j == DG_NO_STEP)
        return;
    if (substituted)
        dg_capture_results(&comparison->evaluations[DG_EVALUATION_TESTED], j, &results);
    pick_result(value, substituted ? &results : &comparison->captured[i], n_ours,
                result);
    dg_arg_drop(&results);
}

static bool is_inside(const struct dg_comparison *comparison, uint32_t i)
{
    const struct dg_schedule *other = comparison->request->against;
    uint32_t j = other ? comparison->matching.steps[i] : DG_NO_STEP;

    return j != DG_NO_STEP &&
           (other->steps[j].xnnpack || comparison->schedule->steps[i].xnnpack);
}

/* Lowering may put sizes of 1 between others. */
static bool has_same_sizes(const struct dg_tensor *a, const struct dg_tensor *b)
{
    int i = 0, k = 0;

    while (i < a->rank || k < b->rank) {
        if (i < a->rank && a->sizes[i] == 1)
            i++;
        else if (k < b->rank && b->sizes[k] == 1)
            k++;
        else if (i < a->rank && k < b->rank && a->sizes[i] == b->sizes[k])
            i++, k++;
        else
            return false;
    }
    return true;
}

/* A node inside of a delegate in the shape of the program's step. */
static void take_shape(struct dg_arg *value, const struct dg_arg *like)
{
    struct dg_tensor *tensor = value->as.tensor, *shaped;
    int64_t strides[DG_RANK_MOST];

    if (value->kind != DG_ARG_TENSOR || like->kind != DG_ARG_TENSOR ||
        dg_tensor_same_shape(tensor, like->as.tensor) ||
        !has_same_sizes(tensor, like->as.tensor) || !dg_tensor_contiguous(tensor))
        return;
    dg_contiguous_strides(like->as.tensor->rank, like->as.tensor->sizes, strides);
    shaped = dg_tensor_view(tensor, like->as.tensor->rank, like->as.tensor->sizes,
                            strides, tensor->offset);
    dg_arg_drop(value);
    *value = (struct dg_arg){DG_ARG_TENSOR, {.tensor = shaped}};
}

/* Steps of another program that only seem to be the same have other sizes. */
static bool is_comparable(const struct dg_comparison *comparison,
                          const struct dg_place *place)
{
    const struct dg_arg *own = &place->values[DG_EVALUATION_REFERENCE];
    const struct dg_arg *other = &place->values[DG_EVALUATION_TESTED];

    if (own->kind == DG_ARG_NONE)
        return false;
    if (!comparison->request->against || other->kind == DG_ARG_UNKNOWN)
        return true;
    return own->kind == other->kind &&
           (own->kind != DG_ARG_TENSOR ||
            dg_tensor_same_shape(own->as.tensor, other->as.tensor));
}

struct judged_step {
    uint32_t i;
    bool substituted; /* the evaluations were */
    bool once;        /* judge for `alone`, add no result */
};

static const char *other_name(const struct dg_comparison *comparison, uint32_t i)
{
    uint32_t j = comparison->matching.named[i];
    const char *name =
        j == DG_NO_STEP ? NULL : comparison->request->against->steps[j].name;

    return name ? dg_copy(&comparison->answer->memory, dg_text(name)) : NULL;
}

static void judge_item(struct dg_comparison *comparison,
                       const struct judged_step *judged, const char *name,
                       struct dg_place *place, struct dg_numeric_result *result)
{
    if (!judged->substituted)
        place->expected = dg_expected_named(&comparison->expected, name);
    *result = (struct dg_numeric_result){.step = judged->i};
    result->name = dg_copy(&comparison->answer->memory, dg_text(name));
    result->op = comparison->schedule->steps[judged->i].op;
    if (comparison->request->against)
        result->other = other_name(comparison, judged->i);
    dg_comparison_judge(comparison, result, place);
}

static void name_result(const struct dg_step *step, size_t number, char *name,
                        size_t room)
{
    const char *own = step->name ? step->name : "";

    if (step->n_results > 1)
        snprintf(name, room, "%.160s[%zu]", own, number);
    else
        snprintf(name, room, "%.180s", own);
}

/* Judge what result `number` of the step is, item by item; the worst verdict. */
static enum dg_verdict judge_result(struct dg_comparison *comparison,
                                    const struct judged_step *judged, size_t number)
{
    const struct dg_step *step = &comparison->schedule->steps[judged->i];
    struct dg_numeric_answer *answer = comparison->answer;
    enum dg_verdict worst = DG_VERDICT_PASS;
    size_t n_items = 1;

    for (size_t item = 0; item < n_items; item++) {
        struct dg_place place;
        struct dg_numeric_result result;
        char name[200];

        read_place(comparison, judged->i, number, &place);
        if (comparison->request->against)
            read_other(comparison, judged->i, number, judged->substituted,
                       &place.values[DG_EVALUATION_TESTED]);
        if (is_inside(comparison, judged->i))
            take_shape(&place.values[DG_EVALUATION_TESTED],
                       &place.values[DG_EVALUATION_REFERENCE]);
        name_result(step, number, name, sizeof(name));
        if (place.values[0].kind == DG_ARG_LIST) {
            n_items = place.values[0].as.list.n_items;
            snprintf(name, sizeof(name), "%.160s[%zu]", step->name ? step->name : "",
                     item);
        }
        for (int which = 0; which < DG_LEGS; which++)
            take_item(&place.values[which], item);
        if (!is_comparable(comparison, &place) || !n_items) {
            dg_place_drop(&place);
            continue;
        }
        judge_item(comparison, judged, name, &place, &result);
        if (result.judgement.verdict == DG_VERDICT_FAIL)
            worst = DG_VERDICT_FAIL;
        if (!judged->once)
            *DG_APPEND(answer->steps, answer->n_steps) = result;
        else if (worst == DG_VERDICT_FAIL || item == 0)
            answer->alone = result.judgement;
        dg_place_drop(&place);
    }
    return worst;
}

static enum dg_verdict judge_step(struct dg_comparison *comparison,
                                  const struct judged_step *judged)
{
    const struct dg_step *step = &comparison->schedule->steps[judged->i];
    enum dg_verdict worst = DG_VERDICT_PASS;

    for (size_t k = 0; k < step->n_results; k++) {
        if (judge_result(comparison, judged, k) == DG_VERDICT_FAIL)
            worst = DG_VERDICT_FAIL;
    }
    return worst;
}

/* Alone, with what the reference read, does it still fail? A step that passes was
 * only handed errors. Steps that write what they read cannot be run once more, nor can
 * those be substituted that read something else than their counterparts. */
static enum dg_status isolate(struct dg_comparison *comparison,
                              struct judged_step judged, uint32_t next,
                              const struct dg_reads *reads, bool *confirmed,
                              struct dg_error *err)
{
    enum dg_status status;

    *confirmed = false;
    comparison->answer->alone = (struct dg_judgement){.verdict = DG_VERDICT_SKIP};
    if (dg_step_changes(&comparison->schedule->steps[judged.i]))
        return DG_OK;
    judged.substituted = judged.once = true;
    status = dg_comparison_step_again(comparison, judged.i, next, reads, err);
    if (!status && (!comparison->request->against || comparison->substituted_other))
        *confirmed = judge_step(comparison, &judged) == DG_VERDICT_FAIL;
    return status;
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

/* The first step that fails is named, and replaced by one that also fails alone. */
static enum dg_status bisect(struct dg_comparison *comparison,
                             const struct judged_step *judged, uint32_t next,
                             const struct dg_reads *reads, struct dg_error *err)
{
    struct dg_numeric_answer *answer = comparison->answer;
    struct dg_judgement before = answer->alone;
    bool confirmed = true;
    enum dg_status status = DG_OK;

    if (!judged->substituted)
        status = isolate(comparison, *judged, next, reads, &confirmed, err);
    else
        answer->alone = answer->steps[first_failing(answer, judged->i)].judgement;
    if (!status && (confirmed || answer->culprit == SIZE_MAX)) {
        if (!confirmed)
            dg_comparison_candidates(comparison, judged->i);
        answer->culprit = first_failing(answer, judged->i);
        answer->confirmed = confirmed;
    } else {
        answer->alone = before;
    }
    return status;
}

static enum dg_status judge_one(struct dg_comparison *comparison,
                                const struct judged_step *judged, uint32_t *next,
                                struct dg_error *err)
{
    const struct dg_numeric_request *request = comparison->request;
    const struct dg_step *step = &comparison->schedule->steps[judged->i];
    struct dg_reads reads = {0};
    enum dg_status status;

    if (judged->substituted || request->bisect)
        dg_read_arguments(comparison, judged->i, &reads);
    status = dg_comparison_step_all(comparison, judged->i, next,
                                    judged->substituted ? &reads : NULL, err);
    if (!status && dg_step_computes(step) && !comparison->inner[judged->i] &&
        dg_has_counterpart(comparison, judged->i) &&
        (!judged->substituted || !request->against || comparison->substituted_other) &&
        judge_step(comparison, judged) == DG_VERDICT_FAIL && request->bisect &&
        !comparison->answer->confirmed)
        status = bisect(comparison, judged, *next, &reads, err);
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
    struct judged_step judged = {0, comparison->request->isolate, false};
    enum dg_status status = DG_OK;

    if (!comparison->inner)
        find_inner(comparison);
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
