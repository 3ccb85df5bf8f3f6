/* Evaluations: machines, with what sort and topk of them put in order. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "exec/run_parts.h"
#include "kernels/cpu/walk.h"

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum dg_status dg_evaluation_begin(struct dg_evaluation *evaluation,
                                   const struct dg_arg *inputs, struct dg_error *err)
{
    evaluation->lost = false;
    return dg_machine_begin(&evaluation->machine, inputs, err);
}

void dg_evaluation_read(struct dg_evaluation *evaluation, uint32_t slot,
                        struct dg_arg *value)
{
    struct dg_error err = {0};

    *value = (struct dg_arg){0};
    if (!evaluation->open || evaluation->lost ||
        slot >= evaluation->machine.schedule->n_slots)
        return;
    if (dg_machine_read(&evaluation->machine, slot, value, &err))
        dg_arg_drop(value);
}

/* Planned memory is used again by later steps: what is kept is copied. */
void dg_keep_copy(struct dg_arg *value)
{
    struct dg_tensor *tensor = value->kind == DG_ARG_TENSOR ? value->as.tensor : NULL;
    struct dg_error err = {0};
    struct dg_tensor *copy;

    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        if (value->as.list.items[i].kind == DG_ARG_TENSOR)
            dg_keep_copy(&value->as.list.items[i]);
    }
    if (!tensor)
        return;
    copy = dg_copy_apart(&dg_host_memory, tensor, 1, &err);
    dg_arg_drop(value);
    if (copy)
        *value = (struct dg_arg){DG_ARG_TENSOR, {.tensor = copy}};
}

/* Before the step: it may be the last one that reads its argument. */
static void note_keys(struct dg_evaluation *evaluation, uint32_t i)
{
    const struct dg_step *step = &evaluation->machine.schedule->steps[i];
    struct dg_arg keys;

    if (!step->kernel || step->kernel->tolerance != DG_TOLERANCE_ORDER ||
        !step->n_args || step->args[0].kind != DG_OPERAND_SLOT)
        return;
    dg_evaluation_read(evaluation, step->args[0].slot, &keys);
    dg_keep_copy(&keys);
    dg_tensor_drop(evaluation->keys[i]);
    evaluation->keys[i] =
        keys.kind == DG_ARG_TENSOR ? dg_tensor_keep(keys.as.tensor) : NULL;
    dg_arg_drop(&keys);
}

enum dg_status dg_evaluation_step(struct dg_evaluation *evaluation, uint32_t i,
                                  uint32_t *next, struct dg_error *err)
{
    double start = now();
    enum dg_status status;

    note_keys(evaluation, i);
    status = dg_machine_step(&evaluation->machine, i, next, err);
    evaluation->seconds += now() - start;
    return status;
}

enum dg_status dg_evaluation_run(struct dg_evaluation *evaluation, uint32_t i,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (!status && i < evaluation->machine.schedule->n_steps)
        status = dg_evaluation_step(evaluation, i, &i, err);
    return status ? status : dg_machine_finish(&evaluation->machine, err);
}

void dg_capture_results(struct dg_evaluation *evaluation, uint32_t i,
                        struct dg_arg *values)
{
    const struct dg_step *step = &evaluation->machine.schedule->steps[i];

    dg_arg_drop(values);
    values->as.list.items = calloc(step->n_results + 1, sizeof(*values));
    if (!values->as.list.items)
        return;
    values->kind = DG_ARG_LIST;
    values->as.list.n_items = step->n_results;
    for (size_t k = 0; k < step->n_results; k++) {
        dg_evaluation_read(evaluation, step->results[k], &values->as.list.items[k]);
        dg_keep_copy(&values->as.list.items[k]);
    }
}
