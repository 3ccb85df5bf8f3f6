/* What two programs have in the same places, while a part is taken out. */
#include <stdlib.h>
#include <string.h>

#include "exec/reduce_parts.h"

void dg_reducing_forget(const struct dg_reducing *reducing)
{
    for (size_t i = 0; i < reducing->schedule->n_slots; i++) {
        dg_arg_drop(&reducing->own[i]);
        dg_arg_drop(&reducing->tested[i]);
    }
}

static void keep(struct dg_arg *to, struct dg_arg *value)
{
    dg_keep_copy(value);
    dg_arg_drop(to);
    *to = *value;
}

/* What a machine of this program's schedule has in the slots that are wanted, of those
 * that begin with a value; of those that step `i` made. */
static void keep_given(struct dg_reducing *reducing, struct dg_evaluation *evaluation,
                       struct dg_arg *values)
{
    for (uint32_t slot = 0; slot < reducing->schedule->n_slots; slot++) {
        struct dg_arg value;

        if (!reducing->wanted[slot] || reducing->maker[slot] != DG_NO_STEP)
            continue;
        dg_evaluation_read(evaluation, slot, &value);
        keep(&values[slot], &value);
    }
}

static void keep_made(struct dg_reducing *reducing, struct dg_evaluation *evaluation,
                      uint32_t i, struct dg_arg *values)
{
    const struct dg_step *step = &reducing->schedule->steps[i];

    for (size_t k = 0; k < step->n_results; k++) {
        struct dg_arg value;

        if (!reducing->wanted[step->results[k]])
            continue;
        dg_evaluation_read(evaluation, step->results[k], &value);
        keep(&values[step->results[k]], &value);
    }
}

/* What the chosen step `i` is about to read: steps may have written there since it was
 * made. `slots`: where the machine has each; NULL: where this program does. */
struct reading {
    struct dg_reducing *reducing;
    struct dg_evaluation *evaluation;
    const uint32_t *slots;
    struct dg_arg *values;
};

static void take_own_shape(struct dg_arg *value, const struct dg_reducing *reducing,
                           uint32_t slot)
{
    if (reducing->own[slot].kind == DG_ARG_TENSOR)
        dg_take_shape(value, reducing->own[slot].as.tensor);
}

static void keep_read(void *data, uint32_t slot)
{
    struct reading *reading = data;
    uint32_t there = reading->slots ? reading->slots[slot] : slot;
    struct dg_arg value;

    if (!reading->reducing->wanted[slot] || there == DG_NO_STEP ||
        reading->reducing->read[slot])
        return;
    dg_evaluation_read(reading->evaluation, there, &value);
    if (value.kind == DG_ARG_NONE)
        return;
    dg_keep_copy(&value);
    take_own_shape(&value, reading->reducing, slot);
    dg_arg_drop(&reading->values[slot]);
    reading->values[slot] = value;
    reading->reducing->read[slot] = true;
}

static void keep_reads(struct reading reading, uint32_t i)
{
    if (reading.reducing->repro->chosen[i])
        dg_step_reads(&reading.reducing->schedule->steps[i], keep_read, &reading);
}

static enum dg_status open_machine(struct dg_reducing *reducing,
                                   struct dg_evaluation *evaluation,
                                   const struct dg_schedule *schedule,
                                   const struct dg_device *device)
{
    *evaluation = (struct dg_evaluation){.open = true};
    evaluation->keys =
        dg_alloc(&reducing->memory, schedule->n_steps + 1, sizeof(*evaluation->keys));
    return dg_machine_open(&evaluation->machine, schedule, device,
                           DG_PRECISION_EXACT_SUMS, reducing->request->n_threads,
                           reducing->err);
}

/* Run this program's schedule through all calls, and keep what is wanted of the last.
 */
enum dg_status dg_reducing_run_own(struct dg_reducing *reducing,
                                   const struct dg_device *device,
                                   struct dg_arg *values)
{
    const struct dg_schedule *schedule = reducing->schedule;
    struct dg_evaluation evaluation;
    enum dg_status status = open_machine(reducing, &evaluation, schedule, device);

    for (size_t call = 0; call < reducing->n_calls && !status; call++) {
        bool last = call + 1 == reducing->n_calls;

        status = dg_evaluation_begin(&evaluation, reducing->calls[call].inputs->values,
                                     reducing->err);
        memset(reducing->read, 0, schedule->n_slots);
        if (!status && last)
            keep_given(reducing, &evaluation, values);
        for (uint32_t i = 0, next; i < schedule->n_steps && !status; i = next) {
            if (last)
                keep_reads((struct reading){reducing, &evaluation, NULL, values}, i);
            status = dg_evaluation_step(&evaluation, i, &next, reducing->err);
            if (!status && last)
                keep_made(reducing, &evaluation, i, values);
        }
        if (!status)
            status = dg_machine_finish(&evaluation.machine, reducing->err);
    }
    dg_evaluation_close(&evaluation);
    return status;
}

/* What the other program's step gave, as results of this one's. */
static void keep_counterpart(struct dg_reducing *reducing,
                             struct dg_evaluation *evaluation, uint32_t j, uint32_t i)
{
    const struct dg_step *step = &reducing->schedule->steps[i];
    struct dg_arg results = {0};

    dg_capture_results(evaluation, j, &results);
    for (size_t k = 0; k < step->n_results; k++) {
        uint32_t slot = step->results[k];
        struct dg_arg value = {0};

        if (!reducing->wanted[slot])
            continue;
        dg_pick_result(&value, &results, step->n_results, k);
        take_own_shape(&value, reducing, slot);
        keep(&reducing->tested[slot], &value);
    }
    dg_arg_drop(&results);
}

