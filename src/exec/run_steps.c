/* All evaluations side by side, step by step, each step judged; or each with what
 * the reference computed, so that errors do not add up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/run_parts.h"

/* Of values and indices, the values are the first. */
static bool takes_values(const struct dg_step *step)
{
    return step->kind == DG_STEP_ITEM && step->n_args > 1 &&
           step->args[1].kind == DG_OPERAND_LITERAL &&
           !step->args[1].literal.as.integer;
}

/* Slots that hold indices that a sort or topk gave, also behind getitem and moves. */
static void note_order(struct dg_comparison *comparison, const struct dg_step *step,
                       uint32_t i)
{
    uint32_t by = DG_NO_STEP;
    bool passes_on = step->kind == DG_STEP_MOVE || step->kind == DG_STEP_ITEM;

    if (step->kernel && step->kernel->tolerance == DG_TOLERANCE_ORDER)
        by = i;
    else if (passes_on && !takes_values(step) && step->n_args &&
             step->args[0].kind == DG_OPERAND_SLOT)
        by = comparison->ordered_by[step->args[0].slot];
    for (size_t k = 0; k < step->n_results; k++) {
        bool values = step->n_results > 1 && !k;

        comparison->ordered_by[step->results[k]] = values ? DG_NO_STEP : by;
        comparison->made_by[step->results[k]] = i;
    }
}

enum dg_status dg_comparison_step(struct dg_comparison *comparison, uint32_t i,
                                  uint32_t *next, struct dg_error *err)
{
    struct dg_evaluation *evaluation =
        &comparison->evaluations[DG_EVALUATION_REFERENCE];
    const struct dg_step *step = &comparison->schedule->steps[i];
    enum dg_status status;

    dg_linear_sums_clear(&comparison->linear_sums);
    dg_slice_before(&comparison->before, step, &evaluation->machine,
                    comparison->slices);
    status = dg_evaluation_step(evaluation, i, next, err);
    if (status)
        return status;
    dg_slice_after(comparison->slices, step, &evaluation->machine, &comparison->before);
    note_order(comparison, step, i);
    return DG_OK;
}

static void add_read(void *data, uint32_t slot)
{
    struct dg_reads *reads = data;

    reads->slots = dg_grow(reads->slots, reads->n, sizeof(*reads->slots));
    reads->slots[reads->n++] = slot;
}

void dg_reads_clear(struct dg_reads *reads)
{
    for (size_t i = 0; reads->values && i < reads->n; i++)
        dg_arg_drop(&reads->values[i]);
    free(reads->values);
    free(reads->slots);
    *reads = (struct dg_reads){0};
}

void dg_read_arguments(struct dg_comparison *comparison, uint32_t i,
                       struct dg_reads *reads)
{
    bool changes = dg_step_changes(&comparison->schedule->steps[i]);

    *reads = (struct dg_reads){0};
    dg_step_reads(&comparison->schedule->steps[i], add_read, reads);
    reads->values = calloc(reads->n + 1, sizeof(*reads->values));
    for (size_t k = 0; reads->values && k < reads->n; k++) {
        dg_evaluation_read(&comparison->evaluations[DG_EVALUATION_REFERENCE],
                           reads->slots[k], &reads->values[k]);
        if (changes)
            dg_keep_copy(&reads->values[k]);
    }
}

static bool is_fed(const struct dg_comparison *comparison, uint32_t i, uint32_t slot)
{
    const int64_t *partition = comparison->request->partition_of;
    uint32_t maker = comparison->made_by[slot];

    if (!partition || partition[i] < 0 || maker == DG_NO_STEP)
        return true;
    return partition[maker] != partition[i];
}

/* Weights and buffers are each program's own. */
static bool may_write(const struct dg_schedule *schedule, uint32_t slot)
{
    return schedule->slots[slot].kind == DG_SLOT_COMPUTED ||
           schedule->slots[slot].kind == DG_SLOT_INPUT;
}

static bool has_value(const struct dg_arg *value)
{
    return value->kind != DG_ARG_NONE && value->kind != DG_ARG_UNKNOWN;
}

/* Whether a slot shows a weight or a buffer: what is written into a copy of it would be
 * missing there. Of a .pte all values are apart. */
static bool shows_own(const struct dg_machine *machine, uint32_t slot)
{
    const struct dg_schedule *schedule = machine->schedule;
    const struct dg_arg *shown = &machine->slots[slot];
    bool shared =
        shown->kind != DG_ARG_TENSOR || shown->as.tensor->storage->holders > 1;

    if (!shared || !schedule->writes || schedule->is_pte)
        return false;
    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        const struct dg_arg *own = &machine->slots[i];

        if (!may_write(schedule, i) && own->kind == DG_ARG_TENSOR &&
            dg_sees(shown, own->as.tensor->storage))
            return true;
    }
    return false;
}

