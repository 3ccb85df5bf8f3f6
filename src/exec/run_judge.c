/* Judging the values of the evaluations at one place of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "exec/run_parts.h"
#include "kernels/xnnpack.h"

void dg_place_drop(struct dg_place *place)
{
    for (int which = 0; which < DG_LEGS; which++)
        dg_arg_drop(&place->values[which]);
}

/* Argument `name` of the step's operator where it is a literal integer. */
static int64_t literal_argument(const struct dg_step *step, const char *name,
                                int64_t otherwise)
{
    const struct dg_op *op = dg_op_find(step->kernel->op, strlen(step->kernel->op));
    const char *cursor = op ? op->args : NULL;
    struct dg_op_arg arg = {0};

    for (size_t i = 0; op && i < step->n_args && dg_op_next_arg(&cursor, &arg); i++) {
        const struct dg_operand *operand = &step->args[i];

        if (arg.name_length == strlen(name) &&
            !memcmp(arg.name, name, arg.name_length) &&
            operand->kind == DG_OPERAND_LITERAL &&
            (operand->literal.kind == DG_ARG_INT ||
             operand->literal.kind == DG_ARG_BOOL))
            return operand->literal.as.integer;
    }
    return otherwise;
}

/* These name the first of equal values, as torch documents. */
static bool names_the_first(const struct dg_step *step)
{
    static const char *const names[] = {"aten::argmax", "aten::argmin", "aten::max",
                                        "aten::min", NULL};

    return dg_step_is_one_of(step, names);
}

/* What indices name, when sort, topk or their like made them. */
static void add_keys(const struct dg_comparison *comparison,
                     struct dg_evidence *evidence, const struct dg_place *place)
{
    uint32_t i =
        place->slot == DG_NO_STEP ? DG_NO_STEP : comparison->ordered_by[place->slot];
    const struct dg_step *step;
    const struct dg_tensor *keys, *wide, *own;
    int64_t dim;

    if (i == DG_NO_STEP || !comparison->evaluations[DG_EVALUATION_REFERENCE].keys[i])
        return;
    step = &comparison->schedule->steps[i];
    keys = comparison->evaluations[DG_EVALUATION_REFERENCE].keys[i];
    wide = comparison->evaluations[DG_EVALUATION_WIDE].keys[i];
    own = comparison->evaluations[DG_EVALUATION_OWN_SUMS].keys[i];
    dim =
        literal_argument(step, "dim", strstr(step->kernel->op, "arg") ? INT64_MAX : -1);
    evidence->keys = keys;
    evidence->keys_dim =
        dim == INT64_MAX ? -1 : (int)(dim < 0 ? dim + keys->rank : dim);
    evidence->stable = literal_argument(step, "stable", 0) != 0;
    evidence->any_of_equal = !evidence->stable && !names_the_first(step);
    if (wide && dg_tensor_same_shape(wide, keys))
        evidence->keys_error = dg_deviation_of(wide, keys).rmse;
    if (wide && own && dg_tensor_same_shape(wide, own))
        evidence->keys_error =
            fmax(evidence->keys_error, dg_deviation_of(wide, own).rmse);
}

/* The scale of the codes that a step makes floats of; 0: it does something else. */
static double scale_of(const struct dg_step *step)
{
    static const char dequantize[] = "quantized_decomposed::dequantize_per_tensor";

    if (step->xnnpack)
        return dg_text_is(step->xnnpack->node.op, "Convert") &&
                       step->xnnpack->inputs[0]->quantized == DG_XNN_BY_TENSOR &&
                       !step->xnnpack->outputs[0]->quantized
                   ? (double)step->xnnpack->inputs[0]->scale
                   : 0;
    return !strncmp(step->kernel->op, dequantize, strlen(dequantize)) &&
                   step->n_args > 1 && step->args[1].kind == DG_OPERAND_LITERAL &&
                   step->args[1].literal.kind == DG_ARG_FLOAT
               ? step->args[1].literal.as.real
               : 0;
}

static bool is_softmax(const struct dg_step *step)
{
    static const char *const names[] = {"aten::softmax", "aten::_softmax",
                                        "xnnpack::Softmax", NULL};

    return dg_step_is_one_of(step, names);
}

