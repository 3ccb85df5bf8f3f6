/* A step alone, run once more with what the reference read: nothing but the step errs
 * then. Evaluations hold afterwards what they held before: what is looked at alone
 * changes neither what follows nor the outputs. */
#include <stdio.h>

#include "exec/call_parts.h"
#include "exec/run_parts.h"

/* What an evaluation has in a slot. */
struct held {
    struct dg_arg value;
    struct dg_tensor form;   /* of planned memory: a tensor there takes other sizes, */
    struct dg_tensor *bytes; /* and others lie on its bytes: a copy; else NULL */
};

struct held_evaluation {
    struct held *slots;
    struct dg_tensor *keys;
    bool lost;
    uint64_t fallbacks;
};

struct held_slice {
    struct dg_slice *shared, value;
};

/* What running a step once more changes: slots that it reads and gives. */
struct held_step {
    uint32_t i, *slots;
    size_t n;
    struct held_evaluation evaluations[DG_LEGS];
    struct held_slice *slices;
    struct dg_arena memory;
};

/* The other program has ended: nobody reads what it holds. */
static bool is_beside(const struct dg_comparison *comparison, int which)
{
    return comparison->evaluations[which].open && which != DG_EVALUATION_REFERENCE &&
           (which != DG_EVALUATION_TESTED || !comparison->request->against);
}

static enum dg_status hold_slot(struct held *held, struct dg_machine *machine,
                                uint32_t slot, struct dg_error *err)
{
    const struct dg_schedule *schedule = machine->schedule;
    struct dg_tensor *bytes;

    dg_arg_set(&held->value, &machine->slots[slot]);
    if (held->value.kind != DG_ARG_TENSOR || !schedule->is_pte ||
        schedule->slots[slot].arena < 0)
        return DG_OK;
    held->form = *held->value.as.tensor;
    bytes = dg_bytes_under(held->value.as.tensor);
    held->bytes = dg_copied(machine, bytes, err);
    dg_tensor_drop(bytes);
    return held->bytes ? DG_OK : err->status;
}

static enum dg_status put_back_slot(struct held *held, struct dg_machine *machine,
                                    uint32_t slot, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    struct dg_tensor *bytes;

    if (held->bytes) {
        dg_reshape_in_place(held->value.as.tensor, &held->form);
        bytes = dg_bytes_under(held->value.as.tensor);
        status = dg_copy_into(machine, bytes, held->bytes, err);
        dg_tensor_drop(bytes);
        dg_tensor_drop(held->bytes);
    }
    dg_slot_take(&machine->frames[0], slot, held->value);
    return status;
}

static enum dg_status hold_evaluation(struct held_step *held,
                                      struct dg_comparison *comparison, int which,
                                      struct dg_error *err)
{
    struct dg_evaluation *evaluation = &comparison->evaluations[which];
    struct held_evaluation *kept = &held->evaluations[which];
    enum dg_status status = DG_OK;

    kept->slots = dg_alloc(&held->memory, held->n + 1, sizeof(*kept->slots));
    kept->keys = dg_tensor_keep(evaluation->keys[held->i]);
    kept->lost = evaluation->lost;
    kept->fallbacks = evaluation->machine.fallbacks;
    for (size_t k = 0; k < held->n && !status; k++)
        status = hold_slot(&kept->slots[k], &evaluation->machine, held->slots[k], err);
    return status;
}

static enum dg_status put_back_evaluation(struct held_step *held,
                                          struct dg_comparison *comparison, int which,
                                          struct dg_error *err)
{
    struct dg_evaluation *evaluation = &comparison->evaluations[which];
    struct held_evaluation *kept = &held->evaluations[which];
    enum dg_status status = DG_OK, one;

    if (!kept->slots)
        return DG_OK;
    for (size_t k = 0; k < held->n; k++) {
        one = put_back_slot(&kept->slots[k], &evaluation->machine, held->slots[k], err);
        status = status ? status : one;
    }
    dg_tensor_drop(evaluation->keys[held->i]);
    evaluation->keys[held->i] = kept->keys;
    evaluation->lost = kept->lost;
    evaluation->machine.fallbacks = kept->fallbacks;
    return status;
}

static void hold_slices(struct held_step *held, const struct dg_comparison *comparison)
{
    held->slices = dg_alloc(&held->memory, held->n + 1, sizeof(*held->slices));
    for (size_t k = 0; k < held->n; k++) {
        struct dg_slice *shared = comparison->slices[held->slots[k]];

        held->slices[k] = (struct held_slice){shared, *shared};
    }
}

static enum dg_status hold(struct held_step *held, struct dg_comparison *comparison,
                           uint32_t i, const struct dg_reads *reads,
                           struct dg_error *err)
{
    const struct dg_step *step = &comparison->schedule->steps[i];
    enum dg_status status = DG_OK;

    *held = (struct held_step){.i = i};
    held->slots =
        dg_alloc(&held->memory, reads->n + step->n_results + 1, sizeof(*held->slots));
    for (size_t k = 0; k < reads->n; k++)
        held->slots[held->n++] = reads->slots[k];
    for (size_t k = 0; k < step->n_results; k++)
        held->slots[held->n++] = step->results[k];
    hold_slices(held, comparison);
    for (int which = 0; which < DG_LEGS && !status; which++) {
        if (is_beside(comparison, which))
            status = hold_evaluation(held, comparison, which, err);
    }
    return status;
}

static enum dg_status put_back(struct held_step *held, struct dg_comparison *comparison,
                               struct dg_error *err)
{
    enum dg_status status = DG_OK, one;

    for (int which = 0; which < DG_LEGS; which++) {
        one = put_back_evaluation(held, comparison, which, err);
        status = status ? status : one;
    }
    for (size_t k = 0; k < held->n; k++) {
        comparison->slices[held->slots[k]] = held->slices[k].shared;
        *held->slices[k].shared = held->slices[k].value;
    }
    dg_arena_clear(&held->memory);
    return status;
}

static enum dg_status not_alone(struct dg_judgement *alone, enum dg_not_fed not_fed)
{
    snprintf(alone->why, sizeof(alone->why), "%s", dg_not_fed_words[not_fed]);
    return DG_OK;
}

enum dg_status dg_step_alone(struct dg_comparison *comparison,
                             struct dg_judged_step judged, uint32_t next,
                             const struct dg_reads *reads, bool *fails,
                             struct dg_error *err)
{
    struct dg_judgement *alone = &comparison->answer->alone;
    struct held_step held;
    enum dg_status status, restored;

    *fails = false;
    *alone = (struct dg_judgement){.verdict = DG_VERDICT_SKIP};
    if (dg_step_changes(&comparison->schedule->steps[judged.i]))
        return not_alone(alone, DG_FED_NOT_WRITER);
    judged.substituted = judged.once = true;
    status = hold(&held, comparison, judged.i, reads, err);
    if (!status)
        status = dg_comparison_step_again(comparison, judged.i, next, reads, err);
    if (comparison->not_fed)
        not_alone(alone, comparison->not_fed);
    else if (!status)
        *fails = dg_step_judge(comparison, &judged) == DG_VERDICT_FAIL;
    restored = put_back(&held, comparison, err);
    return status ? status : restored;
}
