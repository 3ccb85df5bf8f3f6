/* The evaluations of a comparison: which there are, on what grid. */
#include <string.h>

#include "exec/run_parts.h"
#include "kernels/xnnpack.h"

static enum dg_status open_evaluation(struct dg_comparison *comparison, int which,
                                      enum dg_precision precision, struct dg_error *err)
{
    const struct dg_numeric_request *request = comparison->request;
    struct dg_evaluation *evaluation = &comparison->evaluations[which];
    bool tested = which == DG_EVALUATION_TESTED;
    const struct dg_schedule *schedule = !tested            ? comparison->schedule
                                         : request->against ? request->against
                                                            : request->schedule;
    enum dg_status status =
        dg_machine_open(&evaluation->machine, schedule, tested ? request->device : NULL,
                        precision, request->n_threads, err);

    evaluation->open = true;
    evaluation->machine.shows =
        request->each || request->isolate || request->bisect || request->whole;
    evaluation->machine.context.tf32 = request->tf32;
    evaluation->keys =
        dg_alloc(&comparison->memory, schedule->n_steps + 1, sizeof(*evaluation->keys));
    return status;
}

static bool is_host(const struct dg_device *device)
{
    return !device || device == &dg_host || !strcmp(device->name, "cpu");
}

static bool quantizes(const struct dg_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_xnn_step *node = schedule->steps[i].xnnpack;

        if (node && node->n_outputs && node->outputs[0]->quantized)
            return true;
    }
    return false;
}

/* Delegates round the biases of what is quantized, and find ranges for rows that the
 * program finds for all: the same numbers on another grid. */
static bool has_other_grid(const struct dg_numeric_request *request)
{
    const struct dg_schedule *against = request->against;

    return against && against->is_pte != request->schedule->is_pte &&
           quantizes(against->is_pte ? against : request->schedule);
}

static enum dg_status open_evaluations(struct dg_comparison *comparison,
                                       struct dg_error *err)
{
    const struct dg_numeric_request *request = comparison->request;
    bool separate =
        request->against || !is_host(request->device) || request->schedule->is_pte;
    enum dg_status status = open_evaluation(comparison, DG_EVALUATION_REFERENCE,
                                            DG_PRECISION_EXACT_SUMS, err);

    if (!status)
        status =
            open_evaluation(comparison, DG_EVALUATION_WIDE, DG_PRECISION_WIDE, err);
    if (!status)
        status = open_evaluation(comparison, DG_EVALUATION_OWN_SUMS,
                                 DG_PRECISION_OWN_SUMS, err);
    comparison->other_grid = has_other_grid(request);
    comparison->evaluations[DG_EVALUATION_OWN_SUMS].machine.context.other_grid =
        comparison->other_grid;
    if (!status && separate)
        status = open_evaluation(comparison, DG_EVALUATION_TESTED,
                                 DG_PRECISION_EXACT_SUMS, err);
    comparison->tested =
        &comparison
             ->evaluations[separate ? DG_EVALUATION_TESTED : DG_EVALUATION_REFERENCE];
    if (!status && request->against)
        status = dg_match(&comparison->matching, request->schedule, request->against,
                          &comparison->memory, err);
    if (!status && request->whole)
        status = dg_part_open(comparison, err);
    return status;
}

enum dg_status dg_comparison_open(struct dg_comparison *comparison,
                                  const struct dg_numeric_request *request,
                                  struct dg_numeric_answer *answer,
                                  struct dg_error *err)
{
    const struct dg_schedule *schedule = request->schedule;

    *comparison =
        (struct dg_comparison){.request = request,
                               .answer = answer,
                               .schedule = schedule,
                               .alone = !request->against && is_host(request->device),
                               .damaged = dg_host_memory.damaged};
    if (schedule->is_pte) {
        dg_schedule_apart(&comparison->apart, schedule);
        comparison->schedule = schedule = &comparison->apart;
    }
    comparison->own_cones = dg_slices_new(schedule, &comparison->memory);
    comparison->slices = dg_alloc(&comparison->memory, schedule->n_slots + 1,
                                  sizeof(*comparison->slices));
    memcpy(comparison->slices, comparison->own_cones,
           schedule->n_slots * sizeof(*comparison->slices));
    comparison->ordered_by = dg_alloc(&comparison->memory, schedule->n_slots + 1,
                                      sizeof(*comparison->ordered_by));
    comparison->made_by = dg_alloc(&comparison->memory, schedule->n_slots + 1,
                                   sizeof(*comparison->made_by));
    comparison->captured = dg_alloc(&comparison->memory, schedule->n_steps + 1,
                                    sizeof(*comparison->captured));
    return open_evaluations(comparison, err);
}

void dg_evaluation_close(struct dg_evaluation *evaluation)
{
    if (!evaluation->open)
        return;
    for (size_t i = 0; evaluation->keys && i < evaluation->machine.schedule->n_steps;
         i++)
        dg_tensor_drop(evaluation->keys[i]);
    dg_machine_close(&evaluation->machine);
}

void dg_comparison_close(struct dg_comparison *comparison)
{
    for (int which = 0; which < DG_LEGS; which++)
        dg_evaluation_close(&comparison->evaluations[which]);
    dg_evaluation_close(&comparison->whole);
    dg_part_close(comparison);
    dg_slice_step_clear(&comparison->before);
    for (size_t i = 0; comparison->captured && i < comparison->schedule->n_steps; i++)
        dg_arg_drop(&comparison->captured[i]);
    for (size_t i = 0; comparison->kept_outputs && i < comparison->schedule->n_outputs;
         i++)
        dg_arg_drop(&comparison->kept_outputs[i]);
    dg_schedule_clear(&comparison->apart);
    dg_arena_clear(&comparison->memory);
}