/* What was a step apart is no further apart behind it. */
static bool keeps_steps(const struct dg_step *step)
{
    static const char *const functions[] = {
        "aten::sin",    "aten::cos",       "aten::tanh",     "aten::sigmoid",
        "aten::relu",   "aten::abs",       "aten::neg",      "aten::clamp",
        "xnnpack::Sin", "xnnpack::Cos",    "xnnpack::Tanh",  "xnnpack::Sigmoid",
        "xnnpack::Abs", "xnnpack::Negate", "xnnpack::Clamp", NULL};

    return dg_step_is_one_of(step, functions) || is_softmax(step) ||
           step->kernel->tolerance == DG_TOLERANCE_EXACT;
}

/* The scale of codes that a value was made of, and moved since; *softmax: by a softmax,
 * behind which nothing is computed. */
static double grid_step_of(const struct dg_comparison *comparison,
                           const struct dg_place *place, bool *softmax)
{
    enum { FAR = 16 };
    uint32_t slot = place->slot;
    bool moved = true;

    *softmax = false;
    for (int i = 0; i < FAR && slot != DG_NO_STEP; i++) {
        uint32_t maker = comparison->made_by[slot];
        const struct dg_step *step =
            maker == DG_NO_STEP ? NULL : &comparison->schedule->steps[maker];
        double scale = step && step->kernel ? scale_of(step) : 0;

        if (!step || !step->kernel || scale > 0)
            return scale;
        if (!keeps_steps(step) || !step->n_args ||
            step->args[0].kind != DG_OPERAND_SLOT)
            return 0;
        *softmax = *softmax || (moved && is_softmax(step));
        moved = moved && step->kernel->tolerance == DG_TOLERANCE_EXACT;
        slot = step->args[0].slot;
    }
    return 0;
}

static const struct dg_arg *leg_value(const struct dg_place *place, int which)
{
    return place->values[which].kind == DG_ARG_NONE ? NULL : &place->values[which];
}

/* The reference alone is told of by what it has lost against f64. */
static void measure_self(struct dg_judgement *judgement, const struct dg_arg *own,
                         const struct dg_arg *wide)
{
    if (own->kind == DG_ARG_TENSOR && wide->kind == DG_ARG_TENSOR &&
        dg_type_is_float(own->as.tensor->type) &&
        dg_tensor_same_shape(own->as.tensor, wide->as.tensor) &&
        !dg_repeats_endlessly(
            (const struct dg_tensor *[]){wide->as.tensor, own->as.tensor}, 2))
        judgement->metrics = *dg_off_wide(judgement, wide->as.tensor, own->as.tensor);
}

static const char *shape_of(struct dg_arena *memory, const struct dg_arg *value)
{
    char text[400];

    if (value->kind != DG_ARG_TENSOR)
        return NULL;
    return dg_copy(memory,
                   dg_text(dg_shape_text(value->as.tensor, text, sizeof(text))));
}

/* "rests on conv2d_1: no kernel" */
static void tell_origin(struct dg_comparison *comparison,
                        struct dg_numeric_result *result,
                        const struct dg_machine *machine, const struct dg_arg *value)
{
    const struct dg_schedule *schedule = machine->schedule;
    uint64_t at = (uint64_t)value->as.integer;
    const char *why = "could not run", *name;

    if (value->kind != DG_ARG_UNKNOWN || at >= schedule->n_steps)
        return;
    for (size_t i = 0; i < machine->n_unknowns; i++) {
        if (machine->unknowns[i].step == at)
            why = machine->unknowns[i].why;
    }
    name = schedule->steps[at].name ? schedule->steps[at].name : "a step";
    if (result->step == at && comparison->schedule == schedule)
        snprintf(result->judgement.why, sizeof(result->judgement.why), "%.200s", why);
    else
        snprintf(result->judgement.why, sizeof(result->judgement.why),
                 "rests on %.80s: %.120s", name, why);
}

/* Own sums with other codes near ties, where what something else gave is held to the
 * same program and these codes move this value; NULL. */
static const struct dg_arg *moved_by_codes(const struct dg_comparison *comparison,
                                           const struct dg_place *place)
{
    const struct dg_arg *moved = leg_value(place, DG_EVALUATION_GRIDS);
    const struct dg_arg *still = leg_value(place, DG_EVALUATION_OWN_SUMS);
    bool may = place->expected && !comparison->other_grid && moved && still;

    return may && !dg_same_bits(moved, still) ? moved : NULL;
}

