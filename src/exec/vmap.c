/* torch.vmap: a value of a level has a batch in front, and a step that reads one runs
 * once for each place of it. */
#include <stdlib.h>
#include <string.h>

#include "exec/control_parts.h"
#include "kernels/cpu/line.h"

enum { RUNS_MOST = 1 << 20 }; /* of steps under vmap, in one call */

/* A step under vmap, and the slots that it reads which have a batch. */
struct batched {
    struct dg_machine *machine;
    struct dg_call_frame *frame;
    uint32_t i;
    uint32_t *slots;
    size_t n_slots;
    struct dg_error *err;
};

static void note_slot(void *data, uint32_t slot)
{
    struct batched *batched = data;

    for (size_t i = 0; i < batched->n_slots; i++) {
        if (batched->slots[i] == slot)
            return;
    }
    if (batched->frame->schedule->slots[slot].levels)
        *DG_APPEND(batched->slots, batched->n_slots) = slot;
}

/* *size: of the first dimension of tensors in `value`; -1: there are none so far. */
static enum dg_status batch_size(struct batched *batched, const struct dg_arg *value,
                                 int64_t *size)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0;
         !status && value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++)
        status = batch_size(batched, &value->as.list.items[i], size);
    if (status || value->kind != DG_ARG_TENSOR)
        return status;
    if (value->as.tensor->rank < 1)
        return dg_fail(batched->err, DG_ERR_FORMAT, "a batch without a dimension");
    if (*size >= 0 && value->as.tensor->sizes[0] != *size)
        return dg_fail(batched->err, DG_ERR_FORMAT, "batches of %lld and %lld together",
                       (long long)*size, (long long)value->as.tensor->sizes[0]);
    *size = value->as.tensor->sizes[0];
    return DG_OK;
}

static struct dg_tensor *place_in(const struct dg_tensor *batch, int64_t k)
{
    return dg_tensor_view(batch, batch->rank - 1, batch->sizes + 1, batch->strides + 1,
                          batch->offset + k * batch->strides[0]);
}

/* What `value` has at place `k` of its batch; its own share. */
static struct dg_arg at_place(const struct dg_arg *value, int64_t k)
{
    struct dg_arg result;

    if (value->kind == DG_ARG_TENSOR)
        return (struct dg_arg){DG_ARG_TENSOR,
                               {.tensor = place_in(value->as.tensor, k)}};
    dg_arg_set(&result, value);
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        dg_arg_drop(&result.as.list.items[i]);
        result.as.list.items[i] = at_place(&value->as.list.items[i], k);
    }
    return result;
}

static enum dg_status once(struct batched *batched, struct dg_arg *result)
{
    const struct dg_step *step = &batched->frame->schedule->steps[batched->i];
    struct dg_arg *given =
        step->n_results ? &batched->frame->slots[step->results[0]] : NULL;
    enum dg_status status;

    if (batched->machine->batched_runs++ >= RUNS_MOST)
        return dg_fail(batched->err, DG_ERR_DEVICE,
                       "steps under vmap that would run more than %d times", RUNS_MOST);
    status = dg_step_run(batched->machine, batched->frame, batched->i, batched->err);
    dg_arena_clear(&batched->frame->scratch);
    *result = (struct dg_arg){0};
    if (given) {
        *result = *given;
        *given = (struct dg_arg){0};
    }
    return status;
}

/* Values that slots hold in turn, while places of them stand in their stead. */
struct held {
    struct dg_arg *values; /* by place in batched->slots; NONE: none of this level */
    int64_t size;
};

static enum dg_status hold(struct batched *batched, struct held *held, uint32_t level)
{
    enum dg_status status = DG_OK;

    held->size = -1;
    held->values = calloc(batched->n_slots + 1, sizeof(*held->values));
    if (!held->values)
        dg_out_of_memory();
    for (size_t i = 0; !status && i < batched->n_slots; i++) {
        uint32_t slot = batched->slots[i];

        if (!(batched->frame->schedule->slots[slot].levels & level))
            continue;
        dg_arg_set(&held->values[i], &batched->frame->slots[slot]);
        status = batch_size(batched, &held->values[i], &held->size);
    }
    return status;
}

static void show(struct batched *batched, struct held *held, int64_t k)
{
    for (size_t i = 0; i < batched->n_slots; i++) {
        if (held->values[i].kind)
            dg_slot_take(batched->frame, batched->slots[i],
                         at_place(&held->values[i], k));
    }
}

/* What nobody knows any more at one place is not known at any. */
static void note_unknown(struct batched *batched, struct held *held)
{
    for (size_t i = 0; i < batched->n_slots; i++) {
        const struct dg_arg *unknown =
            held->values[i].kind
                ? dg_unknown_in(&batched->frame->slots[batched->slots[i]])
                : NULL;

        if (unknown) {
            struct dg_arg value = *unknown;

            dg_arg_drop(&held->values[i]);
            held->values[i] = value;
        }
    }
}

