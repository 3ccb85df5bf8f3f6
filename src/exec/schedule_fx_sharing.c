/* What steps of a .pt2 write into, also through views of it: stored values that share
 * memory with that keep it from call to call. */
#include "exec/schedule_fx.h"

#include <stdlib.h>

/* Slots that may share memory, as trees: of[i] leads towards the root. */
struct sharing {
    struct dg_schedule *schedule;
    uint32_t *of, with;
    bool *written; /* by root */
};

static uint32_t root_of(const struct sharing *sharing, uint32_t slot)
{
    while (sharing->of[slot] != slot)
        slot = sharing->of[slot] = sharing->of[sharing->of[slot]];
    return slot;
}

static void join(void *data, uint32_t slot)
{
    struct sharing *sharing = data;

    sharing->of[root_of(sharing, slot)] = root_of(sharing, sharing->with);
}

static void note_written(void *data, uint32_t slot)
{
    struct sharing *sharing = data;

    sharing->written[slot] = sharing->schedule->writes = true;
}

static bool may_alias(const struct dg_step *step)
{
    const struct dg_op *op = step->op ? dg_op_find(step->op, strlen(step->op)) : NULL;

    return step->kernel->view || step->variant == DG_VARIANT_IN_PLACE ||
           step->kernel->keeps ||
           (op && op->flags & (DG_OP_VIEW | DG_OP_MAYBE_ALIASING));
}

/* Results share memory with the first argument, if with any; those of control flow
 * with all of them. */
static void join_step(struct sharing *sharing, const struct dg_step *step)
{
    if (!step->n_results)
        return;
    sharing->with = step->results[0];
    if (step->kind != DG_STEP_CALL)
        dg_step_reads(step, join, sharing);
    else if (step->n_args && may_alias(step))
        dg_operand_reads(&step->args[0], join, sharing);
    for (size_t i = 0; i < step->n_outs; i++)
        dg_operand_reads(&step->outs[i], join, sharing);
}

static bool is_stored(const struct dg_slot *slot)
{
    return (slot->kind == DG_SLOT_CONSTANT || slot->kind == DG_SLOT_BUFFER) &&
           slot->initial.kind == DG_ARG_TENSOR;
}

/* One name of each storage: the one that reaches furthest; 0: none. */
static uint32_t *name_storages(const struct dg_schedule *schedule)
{
    uint32_t n = 0, *widest;

    for (uint32_t i = 0; i < schedule->n_slots; i++)
        n = schedule->slots[i].storage > n ? schedule->slots[i].storage : n;
    widest = calloc((size_t)n + 1, sizeof(*widest));
    if (!widest)
        dg_out_of_memory();
    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        const struct dg_slot *slot = &schedule->slots[i];
        uint32_t *other = &widest[slot->storage];

        if (slot->storage && is_stored(slot) &&
            dg_tensor_count(slot->initial.as.tensor) &&
            (!*other ||
             dg_tensor_reach(slot->initial.as.tensor) >
                 dg_tensor_reach(schedule->slots[*other - 1].initial.as.tensor)))
            *other = i + 1;
    }
    return widest;
}

static bool same_type(const struct dg_slot *a, const struct dg_slot *b)
{
    return a->initial.as.tensor->type == b->initial.as.tensor->type;
}

/* Several names of one storage are views of the one that reaches furthest. */
static void join_storages(struct sharing *sharing, const uint32_t *widest)
{
    struct dg_schedule *schedule = sharing->schedule;

    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        struct dg_slot *slot = &schedule->slots[i];
        uint32_t other = widest[slot->storage];

        if (!is_stored(slot) || !other || other == i + 1 ||
            !dg_tensor_count(slot->initial.as.tensor) ||
            !same_type(slot, &schedule->slots[other - 1]))
            continue;
        slot->within = schedule->slots[other - 1].within = other;
        sharing->with = other - 1;
        join(sharing, i);
    }
}

static void note_all(struct sharing *sharing)
{
    const struct dg_schedule *schedule = sharing->schedule;

    for (size_t i = 0; i < schedule->n_steps; i++) {
        join_step(sharing, &schedule->steps[i]);
        dg_step_writes(&schedule->steps[i], note_written, sharing);
    }
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].written_to != DG_IO_LITERAL)
            sharing->written[schedule->outputs[i].written_to] = true;
    }
}

/* A constant that is written is a buffer. */
static void keep_written(struct sharing *sharing)
{
    struct dg_schedule *schedule = sharing->schedule;

    for (uint32_t i = 0; i < schedule->n_slots; i++)
        sharing->written[root_of(sharing, i)] |= sharing->written[i];
    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        struct dg_slot *slot = &schedule->slots[i];

        slot->written = is_stored(slot) && sharing->written[root_of(sharing, i)];
        if (slot->written)
            slot->kind = DG_SLOT_BUFFER;
        else
            slot->within = 0;
    }
}

void dg_fx_keep_written(struct dg_schedule *schedule)
{
    uint32_t *widest = name_storages(schedule);
    struct sharing sharing = {schedule,
                              malloc((schedule->n_slots + 1) * sizeof(uint32_t)), 0,
                              calloc(schedule->n_slots + 1, sizeof(bool))};

    if (!sharing.of || !sharing.written)
        dg_out_of_memory();
    for (uint32_t i = 0; i < schedule->n_slots; i++)
        sharing.of[i] = i;
    join_storages(&sharing, widest);
    note_all(&sharing);
    keep_written(&sharing);
    free(sharing.of);
    free(sharing.written);
    free(widest);
}
