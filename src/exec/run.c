/* Running a program, call by call, in all legs. */
#include "exec/run.h"

#include <stdlib.h>
#include <string.h>

#include "exec/run_parts.h"

const char *const dg_verdict_names[] = {"pass", "fail", "skip"};
const char *const dg_tolerance_names[] = {
    "exact",     "rounded",     "function",  "power", "order",  "quantize",
    "reduction", "contraction", "attention", "scan",  "random",
};

bool dg_is_user_output(const struct dg_port *output)
{
    return !output->spec || !strcmp(output->spec, "user_output");
}

static enum dg_status open_leg(struct dg_trial *trial, int which,
                               enum dg_precision precision, struct dg_error *err)
{
    const struct dg_numeric_request *request = trial->request;
    struct dg_leg *leg = &trial->legs[which];
    bool tested = which == DG_LEG_TESTED;
    const struct dg_plan *plan = !tested            ? trial->plan
                                 : request->against ? request->against
                                                    : request->plan;
    enum dg_status status =
        dg_machine_open(&leg->machine, plan, tested ? request->device : NULL, precision,
                        request->n_threads, err);

    leg->open = true;
    leg->machine.context.tf32 = request->tf32;
    leg->keys = dg_alloc(&trial->memory, plan->n_steps + 1, sizeof(*leg->keys));
    return status;
}

static bool is_host(const struct dg_device *device)
{
    return !device || device == &dg_host || !strcmp(device->name, "cpu");
}

static enum dg_status open_legs(struct dg_trial *trial, struct dg_error *err)
{
    const struct dg_numeric_request *request = trial->request;
    bool separate =
        request->against || !is_host(request->device) || request->plan->is_pte;
    enum dg_status status =
        open_leg(trial, DG_LEG_REFERENCE, DG_PRECISION_EXACT_SUMS, err);

    if (!status)
        status = open_leg(trial, DG_LEG_WIDE, DG_PRECISION_WIDE, err);
    if (!status)
        status = open_leg(trial, DG_LEG_OWN_SUMS, DG_PRECISION_OWN_SUMS, err);
    if (!status && separate)
        status = open_leg(trial, DG_LEG_TESTED, DG_PRECISION_EXACT_SUMS, err);
    trial->tested = &trial->legs[separate ? DG_LEG_TESTED : DG_LEG_REFERENCE];
    if (!status && request->against)
        status = dg_match(&trial->matching, request->plan, request->against,
                          &trial->memory, err);
    if (!status && request->whole)
        status = dg_part_open(trial, err);
    return status;
}

static enum dg_status trial_open(struct dg_trial *trial,
                                 const struct dg_numeric_request *request,
                                 struct dg_numeric_answer *answer, struct dg_error *err)
{
    const struct dg_plan *plan = request->plan;

    *trial = (struct dg_trial){.request = request,
                               .answer = answer,
                               .plan = plan,
                               .alone = !request->against && is_host(request->device),
                               .damaged = dg_host_memory.damaged};
    if (plan->is_pte) {
        dg_plan_apart(&trial->apart, plan);
        trial->plan = plan = &trial->apart;
    }
    trial->own_cones = dg_cones_new(plan, &trial->memory);
    trial->cones = dg_alloc(&trial->memory, plan->n_slots + 1, sizeof(*trial->cones));
    memcpy(trial->cones, trial->own_cones, plan->n_slots * sizeof(*trial->cones));
    trial->ordered_by =
        dg_alloc(&trial->memory, plan->n_slots + 1, sizeof(*trial->ordered_by));
    trial->made_by =
        dg_alloc(&trial->memory, plan->n_slots + 1, sizeof(*trial->made_by));
    trial->captured =
        dg_alloc(&trial->memory, plan->n_steps + 1, sizeof(*trial->captured));
    return open_legs(trial, err);
}

static void leg_close(struct dg_leg *leg)
{
    if (!leg->open)
        return;
    for (size_t i = 0; leg->keys && i < leg->machine.plan->n_steps; i++)
        dg_tensor_drop(leg->keys[i]);
    dg_machine_close(&leg->machine);
}

static void trial_close(struct dg_trial *trial)
{
    for (int which = 0; which < DG_LEGS; which++)
        leg_close(&trial->legs[which]);
    leg_close(&trial->whole);
    dg_part_close(trial);
    dg_cone_step_clear(&trial->before);
    for (size_t i = 0; trial->captured && i < trial->plan->n_steps; i++)
        dg_arg_drop(&trial->captured[i]);
    for (size_t i = 0; trial->kept_outputs && i < trial->plan->n_outputs; i++)
        dg_arg_drop(&trial->kept_outputs[i]);
    dg_plan_clear(&trial->apart);
    dg_arena_clear(&trial->memory);
}

