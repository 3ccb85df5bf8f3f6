/* Steps of a schedule: who runs them, what follows them, what their failures say. */
#include "exec/machine_parts.h"

enum dg_status dg_step_fail(const struct dg_step *step, enum dg_status status,
                            struct dg_error *err)
{
    struct dg_error inner = *err;

    return dg_fail(err, status, step->op ? "node %s (%s): %s" : "node %s%s: %s",
                   step->name, step->op ? step->op : "", inner.text);
}

void dg_step_unknown(struct dg_machine *machine, struct dg_call_frame *frame,
                     uint32_t i, int64_t origin, const char *why)
{
    const struct dg_step *step = &frame->schedule->steps[i];
    bool own = origin < 0 || origin == i;

    if (origin < 0) {
        why = machine->why ? machine->why : "an input of a type that does not run here";
        origin = i;
    }
    if (own && !why)
        why = "what it left behind in an earlier call is not known";
    for (size_t k = 0; k < step->n_results; k++) {
        struct dg_arg unknown = {DG_ARG_UNKNOWN, {.integer = origin}};

        if (frame->schedule->is_pte)
            dg_pte_forget(machine, frame, step->results[k], unknown);
        else
            dg_slot_take(frame, step->results[k], unknown);
    }
    if (!machine->why && own)
        machine->why = why;
    if (frame != &machine->frames[0] || frame->reported[i])
        return;
    frame->reported[i] = true;
    if (!own)
        why = dg_format(&machine->memory, "rests on %s",
                        (size_t)origin < frame->schedule->n_steps
                            ? frame->schedule->steps[origin].name
                            : "what is not known")
                  .data;
    machine->unknowns[machine->n_unknowns++] =
        (struct dg_unknown){i, (uint32_t)origin, why};
}

static enum dg_status move(struct dg_machine *machine, struct dg_call_frame *frame,
                           const struct dg_step *step, struct dg_error *err)
{
    struct dg_arg value, owned;
    enum dg_status status =
        dg_operand_value(machine, frame, &step->args[0], &value, err);

    if (status)
        return status;
    dg_arg_set(&owned, &value);
    dg_slot_take(frame, step->results[0], owned);
    return DG_OK;
}

/* Item args[1] of the list args[0]; of a value that is no list, it is the only one. */
static enum dg_status item(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t i, struct dg_error *err)
{
    const struct dg_step *step = &frame->schedule->steps[i];
    struct dg_arg list, index, owned;
    enum dg_status status =
        dg_operand_value(machine, frame, &step->args[0], &list, err);
    const struct dg_arg *found = &list;

    if (!status)
        status = dg_operand_value(machine, frame, &step->args[1], &index, err);
    if (status)
        return status;
    if (list.kind == DG_ARG_LIST) {
        if (index.kind != DG_ARG_INT || index.as.integer < 0 ||
            (uint64_t)index.as.integer >= list.as.list.n_items)
            return dg_fail(err, DG_ERR_FORMAT, "item %lld of a list of %zu",
                           (long long)index.as.integer, list.as.list.n_items);
        found = &list.as.list.items[index.as.integer];
    }
    if (found->kind == DG_ARG_UNKNOWN) {
        dg_step_unknown(machine, frame, i, found->as.integer, NULL);
        return DG_OK;
    }
    dg_arg_set(&owned, found);
    dg_slot_take(frame, step->results[0], owned);
    return DG_OK;
}

enum dg_status dg_count_turn(struct dg_machine *machine, struct dg_error *err)
{
    enum { TURNS_MOST = 200 * 1000 };

    return machine->turns++ < TURNS_MOST
               ? DG_OK
               : dg_fail(err, DG_ERR_FORMAT, "loops that do not end within %d turns",
                         TURNS_MOST);
}

/* Which way to go is not known: so is all that is computed. */
static void give_up(struct dg_call_frame *frame, struct dg_arg unknown)
{
    for (uint32_t i = 0; i < frame->schedule->n_slots; i++) {
        if (frame->schedule->slots[i].kind == DG_SLOT_COMPUTED)
            dg_slot_take(frame, i, unknown);
    }
}

static enum dg_status jump(struct dg_machine *machine, struct dg_call_frame *frame,
                           const struct dg_step *step, uint32_t *next,
                           struct dg_error *err)
{
    struct dg_arg value;
    bool truth = true;
    enum dg_status status =
        dg_operand_value(machine, frame, &step->args[0], &value, err);

    if (!status && value.kind == DG_ARG_UNKNOWN) {
        give_up(frame, value);
        *next = (uint32_t)frame->schedule->n_steps;
        return DG_OK;
    }
    if (!status)
        status = dg_truth(machine, &value, &truth, err);
    if (status || truth)
        return status;
    if (step->jump < *next)
        status = dg_count_turn(machine, err);
    *next = step->jump;
    return status;
}

static enum dg_status run_step(struct dg_machine *machine, struct dg_call_frame *frame,
                               uint32_t i, uint32_t *next, struct dg_error *err)
{
    const struct dg_step *step = &frame->schedule->steps[i];

    switch (step->kind) {
    case DG_STEP_CALL:
    case DG_STEP_OPAQUE:
        return dg_call_step(machine, frame, i, err);
    case DG_STEP_MOVE:
        return move(machine, frame, step, err);
    case DG_STEP_ITEM:
        return item(machine, frame, i, err);
    case DG_STEP_JUMP_FALSE:
        return jump(machine, frame, step, next, err);
    case DG_STEP_FREE:
        dg_pte_free(machine, frame, step->results[0]);
        return DG_OK;
    case DG_STEP_BATCH:
    case DG_STEP_UNBATCH:
        return dg_batch_step(machine, frame, i, err);
    case DG_STEP_NOTHING:
        return DG_OK;
    default:
        return dg_control_step(machine, frame, i, err);
    }
}

enum dg_status dg_step_run(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t i, struct dg_error *err)
{
    uint32_t next;

    return run_step(machine, frame, i, &next, err);
}

enum dg_status dg_frame_step(struct dg_machine *machine, struct dg_call_frame *frame,
                             uint32_t i, uint32_t *next, struct dg_error *err)
{
    const struct dg_step *step = &frame->schedule->steps[i];
    uint64_t damaged = dg_host_memory.damaged;
    enum dg_status status;

    *next = i + 1;
    status = step->shown_only && !machine->shows ? DG_OK
             : step->levels ? dg_batched_step(machine, frame, i, err)
                            : run_step(machine, frame, i, next, err);
    for (size_t k = 0; k < step->n_releases; k++)
        dg_slot_release(machine, frame, step->releases[k]);
    if (!status && dg_host_memory.damaged != damaged)
        status = dg_fail(err, DG_ERR_IO,
                         "internal error: memory that ends here was overwritten");
    dg_arena_clear(&frame->scratch);
    return status ? dg_step_fail(step, status, err) : DG_OK;
}
