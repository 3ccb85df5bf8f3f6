/* Judging what one step gave, item by item. */
#include <stdio.h>
#include <string.h>

#include "exec/run_parts.h"

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

void dg_pick_result(struct dg_arg *value, const struct dg_arg *results, size_t n_ours,
                    size_t result)
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
    dg_pick_result(value, substituted ? &results : &comparison->captured[i], n_ours,
                   result);
    dg_arg_drop(&results);
}

bool dg_has_node_inside(const struct dg_comparison *comparison, uint32_t i)
{
    const struct dg_schedule *other = comparison->request->against;
    uint32_t j = other ? comparison->matching.steps[i] : DG_NO_STEP;

    return j != DG_NO_STEP &&
           (other->steps[j].xnnpack || comparison->schedule->steps[i].xnnpack);
}

/* A node takes a few operands: what more are joined to is one of the nodes that join
 * these. */
static bool joins(const struct dg_step *step)
{
    return step->op && (strstr(step->op, "::cat") || strstr(step->op, "::Concatenate"));
}

/* Whether sizes of other numbers of elements are those of a step that is wrong: one
 * that only seems to be the same has another rank as a rule. */
static bool has_wrong_sizes(const struct dg_comparison *comparison, uint32_t i,
                            const struct dg_tensor *own, const struct dg_tensor *other)
{
    return dg_has_node_inside(comparison, i) && !comparison->matching.doubtful[i] &&
           own->rank == other->rank && dg_tensor_count(own) != dg_tensor_count(other) &&
           !joins(&comparison->schedule->steps[i]);
}

/* Steps of another program that only seem to be the same have other sizes. */
static bool is_comparable(const struct dg_comparison *comparison, uint32_t i,
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
            dg_tensor_same_shape(own->as.tensor, other->as.tensor) ||
            has_wrong_sizes(comparison, i, own->as.tensor, other->as.tensor));
}

static const char *other_name(const struct dg_comparison *comparison, uint32_t i)
{
    uint32_t j = comparison->matching.named[i];
    const char *name =
        j == DG_NO_STEP ? NULL : comparison->request->against->steps[j].name;

    return name ? dg_copy(&comparison->answer->memory, dg_text(name)) : NULL;
}

static void judge_item(struct dg_comparison *comparison,
                       const struct dg_judged_step *judged, const char *name,
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

/* Item `item` of result `number`, and its name; how many items there are: one of what
 * is no list. */
static size_t read_item(struct dg_comparison *comparison,
                        const struct dg_judged_step *judged, size_t number, size_t item,
                        struct dg_place *place, char name[200])
{
    const struct dg_step *step = &comparison->schedule->steps[judged->i];
    size_t n_items = 1;

    read_place(comparison, judged->i, number, place);
    if (comparison->request->against)
        read_other(comparison, judged->i, number, judged->substituted,
                   &place->values[DG_EVALUATION_TESTED]);
    if (dg_has_node_inside(comparison, judged->i) &&
        place->values[DG_EVALUATION_REFERENCE].kind == DG_ARG_TENSOR)
        dg_take_shape(&place->values[DG_EVALUATION_TESTED],
                      place->values[DG_EVALUATION_REFERENCE].as.tensor);
    name_result(step, number, name, 200);
    if (place->values[0].kind == DG_ARG_LIST) {
        n_items = place->values[0].as.list.n_items;
        snprintf(name, 200, "%.160s[%zu]", step->name ? step->name : "", item);
        dg_slice_item(&place->slice, comparison->slices[place->slot], (int64_t)item);
    }
    for (int which = 0; which < DG_LEGS; which++)
        take_item(&place->values[which], item);
    return n_items;
}

/* Judge what result `number` of the step is, item by item; the worst verdict. */
static enum dg_verdict judge_result(struct dg_comparison *comparison,
                                    const struct dg_judged_step *judged, size_t number)
{
    struct dg_numeric_answer *answer = comparison->answer;
    enum dg_verdict worst = DG_VERDICT_PASS;
    size_t n_items = 1;

    for (size_t item = 0; item < n_items; item++) {
        struct dg_place place;
        struct dg_numeric_result result;
        char name[200];

        n_items = read_item(comparison, judged, number, item, &place, name);
        if (!is_comparable(comparison, judged->i, &place) || !n_items) {
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

enum dg_verdict dg_step_judge(struct dg_comparison *comparison,
                              const struct dg_judged_step *judged)
{
    const struct dg_step *step = &comparison->schedule->steps[judged->i];
    enum dg_verdict worst = DG_VERDICT_PASS;

    for (size_t k = 0; k < step->n_results; k++) {
        if (judge_result(comparison, judged, k) == DG_VERDICT_FAIL)
            worst = DG_VERDICT_FAIL;
    }
    return worst;
}