/* What stands behind buffers stays from call to call; slots know nothing else. */
static void forget(struct dg_trial *trial)
{
    const struct dg_plan *plan = trial->plan;

    for (size_t i = 0; i < plan->n_outputs; i++) {
        const struct dg_port *port = &plan->outputs[i];

        if (port->slot != DG_PORT_LITERAL && port->written_to != DG_PORT_LITERAL)
            *trial->own_cones[port->written_to] = *trial->cones[port->slot];
    }
    memcpy(trial->cones, trial->own_cones, plan->n_slots * sizeof(*trial->cones));
    for (size_t slot = 0; slot < plan->n_slots; slot++) {
        if (plan->slots[slot].kind != DG_SLOT_BUFFER)
            *trial->cones[slot] = (struct dg_cone){0};
        trial->ordered_by[slot] = trial->made_by[slot] = DG_NO_STEP;
    }
}

/* Inputs of this program in the order of another one's signature. */
static struct dg_arg *inputs_for(struct dg_trial *trial, const struct dg_inputs *inputs)
{
    const struct dg_plan *other = trial->request->against;
    struct dg_arg *values =
        dg_alloc(&trial->memory, other->n_inputs + 1, sizeof(*values));

    for (size_t i = 0; i < other->n_inputs; i++) {
        if (trial->matching.inputs[i] < inputs->n_values)
            values[i] = inputs->values[trial->matching.inputs[i]];
    }
    return values; /* borrowed: `inputs` holds the tensors */
}

static enum dg_status begin_legs(struct dg_trial *trial,
                                 const struct dg_numeric_call *call,
                                 struct dg_error *err)
{
    const struct dg_arg *inputs = call->inputs->values;
    enum dg_status status = DG_OK;

    forget(trial);
    if (trial->request->whole) {
        status = dg_part_inputs(trial, inputs, err);
        inputs = trial->part_inputs;
    }
    for (int which = 0; which < DG_LEGS && !status; which++) {
        struct dg_leg *leg = &trial->legs[which];
        const struct dg_arg *values = inputs;

        if (which == DG_LEG_TESTED && trial->request->against)
            values = inputs_for(trial, call->inputs);
        if (leg->open)
            status = dg_leg_begin(leg, values, err);
        if (which == DG_LEG_TESTED)
            status = dg_trial_name(trial, status, err);
    }
    return status;
}

enum dg_status dg_trial_name(const struct dg_trial *trial, enum dg_status status,
                             struct dg_error *err)
{
    struct dg_error inner = *err;

    return status && trial->request->against
               ? dg_fail(err, status, "%.200s: %s", trial->request->against_path,
                         inner.text)
               : status;
}

static enum dg_status run_reference(struct dg_trial *trial, struct dg_error *err)
{
    uint32_t i = 0;
    enum dg_status status = DG_OK;

    while (!status && i < trial->plan->n_steps)
        status = dg_trial_step(trial, i, &i, err);
    return status ? status
                  : dg_machine_finish(&trial->legs[DG_LEG_REFERENCE].machine, err);
}

/* One leg behind the other, each with the memory that it needs alone. A leg beside the
 * reference that fails is lost: in f64 an index may lie elsewhere. */
static enum dg_status run_whole(struct dg_trial *trial, struct dg_error *err)
{
    enum dg_status status = run_reference(trial, err);

    for (int which = DG_LEG_WIDE; which <= DG_LEG_OWN_SUMS && !status; which++) {
        struct dg_error lost = {0};
        struct dg_leg *leg = &trial->legs[which];

        leg->lost = dg_leg_run(leg, &lost) != DG_OK;
    }
    if (!status && trial->legs[DG_LEG_TESTED].open)
        status =
            dg_trial_name(trial, dg_leg_run(&trial->legs[DG_LEG_TESTED], err), err);
    return status;
}

static enum dg_status run_call(struct dg_trial *trial,
                               const struct dg_numeric_call *call, struct dg_error *err)
{
    struct dg_numeric_answer *answer = trial->answer;
    const struct dg_numeric_request *request = trial->request;
    size_t first = answer->n_results;
    enum dg_status status = begin_legs(trial, call, err);

    answer->n_steps = 0;
    if (!status)
        status = request->each || request->isolate || request->bisect
                     ? dg_trial_lockstep(trial, call, err)
                     : run_whole(trial, err);
    if (!status && !trial->only_steps)
        status = dg_trial_outputs(trial, call, err);
    if (!status && request->bisect && answer->culprit == SIZE_MAX &&
        !answer->n_suspects && !trial->only_steps && trial->plan->n_outputs)
        dg_trial_suspects_of_outputs(trial, first);
    dg_trial_not_compared(trial);
    return status;
}