/* Make evaluation `which` read what the reference reads. */
static enum dg_status feed(struct dg_comparison *comparison, int which, uint32_t i,
                           const struct dg_reads *from, struct dg_error *err)
{
    struct dg_evaluation *evaluation = &comparison->evaluations[which];
    enum dg_status status = DG_OK;

    for (size_t k = 0; k < from->n && !status; k++) {
        if (is_fed(comparison, i, from->slots[k]) &&
            may_write(evaluation->machine.schedule, from->slots[k]) &&
            has_value(&from->values[k]) &&
            !shows_own(&evaluation->machine, from->slots[k]))
            status = dg_machine_write(&evaluation->machine, from->slots[k],
                                      &from->values[k], err);
    }
    return status;
}

struct state {
    const struct dg_schedule *schedule;
    bool read;
};

/* A buffer of a .pt2 that nothing writes is a constant; of a .pte they are stored as
 * such. */
static void see_state(void *data, uint32_t slot)
{
    struct state *state = data;
    const struct dg_slot *seen = &state->schedule->slots[slot];

    state->read |=
        seen->kind == DG_SLOT_BUFFER && (seen->written || state->schedule->is_pte);
}

const char *const dg_not_fed_words[] = {
    [DG_FED_NOT_WRITER] = "what is read there is written, too",
    [DG_FED_NOT_JOINT] = "one program does in one node what the other does in several,"
                         " and so reads other values",
    [DG_FED_NOT_STATE] = "what is read there is kept between calls",
    [DG_FED_NOT_OTHER] = "the other program reads other values there",
    [DG_FED_NOT_RUN] = "it does not run on what the reference reads there",
};

/* The other program has ended: what it keeps is no longer what the step found there. */
static bool rests_on_state(const struct dg_schedule *schedule,
                           const struct dg_step *step)
{
    struct state state = {schedule, false};

    dg_step_reads(step, see_state, &state);
    for (size_t k = 0; k < step->n_results; k++) {
        const struct dg_slot *slot = &schedule->slots[step->results[k]];

        state.read |= slot->kind != DG_SLOT_COMPUTED && !slot->list;
    }
    return state.read || dg_step_changes(step);
}

static bool gives(const struct dg_step *step, uint32_t slot)
{
    for (size_t k = 0; k < step->n_results; k++) {
        if (step->results[k] == slot)
            return true;
    }
    return false;
}

/* Whether the step reads, from `there` on, what is computed and was not fed: its memory
 * may have other values by now. */
static bool reads_more(const struct dg_schedule *schedule, const struct dg_step *step,
                       const struct dg_reads *to, size_t there)
{
    for (; there < to->n; there++) {
        if (may_write(schedule, to->slots[there]) && !gives(step, to->slots[there]))
            return true;
    }
    return false;
}

/* Write what the other program's step of `i` reads as its argument number `read`. */
static enum dg_status write_other(struct dg_comparison *comparison, uint32_t i,
                                  const struct dg_reads *to, size_t read,
                                  const struct dg_arg *value)
{
    struct dg_arg shaped = {0};
    struct dg_error err = {0};
    enum dg_status status;

    dg_arg_set(&shaped, value);
    dg_take_read_shape(comparison, i, read, &shaped);
    status = dg_machine_write(&comparison->evaluations[DG_EVALUATION_TESTED].machine,
                              to->slots[read], &shaped, &err);
    dg_arg_drop(&shaped);
    return status;
}

/* The same for the other program's step. What one program holds as numbers may be slots
 * of constants in the other: values that are computed belong together in their order.
 */
static void feed_other(struct dg_comparison *comparison, uint32_t i,
                       const struct dg_reads *from)
{
    struct dg_machine *machine = &comparison->evaluations[DG_EVALUATION_TESTED].machine;
    const struct dg_step *step =
        &machine->schedule->steps[comparison->matching.steps[i]];
    struct dg_reads to = {0};
    size_t there = 0;

    dg_step_reads(step, add_read, &to);
    if (comparison->matching.joint[i])
        comparison->not_fed = DG_FED_NOT_JOINT;
    else if (rests_on_state(machine->schedule, step) ||
             rests_on_state(comparison->schedule, &comparison->schedule->steps[i]))
        comparison->not_fed = DG_FED_NOT_STATE;
    else
        comparison->not_fed = DG_FED;
    for (size_t k = 0; k < from->n; k++) {
        if (!may_write(comparison->schedule, from->slots[k]))
            continue;
        while (there < to.n && !may_write(machine->schedule, to.slots[there]))
            there++;
        if (!comparison->not_fed &&
            (there == to.n ||
             (is_fed(comparison, i, from->slots[k]) && has_value(&from->values[k]) &&
              write_other(comparison, i, &to, there, &from->values[k]))))
            comparison->not_fed = DG_FED_NOT_OTHER;
        there += there < to.n;
    }
    if (!comparison->not_fed && reads_more(machine->schedule, step, &to, there))
        comparison->not_fed = DG_FED_NOT_OTHER;
    dg_reads_clear(&to);
}