static uint32_t *wanted_by_other(struct dg_reducing *reducing)
{
    const struct dg_schedule *other = reducing->request->against;
    uint32_t *by = dg_alloc(&reducing->memory, other->n_steps + 1, sizeof(*by));

    for (size_t j = 0; j < other->n_steps; j++)
        by[j] = DG_NO_STEP;
    for (uint32_t i = 0; i < reducing->schedule->n_steps; i++) {
        if (reducing->matching.steps[i] != DG_NO_STEP)
            by[reducing->matching.steps[i]] = i;
    }
    return by;
}

/* By slot of this program: where the other has what its counterpart gives, in a slot of
 * its own; of a .pte later steps may have that memory. */
static uint32_t *slots_of_other(struct dg_reducing *reducing)
{
    const struct dg_schedule *other = reducing->request->against;
    uint32_t *slots =
        dg_alloc(&reducing->memory, reducing->schedule->n_slots + 1, sizeof(*slots));

    memset(slots, 0xff, reducing->schedule->n_slots * sizeof(*slots));
    for (size_t i = 0; i < reducing->schedule->n_steps && !other->is_pte; i++) {
        const struct dg_step *step = &reducing->schedule->steps[i];
        uint32_t j = reducing->matching.steps[i];

        if (j != DG_NO_STEP && step->n_results == 1 && other->steps[j].n_results == 1)
            slots[step->results[0]] = other->steps[j].results[0];
    }
    return slots;
}

/* What it gives, where no step of it is known to be the one that makes that. */
static enum dg_status keep_outputs(struct dg_reducing *reducing,
                                   struct dg_evaluation *evaluation)
{
    const size_t *outputs = reducing->matching.outputs;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < reducing->schedule->n_outputs && !status; i++) {
        uint32_t slot = reducing->schedule->outputs[i].slot;
        struct dg_arg value = {0};

        if (outputs[i] == SIZE_MAX || slot == DG_IO_LITERAL ||
            !reducing->wanted[slot] || reducing->tested[slot].kind != DG_ARG_NONE)
            continue;
        status =
            dg_machine_output(&evaluation->machine, outputs[i], &value, reducing->err);
        keep(&reducing->tested[slot], &value);
    }
    return status;
}

static enum dg_status run_other(struct dg_reducing *reducing)
{
    const struct dg_schedule *other = reducing->request->against;
    uint32_t *by = wanted_by_other(reducing), *slots = slots_of_other(reducing);
    struct dg_evaluation evaluation;
    enum dg_status status = open_machine(reducing, &evaluation, other, NULL);

    evaluation.machine.shows = true;
    for (size_t call = 0; call < reducing->n_calls && !status; call++) {
        bool last = call + 1 == reducing->n_calls;

        status = dg_evaluation_begin(&evaluation,
                                     dg_inputs_of_other(&reducing->matching, other,
                                                        reducing->calls[call].inputs,
                                                        &reducing->memory),
                                     reducing->err);
        memset(reducing->read, 0, reducing->schedule->n_slots);
        for (uint32_t j = 0, next; j < other->n_steps && !status; j = next) {
            if (last && by[j] != DG_NO_STEP)
                keep_reads(
                    (struct reading){reducing, &evaluation, slots, reducing->tested},
                    by[j]);
            status = dg_evaluation_step(&evaluation, j, &next, reducing->err);
            if (!status && last && by[j] != DG_NO_STEP)
                keep_counterpart(reducing, &evaluation, j, by[j]);
        }
        if (!status)
            status = dg_machine_finish(&evaluation.machine, reducing->err);
        if (!status && last)
            status = keep_outputs(reducing, &evaluation);
    }
    dg_evaluation_close(&evaluation);
    return status;
}

/* Values that a file names are what the tested one has there. */
static void take_expected(struct dg_reducing *reducing)
{
    const struct dg_schedule *schedule = reducing->schedule;
    struct dg_expected expected = {0};

    dg_expected_begin(&expected, schedule,
                      reducing->calls[reducing->n_calls - 1].expected);
    for (uint32_t slot = 0; slot < schedule->n_slots; slot++) {
        uint32_t maker = reducing->maker[slot];
        const struct dg_arg *value;

        if (!reducing->wanted[slot] || maker == DG_NO_STEP)
            continue;
        value = dg_expected_named(&expected, schedule->steps[maker].name);
        if (!value)
            continue;
        dg_arg_drop(&reducing->tested[slot]);
        dg_arg_set(&reducing->tested[slot], value);
    }
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        const struct dg_arg *value =
            expected.outputs ? expected.outputs[i].value : NULL;
        uint32_t slot = schedule->outputs[i].slot;

        if (!value || slot == DG_IO_LITERAL || !reducing->wanted[slot])
            continue;
        dg_arg_drop(&reducing->tested[slot]);
        dg_arg_set(&reducing->tested[slot], value);
    }
    dg_expected_end(&expected);
}

/* What is wanted, of this program and of the tested one. */
enum dg_status dg_reducing_run(struct dg_reducing *reducing)
{
    const struct dg_numeric_request *request = reducing->request;
    enum dg_status status;

    dg_reducing_forget(reducing);
    status = dg_reducing_run_own(reducing, NULL, reducing->own);
    if (!status && request->against)
        status = run_other(reducing);
    else if (!status && request->device)
        status = dg_reducing_run_own(reducing, request->device, reducing->tested);
    if (!status && !request->against)
        take_expected(reducing);
    return status;
}