/* Once more on machines of their own, for buffers carry over. */
static enum dg_status repeat(struct dg_trial *first,
                             const struct dg_numeric_call *calls, size_t n_calls,
                             struct dg_error *err)
{
    const struct dg_leg *tested = first->tested;
    struct dg_numeric_answer *answer = first->answer;
    struct dg_leg leg = {.open = true};
    enum dg_status status =
        dg_machine_open(&leg.machine, tested->machine.plan, tested->machine.device,
                        DG_PRECISION_EXACT_SUMS, first->request->n_threads, err);

    leg.machine.context.tf32 = first->request->tf32;
    leg.keys =
        dg_alloc(&first->memory, tested->machine.plan->n_steps + 1, sizeof(*leg.keys));
    for (size_t i = 0; i < n_calls && !status; i++) {
        const struct dg_arg *values = calls[i].inputs->values;

        if (first->request->against)
            values = inputs_for(first, calls[i].inputs);
        else if (first->request->whole)
            values = first->part_inputs;
        status = dg_leg_begin(&leg, values, err);
        if (!status)
            status = dg_leg_run(&leg, err);
    }
    for (size_t i = 0; i < answer->n_outputs && !status; i++) {
        struct dg_arg value = {0};
        size_t output = first->request->against ? first->matching.outputs[i] : i;

        if (output != SIZE_MAX)
            status = dg_machine_output(&leg.machine, output, &value, err);
        answer->repeats_equal =
            answer->repeats_equal && dg_same_bits(&value, &answer->outputs[i]);
        dg_arg_drop(&value);
    }
    leg_close(&leg);
    return status;
}

static enum dg_status run_calls(struct dg_numeric_answer *answer,
                                const struct dg_numeric_request *request,
                                const struct dg_numeric_call *calls, size_t n_calls,
                                bool only_steps, struct dg_error *err)
{
    struct dg_trial trial;
    enum dg_status status = trial_open(&trial, request, answer, err);

    trial.only_steps = only_steps;
    for (size_t i = 0; i < n_calls && !status; i++) {
        status = run_call(&trial, &calls[i], err);
        if (!status && !only_steps)
            answer->first_of_call[++answer->n_calls] = answer->n_results;
        if (answer->culprit != SIZE_MAX)
            break;
    }
    for (int64_t i = 1; i < request->n_repeats && !status && !only_steps; i++)
        status = repeat(&trial, calls, n_calls, err);
    answer->seconds = trial.tested ? trial.tested->seconds : 0;
    answer->fallbacks = trial.tested ? trial.tested->machine.fallbacks : 0;
    answer->peak_bytes = dg_host_memory.peak;
    trial_close(&trial);
    return status;
}

/* Two files of outputs, by the program's policy. */
static enum dg_status compare_files(struct dg_numeric_answer *answer,
                                    const struct dg_numeric_request *request,
                                    const struct dg_numeric_call *calls, size_t n_calls,
                                    struct dg_error *err)
{
    const struct dg_plan *plan = request->plan;
    struct dg_trial trial = {.request = request, .answer = answer, .plan = plan};
    struct dg_cone *cones = dg_alloc(&trial.memory, plan->n_slots + 1, sizeof(*cones));
    enum dg_status status = DG_OK;

    dg_cones_of_plan(cones, plan);
    for (size_t i = 0; i < n_calls && !status; i++) {
        status = dg_trial_actual(&trial, &calls[i], cones, err);
        answer->first_of_call[++answer->n_calls] = answer->n_results;
    }
    dg_arena_clear(&trial.memory);
    return status;
}

/* Steps that are fed give no outputs of the program: those come from a run of its own.
 */
enum dg_status dg_numeric_run(struct dg_numeric_answer *answer,
                              const struct dg_numeric_request *request,
                              const struct dg_numeric_call *calls, size_t n_calls,
                              struct dg_error *err)
{
    struct dg_numeric_request whole = *request;
    enum dg_status status = DG_OK;

    *answer = (struct dg_numeric_answer){.repeats_equal = true, .culprit = SIZE_MAX};
    answer->first_of_call =
        dg_alloc(&answer->memory, n_calls + 1, sizeof(*answer->first_of_call));
    if (n_calls && calls->actual)
        return compare_files(answer, request, calls, n_calls, err);
    whole.each = whole.isolate = whole.bisect = false;
    if (request->isolate)
        status = run_calls(answer, &whole, calls, n_calls, false, err);
    return status ? status
                  : run_calls(answer, request, calls, n_calls, request->isolate, err);
}

void dg_numeric_clear(struct dg_numeric_answer *answer)
{
    for (size_t i = 0; i < answer->n_outputs; i++)
        dg_arg_drop(&answer->outputs[i]);
    free(answer->results);
    free(answer->steps);
    free(answer->not_compared);
    dg_arena_clear(&answer->memory);
    *answer = (struct dg_numeric_answer){.culprit = SIZE_MAX};
}