static void judge_moved(struct dg_judgement *judgement,
                        const struct dg_evidence *evidence, const struct dg_arg *moved,
                        const struct dg_arg *own)
{
    struct dg_evidence wider = *evidence;

    wider.other_grid = true;
    wider.own_sums = moved;
    dg_judge(judgement, &wider);
    dg_judge_unmoved(judgement, evidence, moved, own);
}

void dg_evidence_take(struct dg_evidence *evidence, const struct dg_slice *slice)
{
    evidence->tolerance = slice->tolerance;
    evidence->n_steps = slice->depth;
    evidence->longest_sum = slice->longest_sum;
    evidence->narrowest = slice->narrowest;
    evidence->exponential = slice->exponential;
    evidence->half_sum = slice->half_sum;
}

/* All but what is held to what. */
static struct dg_evidence evidence_at(const struct dg_comparison *comparison,
                                      const struct dg_place *place)
{
    struct dg_evidence evidence = {
        .wide = leg_value(place, DG_EVALUATION_WIDE),
        .own_sums = leg_value(place, DG_EVALUATION_OWN_SUMS),
        .given = comparison->request->given,
        .tf32 = comparison->request->tf32,
        .other_grid = comparison->other_grid,
    };

    dg_evidence_take(&evidence, &place->slice);
    for (int k = 0; comparison->other_grid && k < DG_GRIDS; k++)
        evidence.grids[k] = leg_value(place, DG_EVALUATION_GRIDS + k);
    evidence.grid_step = grid_step_of(comparison, place, &evidence.grid_softmax);
    add_keys(comparison, &evidence, place);
    return evidence;
}

void dg_comparison_judge(struct dg_comparison *comparison,
                         struct dg_numeric_result *result, const struct dg_place *place)
{
    bool separate =
        comparison->tested != &comparison->evaluations[DG_EVALUATION_REFERENCE];
    const struct dg_arg *own = &place->values[DG_EVALUATION_REFERENCE];
    const struct dg_arg *tested = separate ? &place->values[DG_EVALUATION_TESTED] : own;
    const struct dg_arg *moved = moved_by_codes(comparison, place);
    struct dg_arg expected = dg_expected_like(place->expected, own);
    struct dg_evidence evidence = evidence_at(comparison, place);
    bool tensor = own->kind == DG_ARG_TENSOR;

    evidence.reference = place->expected ? &expected : own;
    evidence.tested = tested;
    evidence.alone = comparison->alone && !place->expected;
    evidence.expects = place->expected != NULL;
    result->type = tensor ? own->as.tensor->type : DG_TYPE_NONE;
    result->shape = shape_of(&comparison->answer->memory, own);
    result->tolerance = place->slice.tolerance;
    if (moved)
        judge_moved(&result->judgement, &evidence, moved, own);
    else
        dg_judge(&result->judgement, &evidence);
    if (evidence.alone)
        measure_self(&result->judgement, tested, &place->values[DG_EVALUATION_WIDE]);
    if (result->judgement.verdict == DG_VERDICT_SKIP) {
        tell_origin(comparison, result, &comparison->tested->machine, tested);
        tell_origin(comparison, result,
                    &comparison->evaluations[DG_EVALUATION_REFERENCE].machine, own);
    }
    result->counted = (own->kind != DG_ARG_NONE && own->kind != DG_ARG_STRING) ||
                      result->judgement.verdict == DG_VERDICT_FAIL;
}

void dg_comparison_not_compared(struct dg_comparison *comparison)
{
    const struct dg_machine *machine = &comparison->tested->machine;
    struct dg_numeric_answer *answer = comparison->answer;

    answer->n_not_compared = 0;
    for (size_t i = 0; i < machine->n_unknowns; i++) {
        const struct dg_unknown *unknown = &machine->unknowns[i];
        const struct dg_step *step = &machine->schedule->steps[unknown->step];

        *DG_APPEND(answer->not_compared, answer->n_not_compared) =
            (struct dg_not_compared){
                unknown->step, unknown->origin,
                dg_copy(&answer->memory, dg_text(step->name ? step->name : "")),
                step->op ? dg_copy(&answer->memory, dg_text(step->op)) : NULL,
                dg_copy(&answer->memory, dg_text(unknown->why ? unknown->why : ""))};
    }
}
