/* Copies of views of constants, as a portable program has one for each weight that a
 * product takes turned: where nobody can tell them from the view, they are the view,
 * and no weight is copied.
 *
 * Nobody can where all who read them take any strides, where no other value lives in
 * the bytes that were planned for them: with a wrong plan the copy would harm it, and
 * where their shape is what the plan says: the copy may find no room for another. */
#include "exec/schedule_pte.h"

enum { NEVER = UINT32_MAX, WORK_MOST = 1 << 28 };

/* What the steps do to a slot. */
struct use {
    uint32_t last; /* step that reads it; NEVER: none */
    uint32_t n_writers;
    bool bound;   /* read by what may need memory of its own, or before it is written;
                     or freed, which takes nothing but a view away */
    bool state;   /* what it holds outlives a call, or begins before it */
    uint32_t met; /* of the steps behind the present one the first that uses it */
    bool met_writing;
};

struct lending {
    struct dg_schedule *schedule;
    struct use *uses; /* by slot */
    uint32_t step;
    uint64_t work;
};

static bool is_planned(const struct dg_slot *slot)
{
    return slot->arena >= 0 && slot->initial.kind == DG_ARG_TENSOR;
}

/* The slot, or what the list in it holds. */
static void each_of(struct lending *lending, uint32_t slot, dg_slot_fn *fn)
{
    const struct dg_operand *list = lending->schedule->slots[slot].list;

    if (list)
        dg_operand_reads(list, fn, lending);
    else
        fn(lending, slot);
}

static void note_read(void *data, uint32_t slot)
{
    struct lending *lending = data;
    struct use *use = &lending->uses[slot];

    use->state |= use->last == NEVER && !use->n_writers;
    use->bound |= !use->n_writers;
    use->last = lending->step;
}

static void note_bound(void *data, uint32_t slot)
{
    struct lending *lending = data;

    note_read(lending, slot);
    lending->uses[slot].bound = true;
}

static void bind(void *data, uint32_t slot)
{
    each_of(data, slot, note_bound);
}

static void note_write(void *data, uint32_t slot)
{
    ((struct lending *)data)->uses[slot].n_writers++;
}

/* Whether argument `i` may be a view of what the file has. */
static bool takes_views(const struct dg_step *step, size_t i)
{
    return step->kind == DG_STEP_CALL && !step->xnnpack &&
           step->variant == DG_VARIANT_OUT && step->args[i].kind == DG_OPERAND_SLOT &&
           dg_kernel_widens(step->kernel, i);
}

static void note_step(struct lending *lending, const struct dg_step *step)
{
    for (size_t i = 0; i < step->n_args; i++) {
        if (takes_views(step, i) && !lending->schedule->slots[step->args[i].slot].list)
            note_read(lending, step->args[i].slot);
        else
            dg_operand_reads(&step->args[i], bind, lending);
    }
    for (size_t i = 0; i < step->n_results; i++) {
        if (step->kind == DG_STEP_FREE)
            lending->uses[step->results[i]].bound = true;
        else
            each_of(lending, step->results[i], note_write);
    }
}

/* Inputs are given before the first step, buffers and outputs are read behind the last
 * one. */
static void note_uses(struct lending *lending)
{
    const struct dg_schedule *schedule = lending->schedule;

    for (size_t i = 0; i < schedule->n_slots; i++) {
        const struct dg_slot *slot = &schedule->slots[i];

        lending->uses[i].last = lending->uses[i].met = NEVER;
        lending->uses[i].n_writers = slot->kind == DG_SLOT_INPUT;
        lending->uses[i].state = slot->kind == DG_SLOT_BUFFER;
    }
    for (size_t i = 0; i < schedule->n_steps; i++) {
        lending->step = (uint32_t)i;
        note_step(lending, &schedule->steps[i]);
    }
    lending->step = (uint32_t)schedule->n_steps;
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            bind(lending, schedule->outputs[i].slot);
    }
}

static bool overlap(const struct dg_slot *a, const struct dg_slot *b)
{
    return is_planned(b) && a->arena == b->arena &&
           a->arena_offset < b->arena_offset + b->nbytes &&
           b->arena_offset < a->arena_offset + a->nbytes;
}

/* Whether no other value lives in the bytes of the slot from the present step to the
 * last one that reads it: those behind must be written before they are read. */
static bool is_alone(struct lending *lending, uint32_t slot)
{
    const struct dg_slot *slots = lending->schedule->slots;

    lending->work += lending->schedule->n_slots;
    for (uint32_t i = 0; i < lending->schedule->n_slots; i++) {
        const struct use *use = &lending->uses[i];

        if (i != slot && use->met != NEVER && overlap(&slots[slot], &slots[i]) &&
            (use->met <= lending->uses[slot].last || !use->met_writing))
            return false;
    }
    return true;
}

static bool makes_view(const struct lending *lending, const struct dg_step *step)
{
    const struct dg_slot *slots = lending->schedule->slots, *from, *to;
    const struct use *use;

    if (step->kind != DG_STEP_CALL || step->variant != DG_VARIANT_OUT ||
        step->xnnpack || !step->kernel->view || step->n_results != 1 || !step->n_args ||
        step->args[0].kind != DG_OPERAND_SLOT)
        return false;
    from = &slots[step->args[0].slot];
    to = &slots[step->results[0]];
    use = &lending->uses[step->results[0]];
    return from->kind == DG_SLOT_CONSTANT && from->initial.kind == DG_ARG_TENSOR &&
           !from->missing && to->kind == DG_SLOT_COMPUTED && to->fixed &&
           is_planned(to) &&
           to->initial.as.tensor->type == from->initial.as.tensor->type &&
           use->n_writers == 1 && !use->bound && !use->state && use->last != NEVER;
}

static void meet(struct lending *lending, uint32_t slot, bool writing)
{
    lending->uses[slot].met = lending->step;
    lending->uses[slot].met_writing = writing;
}

static void meet_written(void *data, uint32_t slot)
{
    meet(data, slot, true);
}

static void meet_read(void *data, uint32_t slot)
{
    meet(data, slot, false);
}

static void meet_all_read(void *data, uint32_t slot)
{
    each_of(data, slot, meet_read);
}

/* From the last step on, so that what follows a step is known. */
static void lend(struct lending *lending)
{
    struct dg_schedule *schedule = lending->schedule;

    lending->step = (uint32_t)schedule->n_steps;
    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        if (lending->uses[i].state)
            meet(lending, i, false);
    }
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            meet_all_read(lending, schedule->outputs[i].slot);
    }
    for (size_t i = schedule->n_steps; i-- > 0 && lending->work < WORK_MOST;) {
        const struct dg_step *step = &schedule->steps[i];

        lending->step = (uint32_t)i;
        if (makes_view(lending, step) && is_alone(lending, step->results[0])) {
            schedule->slots[step->results[0]].arena = -1;
            schedule->slots[step->results[0]].lent = true;
        }
        for (size_t k = 0; step->kind != DG_STEP_FREE && k < step->n_results; k++)
            each_of(lending, step->results[k], meet_written);
        dg_step_reads(step, meet_all_read, lending);
    }
}

static bool has_jumps(const struct dg_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_steps; i++) {
        if (schedule->steps[i].kind == DG_STEP_JUMP_FALSE)
            return true;
    }
    return false;
}

enum dg_status dg_pte_schedule_lent(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;
    struct lending lending = {
        schedule, dg_alloc(&maker->scratch, schedule->n_slots + 1, sizeof(struct use)),
        0, 0};

    if (has_jumps(schedule))
        return DG_OK;
    note_uses(&lending);
    lend(&lending);
    return DG_OK;
}