/* Step an evaluation beside the reference. One that fails, or goes elsewhere, is lost;
 * only the tested one may end the run by that, on values of its own. */
static enum dg_status step_beside(struct dg_comparison *comparison, int which,
                                  uint32_t i, uint32_t wanted, bool substituted,
                                  struct dg_error *err)
{
    struct dg_evaluation *evaluation = &comparison->evaluations[which];
    struct dg_error lost = {0};
    uint32_t next = wanted;
    enum dg_status status;

    status = dg_evaluation_step(evaluation, i, &next, &lost);
    evaluation->lost = status || next != wanted;
    if (!status || which != DG_EVALUATION_TESTED)
        return DG_OK;
    if (substituted) {
        comparison->not_fed = DG_FED_NOT_RUN;
        return DG_OK;
    }
    *err = lost;
    return status;
}

/* Step the other program's counterpart, whose inputs were substituted. What only seems
 * to be one may not take the values. */
static void step_other(struct dg_comparison *comparison, uint32_t i)
{
    struct dg_error lost = {0};
    uint32_t next;

    if (dg_evaluation_step(&comparison->evaluations[DG_EVALUATION_TESTED],
                           comparison->matching.steps[i], &next, &lost))
        comparison->not_fed = DG_FED_NOT_OTHER;
}

bool dg_has_counterpart(const struct dg_comparison *comparison, uint32_t i)
{
    return !comparison->request->against || comparison->matching.steps[i] != DG_NO_STEP;
}

/* Make all evaluations read what the reference reads: nothing but the step errs then.
 */
static enum dg_status feed_all(struct dg_comparison *comparison, uint32_t i,
                               const struct dg_reads *substituted, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    comparison->not_fed = DG_FED;
    for (int which = DG_EVALUATION_WIDE; which < DG_LEGS && !status; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];

        evaluation->lost = false;
        if (evaluation->open &&
            (which != DG_EVALUATION_TESTED || !comparison->request->against))
            status = feed(comparison, which, i, substituted, err);
        else if (evaluation->open && dg_has_counterpart(comparison, i))
            feed_other(comparison, i, substituted);
    }
    for (size_t k = 0; k < substituted->n; k++) {
        if (is_fed(comparison, i, substituted->slots[k]))
            *comparison->slices[substituted->slots[k]] = (struct dg_slice){0};
    }
    return status;
}

static enum dg_status step_others(struct dg_comparison *comparison, uint32_t i,
                                  uint32_t next, bool substituted, struct dg_error *err)
{
    bool other = comparison->request->against;
    enum dg_status status = DG_OK;

    for (int which = DG_EVALUATION_WIDE; which < DG_LEGS && !status; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];

        if (evaluation->open && !evaluation->lost &&
            (which != DG_EVALUATION_TESTED || !other))
            status = step_beside(comparison, which, i, next, substituted, err);
    }
    if (!status && substituted && other && dg_has_counterpart(comparison, i) &&
        !comparison->not_fed)
        step_other(comparison, i);
    return status;
}

enum dg_status dg_comparison_step_all(struct dg_comparison *comparison, uint32_t i,
                                      uint32_t *next,
                                      const struct dg_reads *substituted,
                                      struct dg_error *err)
{
    enum dg_status status =
        substituted ? feed_all(comparison, i, substituted, err) : DG_OK;

    if (!status)
        status = dg_comparison_step(comparison, i, next, err);
    return status ? status : step_others(comparison, i, *next, substituted, err);
}

enum dg_status dg_comparison_step_again(struct dg_comparison *comparison, uint32_t i,
                                        uint32_t next,
                                        const struct dg_reads *substituted,
                                        struct dg_error *err)
{
    enum dg_status status = feed_all(comparison, i, substituted, err);

    comparison->before.behind = (struct dg_slice){0};
    dg_slice_after(comparison->slices, &comparison->schedule->steps[i],
                   &comparison->evaluations[DG_EVALUATION_REFERENCE].machine,
                   &comparison->before);
    return status ? status : step_others(comparison, i, next, true, err);
}