static void put_back(struct batched *batched, struct held *held)
{
    for (size_t i = 0; i < batched->n_slots; i++) {
        if (held->values[i].kind)
            dg_slot_take(batched->frame, batched->slots[i], held->values[i]);
    }
    free(held->values);
}

static enum dg_status run_levels(struct batched *batched, uint32_t levels,
                                 struct dg_arg *result);

/* Nobody has a batch of this level: as no value is known that should. */
static enum dg_status without_batch(struct batched *batched, const struct held *held,
                                    uint32_t levels, struct dg_arg *result)
{
    for (size_t i = 0; i < batched->n_slots; i++) {
        if (dg_unknown_in(&held->values[i]))
            return run_levels(batched, levels, result);
    }
    return dg_fail(batched->err, DG_ERR_DEVICE, "numbers that differ within a batch");
}

/* Once, for the shapes of its results. What cannot run on zeros says nothing of the
 * program. */
static enum dg_status run_nothing(struct batched *batched, const struct held *held,
                                  uint32_t levels, struct dg_arg *result)
{
    struct dg_arg place = {0};
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < batched->n_slots; i++) {
        if (!held->values[i].kind)
            continue;
        status = dg_place_of_nothing(batched->machine, &held->values[i], &place,
                                     batched->err);
        if (!status)
            dg_slot_take(batched->frame, batched->slots[i], place);
    }
    if (!status)
        status = run_levels(batched, levels, &place);
    if (!status) {
        status = dg_batch_of_nothing(batched->machine, &place, result, batched->err);
        dg_arg_drop(&place);
    }
    if (status) {
        struct dg_error told = *batched->err;

        status =
            dg_fail(batched->err, DG_ERR_DEVICE, "a batch of nothing: %s", told.text);
    }
    return status;
}

/* The step at all places of the outermost level, and in each of them of the others. */
static enum dg_status run_levels(struct batched *batched, uint32_t levels,
                                 struct dg_arg *result)
{
    uint32_t level = levels & (~levels + 1);
    struct dg_arg *places = NULL;
    size_t n = 0;
    struct held held;
    enum dg_status status;

    *result = (struct dg_arg){0};
    if (!levels)
        return once(batched, result);
    status = hold(batched, &held, level);
    if (!status && held.size < 0)
        status = without_batch(batched, &held, levels & ~level, result);
    else if (!status && !held.size)
        status = run_nothing(batched, &held, levels & ~level, result);
    for (int64_t k = 0; !status && k < held.size; k++) {
        show(batched, &held, k);
        status = run_levels(batched, levels & ~level, DG_APPEND(places, n));
        note_unknown(batched, &held);
    }
    put_back(batched, &held);
    if (!status && n)
        status = dg_join_places(batched->machine, result, places, n, batched->err);
    for (size_t k = 0; k < n; k++)
        dg_arg_drop(&places[k]);
    free(places);
    return status;
}

/* What is written in place may have another shape now: squeeze_() */
static void give(struct batched *batched, struct dg_arg result)
{
    const struct dg_step *step = &batched->frame->schedule->steps[batched->i];
    struct dg_arg self;

    if (step->variant == DG_VARIANT_IN_PLACE && step->args[0].kind == DG_OPERAND_SLOT) {
        dg_arg_set(&self, &result);
        dg_slot_take(batched->frame, step->args[0].slot, self);
    }
    if (step->n_results)
        dg_slot_take(batched->frame, step->results[0], result);
    else
        dg_arg_drop(&result);
}

/* It may have written at some places, and not at others. */
static void give_up(struct batched *batched)
{
    struct dg_machine *machine = batched->machine;
    const char *why = dg_format(&machine->memory, "%s", batched->err->text).data;
    struct dg_arg unknown = {DG_ARG_UNKNOWN, {.integer = batched->i}};

    *batched->err = (struct dg_error){0};
    for (size_t i = 0; dg_step_changes(&batched->frame->schedule->steps[batched->i]) &&
                       i < batched->n_slots;
         i++) {
        const struct dg_arg *value = &batched->frame->slots[batched->slots[i]];

        if (value->kind == DG_ARG_TENSOR)
            dg_poison(batched->frame, value->as.tensor, unknown);
    }
    dg_step_unknown(machine, batched->frame, batched->i, batched->i, why);
}

enum dg_status dg_batched_step(struct dg_machine *machine, struct dg_call_frame *frame,
                               uint32_t i, struct dg_error *err)
{
    const struct dg_step *step = &frame->schedule->steps[i];
    struct batched batched = {machine, frame, i, NULL, 0, err};
    struct dg_arg result;
    enum dg_status status;

    dg_step_reads(step, note_slot, &batched);
    status = run_levels(&batched, step->levels, &result);
    if (status == DG_ERR_DEVICE) {
        give_up(&batched);
        status = DG_OK;
    } else if (!status) {
        give(&batched, result);
    }
    free(batched.slots);
    return status;
}
