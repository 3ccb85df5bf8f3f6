/* Whether a part of a program, fed with what another has there, gives something else.
 */
#include "exec/reduce_parts.h"

bool dg_reducing_has_inside(const struct dg_reducing *reducing, uint32_t slot)
{
    uint32_t maker = reducing->maker[slot];

    return maker != DG_NO_STEP && reducing->repro->chosen[maker];
}

static bool is_value(const struct dg_arg *value)
{
    return value->kind == DG_ARG_TENSOR || value->kind == DG_ARG_INT ||
           value->kind == DG_ARG_FLOAT || value->kind == DG_ARG_BOOL;
}

/* What the tested one has in a slot; what neither computes, both have. NULL: nothing is
 * known of it. */
const struct dg_arg *dg_reducing_value(const struct dg_reducing *reducing,
                                       uint32_t slot)
{
    if (is_value(&reducing->tested[slot]))
        return &reducing->tested[slot];
    return is_value(&reducing->own[slot]) && reducing->maker[slot] == DG_NO_STEP
               ? &reducing->own[slot]
               : NULL;
}

/* The part's outputs are what the tested one has of the culprit. */
static void set_outputs(struct dg_reducing *reducing, struct dg_value_set *wrong)
{
    struct dg_schedule *part = &reducing->repro->part;
    struct dg_arena *memory = &reducing->repro->memory;

    part->outputs = dg_alloc(&part->memory, reducing->schedule->n_slots + 1,
                             sizeof(*part->outputs));
    part->n_outputs = 0;
    for (uint32_t slot = 0; slot < part->n_slots; slot++) {
        const struct dg_arg *value = &reducing->tested[slot];

        if (!reducing->wanted[slot] || !dg_reducing_has_inside(reducing, slot) ||
            !is_value(value))
            continue;
        part->outputs[part->n_outputs] = (struct dg_io){.slot = slot,
                                                        .name = part->slots[slot].name,
                                                        .kind = "tensor",
                                                        .spec = "user_output",
                                                        .written_to = DG_IO_LITERAL};
        *DG_APPEND(wrong->values, wrong->n_values) = (struct dg_named_value){
            .name = dg_format(memory, "out%zu", part->n_outputs++).data, .named = true};
        dg_arg_set(&wrong->values[wrong->n_values - 1].value, value);
    }
    dg_schedule_releases(part);
}

static void set_inputs(struct dg_reducing *reducing, struct dg_inputs *inputs)
{
    struct dg_repro *repro = reducing->repro;
    const struct dg_schedule *part = &repro->part;

    inputs->n_values = part->n_inputs;
    inputs->values =
        dg_alloc(&inputs->memory, part->n_inputs + 1, sizeof(*inputs->values));
    for (size_t i = 0; i < part->n_inputs; i++) {
        const struct dg_arg *value = dg_reducing_value(reducing, part->inputs[i].slot);

        if (!value)
            continue;
        dg_arg_set(&inputs->values[i], value);
        *DG_APPEND(repro->inputs.values, repro->inputs.n_values) =
            (struct dg_named_value){.name = part->inputs[i].name, .named = true};
        dg_arg_set(&repro->inputs.values[repro->inputs.n_values - 1].value, value);
    }
}

/* Buffers begin as they are when the part reads them. */
static void set_buffers(struct dg_reducing *reducing)
{
    struct dg_schedule *part = &reducing->repro->part;

    for (uint32_t slot = 0; slot < part->n_slots; slot++) {
        const struct dg_arg *state = &reducing->own[slot];

        if (part->slots[slot].kind != DG_SLOT_BUFFER || state->kind != DG_ARG_TENSOR)
            continue;
        dg_arg_drop(&part->slots[slot].initial);
        dg_arg_set(&part->slots[slot].initial, state);
    }
}

void dg_repro_clear_part(struct dg_repro *repro)
{
    dg_schedule_clear(&repro->part);
    dg_value_set_clear(&repro->inputs);
    dg_value_set_clear(&repro->wrong);
}

/* Whether the chosen steps, fed with what the tested one has, give something else than
 * it: make the part, and judge. */
enum dg_status dg_reducing_try(struct dg_reducing *reducing, bool *fails)
{
    struct dg_repro *repro = reducing->repro;
    struct dg_numeric_request request = {.store = reducing->request->store,
                                         .schedule = &repro->part,
                                         .n_threads = reducing->request->n_threads,
                                         .seed = -1,
                                         .given = reducing->request->given};
    struct dg_inputs inputs = {0};
    struct dg_numeric_answer answer;
    enum dg_status status;

    dg_repro_clear_part(repro);
    status = dg_schedule_part(&repro->part, reducing->schedule, repro->chosen,
                              reducing->err);
    if (status)
        return status;
    set_buffers(reducing);
    set_inputs(reducing, &inputs);
    set_outputs(reducing, &repro->wrong);
    status = dg_numeric_run(
        &answer, &request,
        &(struct dg_numeric_call){.inputs = &inputs, .expected = &repro->wrong}, 1,
        reducing->err);
    if (status == DG_ERR_FORMAT || status == DG_ERR_DEVICE) {
        *reducing->err = (struct dg_error){0}; /* such inputs show nothing */
        dg_numeric_clear(&answer);
        dg_inputs_clear(&inputs);
        *fails = false;
        return DG_OK;
    }
    *fails = !status && answer.counts[DG_VERDICT_FAIL] > 0;
    for (size_t i = 0; i < answer.n_results && *fails; i++) {
        if (answer.results[i].judgement.verdict == DG_VERDICT_FAIL)
            repro->judgement = answer.results[i].judgement;
    }
    dg_numeric_clear(&answer);
    dg_inputs_clear(&inputs);
    return status;
}
