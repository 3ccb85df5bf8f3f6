/* Inputs of a part: what the reference run of the whole program has there. */
#include <stdlib.h>

#include "exec/run_parts.h"

enum dg_status dg_part_open(struct dg_trial *trial, struct dg_error *err)
{
    const struct dg_numeric_request *request = trial->request;
    const struct dg_plan *whole = request->whole;
    struct dg_leg *leg = &trial->whole;

    leg->open = true;
    leg->keys = dg_alloc(&trial->memory, whole->n_steps + 1, sizeof(*leg->keys));
    trial->part_inputs = dg_alloc(&trial->memory, trial->plan->n_inputs + 1,
                                  sizeof(*trial->part_inputs));
    trial->part_input_of =
        dg_alloc(&trial->memory, whole->n_slots + 1, sizeof(*trial->part_input_of));
    for (size_t i = 0; i < trial->plan->n_inputs; i++)
        trial->part_input_of[trial->plan->inputs[i].slot] = i + 1;
    return dg_machine_open(&leg->machine, whole, NULL, DG_PRECISION_EXACT_SUMS,
                           request->n_threads, err);
}

static void take(struct dg_trial *trial, uint32_t slot)
{
    size_t input = trial->part_input_of[slot];
    struct dg_arg value;

    if (!input)
        return;
    dg_leg_read(&trial->whole, slot, &value);
    dg_keep_copy(&value);
    dg_arg_drop(&trial->part_inputs[input - 1]);
    trial->part_inputs[input - 1] = value;
}

enum dg_status dg_part_inputs(struct dg_trial *trial, const struct dg_arg *inputs,
                              struct dg_error *err)
{
    struct dg_leg *leg = &trial->whole;
    const struct dg_plan *whole = leg->machine.plan;
    uint32_t i = 0;
    enum dg_status status = dg_leg_begin(leg, inputs, err);

    for (size_t k = 0; !status && k < whole->n_inputs; k++) {
        if (whole->inputs[k].slot != DG_PORT_LITERAL)
            take(trial, whole->inputs[k].slot);
    }
    while (!status && i < whole->n_steps) {
        const struct dg_step *step = &whole->steps[i];

        status = dg_leg_step(leg, i, &i, err);
        for (size_t k = 0; !status && k < step->n_results; k++)
            take(trial, step->results[k]);
    }
    return status ? status : dg_machine_finish(&leg->machine, err);
}

void dg_part_close(struct dg_trial *trial)
{
    for (size_t i = 0; trial->part_inputs && i < trial->plan->n_inputs; i++)
        dg_arg_drop(&trial->part_inputs[i]);
}
