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
    if (which == DG_EVALUATION_REFERENCE || which == DG_EVALUATION_WIDE)
        evaluation->machine.linear_sums = &comparison->linear_sums;
    evaluation->keys =
        dg_alloc(&comparison->memory, schedule->n_steps + 1, sizeof(*evaluation->keys));
    return status;
}

static bool is_host(const struct dg_device *device)
{
    return !device || device == &dg_host || !strcmp(device->name, "cpu");
}

static bool gives_codes(const struct dg_step *step)
{
    const struct dg_xnn_step *node = step->xnnpack;

    return node && node->n_outputs && node->outputs[0]->quantized;
}

/* Whether its codes hang on the range of what it is given. */
static bool finds_range(const struct dg_step *step)
{
    if (step->xnnpack)
        return gives_codes(step) &&
               step->xnnpack->outputs[0]->quantized == DG_XNN_BY_SLICE;
    return step->kernel &&
           (step->quantizes || strstr(step->kernel->op, "choose_qparams"));
}

static bool has_step(const struct dg_schedule *schedule,
                     bool is_one(const struct dg_step *step))
{
    for (size_t i = 0; i < schedule->n_steps; i++) {
        if (is_one(&schedule->steps[i]))
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
           has_step(against->is_pte ? against : request->schedule, gives_codes);
}

/* Own sums on another grid, if `other_grid`, with ranges wider by that part of them. */
static enum dg_status open_own_sums(struct dg_comparison *comparison, int which,
                                    bool other_grid, double wider, struct dg_error *err)
{
    enum dg_status status =
        open_evaluation(comparison, which, DG_PRECISION_OWN_SUMS, err);
    struct dg_context *context = &comparison->evaluations[which].machine.context;

    context->other_grid = other_grid;
    context->wider = wider;
    return status;
}

/* Where codes hang on ranges that are found, one grid says little of few values: which
 * way it rounds them is chance. Several say it. What other code made of the same
 * program has the same ranges: it differs where a value is near a tie. */
static enum dg_status open_grids(struct dg_comparison *comparison, struct dg_error *err)
{
    static const double wider = 1.0 / 32;
    const struct dg_numeric_request *request = comparison->request;
    bool ranges = has_step(request->schedule, finds_range) ||
                  (request->against && has_step(request->against, finds_range));
    enum dg_status status =
        open_own_sums(comparison, DG_EVALUATION_OWN_SUMS, comparison->other_grid,
                      comparison->other_grid ? wider : 0, err);

    for (int k = 0; comparison->other_grid && ranges && k < DG_GRIDS && !status; k++)
        status = open_own_sums(comparison, DG_EVALUATION_GRIDS + k, true,
                               (k + 2) * wider, err);
    if (comparison->expects && !request->against && ranges && !status)
        status = open_own_sums(comparison, DG_EVALUATION_GRIDS, true, 0, err);
    return status;
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
        status = open_grids(comparison, err);
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
                                  bool expects, struct dg_numeric_answer *answer,
                                  struct dg_error *err)
{
    const struct dg_schedule *schedule = request->schedule;

    *comparison =
        (struct dg_comparison){.request = request,
                               .answer = answer,
                               .schedule = schedule,
                               .expects = expects,
                               .other_grid = has_other_grid(request),
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
    comparison->read_shapes = dg_alloc(&comparison->memory, schedule->n_steps + 1,
                                       sizeof(*comparison->read_shapes));
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
    dg_linear_sums_clear(&comparison->linear_sums);
    for (size_t i = 0; comparison->captured && i < comparison->schedule->n_steps; i++)
        dg_arg_drop(&comparison->captured[i]);
    for (size_t i = 0; comparison->kept_outputs && i < comparison->schedule->n_outputs;
         i++)
        dg_arg_drop(&comparison->kept_outputs[i]);
    dg_schedule_clear(&comparison->apart);
    dg_arena_clear(&comparison->memory);
}
