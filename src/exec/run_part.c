/* Inputs of a part: what the reference run of the whole program has there. */
#include <stdlib.h>

#include "exec/run_parts.h"

enum dg_status dg_part_open(struct dg_comparison *comparison, struct dg_error *err)
{
    const struct dg_numeric_request *request = comparison->request;
    const struct dg_schedule *whole = request->whole;
    struct dg_evaluation *evaluation = &comparison->whole;

    evaluation->open = true;
    evaluation->keys =
        dg_alloc(&comparison->memory, whole->n_steps + 1, sizeof(*evaluation->keys));
    comparison->part_inputs =
        dg_alloc(&comparison->memory, comparison->schedule->n_inputs + 1,
                 sizeof(*comparison->part_inputs));
    comparison->part_input_of = dg_alloc(&comparison->memory, whole->n_slots + 1,
                                         sizeof(*comparison->part_input_of));
    for (size_t i = 0; i < comparison->schedule->n_inputs; i++)
        comparison->part_input_of[comparison->schedule->inputs[i].slot] = i + 1;
    return dg_machine_open(&evaluation->machine, whole, NULL, DG_PRECISION_EXACT_SUMS,
                           request->n_threads, err);
}

static void take(struct dg_comparison *comparison, uint32_t slot)
{
    size_t input = comparison->part_input_of[slot];
    struct dg_arg value;

    if (!input)
        return;
    dg_evaluation_read(&comparison->whole, slot, &value);
    dg_keep_copy(&value);
    dg_arg_drop(&comparison->part_inputs[input - 1]);
    comparison->part_inputs[input - 1] = value;
}

enum dg_status dg_part_inputs(struct dg_comparison *comparison,
                              const struct dg_arg *inputs, struct dg_error *err)
{
    struct dg_evaluation *evaluation = &comparison->whole;
    const struct dg_schedule *whole = evaluation->machine.schedule;
    uint32_t i = 0;
    enum dg_status status = dg_evaluation_begin(evaluation, inputs, err);

    for (size_t k = 0; !status && k < whole->n_inputs; k++) {
        if (whole->inputs[k].slot != DG_IO_LITERAL)
            take(comparison, whole->inputs[k].slot);
    }
    while (!status && i < whole->n_steps) {
        const struct dg_step *step = &whole->steps[i];

        status = dg_evaluation_step(evaluation, i, &i, err);
        for (size_t k = 0; !status && k < step->n_results; k++)
            take(comparison, step->results[k]);
    }
    return status ? status : dg_machine_finish(&evaluation->machine, err);
}

void dg_part_close(struct dg_comparison *comparison)
{
    for (size_t i = 0; comparison->part_inputs && i < comparison->schedule->n_inputs;
         i++)
        dg_arg_drop(&comparison->part_inputs[i]);
}
