/* The schedule of a .pte with memory of its own for each value: what references run, so
 * that a wrong memory plan harms only what is tested.
 *
 * Values that no instruction writes are views of what was written last where they lie:
 * their instruction was left out, as they share all bytes with that. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "exec/schedule.h"

struct apart {
    struct dg_schedule *schedule;    /* to be filled */
    const struct dg_schedule *whole; /* with places */
    const struct dg_step *step;
    uint32_t i;
    uint32_t *place;  /* by slot: number of where it lies */
    uint32_t *writer; /* by place: 1 + the slot that was written last; 0: none */
    bool *written;    /* by slot: some instruction gives it */
    uint32_t *given;  /* by slot: before which step a step so far is sure to give it */
    uint32_t *until;  /* by step: where the steps end that are skipped with it */
    uint32_t *end;    /* by step: the last one of the loops that it is in; itself */
    uint32_t *last;   /* by slot: the step behind which nobody reads it */
};

enum { NEVER = UINT32_MAX };

static int by_place(const void *a, const void *b)
{
    const struct dg_slot *left = *(const struct dg_slot *const *)a;
    const struct dg_slot *right = *(const struct dg_slot *const *)b;

    if (left->arena != right->arena)
        return left->arena < right->arena ? -1 : 1;
    if (left->arena_offset != right->arena_offset)
        return left->arena_offset < right->arena_offset ? -1 : 1;
    return left->nbytes < right->nbytes ? -1 : left->nbytes > right->nbytes;
}

static void number_places(struct apart *apart)
{
    const struct dg_schedule *whole = apart->whole;
    const struct dg_slot **slots = malloc((whole->n_slots + 1) * sizeof(*slots));
    uint32_t n = 0;

    if (!slots)
        dg_out_of_memory();
    for (size_t i = 0; i < whole->n_slots; i++)
        slots[i] = &whole->slots[i];
    dg_sort(slots, whole->n_slots, sizeof(*slots), by_place);
    for (size_t i = 0; i < whole->n_slots; i++) {
        n += i && by_place(&slots[i - 1], &slots[i]);
        apart->place[slots[i] - whole->slots] = n;
    }
    free(slots);
}

static bool is_planned(const struct dg_slot *slot)
{
    return slot->arena >= 0 && slot->initial.kind == DG_ARG_TENSOR;
}

/* Call fn for a slot; of a list, for what it holds. */
static void each_of(struct apart *apart, uint32_t slot, dg_slot_fn *fn)
{
    const struct dg_operand *list = apart->whole->slots[slot].list;

    if (list)
        dg_operand_reads(list, fn, apart);
    else
        fn(apart, slot);
}

static void note_written(void *data, uint32_t slot)
{
    struct apart *apart = data;

    if (apart->step->kind != DG_STEP_FREE &&
        apart->step->variant != DG_VARIANT_IN_PLACE)
        apart->written[slot] = true;
}

static void note_writer(void *data, uint32_t slot)
{
    struct apart *apart = data;

    if (is_planned(&apart->whole->slots[slot]) && apart->step->kind != DG_STEP_FREE &&
        !apart->schedule->slots[slot].shows)
        apart->writer[apart->place[slot]] = slot + 1;
}

static bool is_view(const struct apart *apart, uint32_t slot)
{
    const struct dg_slot *one = &apart->whole->slots[slot];
    uint32_t base = apart->writer[apart->place[slot]];

    return is_planned(one) && one->kind == DG_SLOT_COMPUTED && !apart->written[slot] &&
           base && base != slot + 1 &&
           apart->whole->slots[base - 1].initial.as.tensor->type ==
               one->initial.as.tensor->type;
}

static void find_base(void *data, uint32_t slot)
{
    struct apart *apart = data;

    if (!apart->schedule->slots[slot].shows && is_view(apart, slot))
        apart->schedule->slots[slot].shows = apart->writer[apart->place[slot]];
}

static void read_base(void *data, uint32_t slot)
{
    each_of(data, slot, find_base);
}

/* Twice: what a loop reads may be written behind it. */
static void find_views(struct apart *apart)
{
    const struct dg_schedule *whole = apart->whole;

    for (uint32_t i = 0; i < whole->n_slots; i++) {
        const struct dg_slot *slot = &whole->slots[i];

        if (is_planned(slot) && slot->kind != DG_SLOT_COMPUTED)
            apart->writer[apart->place[i]] = i + 1;
    }
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < whole->n_steps; i++) {
            apart->step = &whole->steps[i];
            dg_step_reads(apart->step, read_base, apart);
            for (size_t k = 0; k < apart->step->n_results; k++)
                each_of(apart, apart->step->results[k], note_writer);
        }
        for (size_t i = 0; i < whole->n_outputs; i++) {
            if (whole->outputs[i].slot != DG_IO_LITERAL)
                read_base(apart, whole->outputs[i].slot);
        }
    }
}

static void note_state(void *data, uint32_t slot)
{
    struct apart *apart = data;
    uint32_t shows = apart->schedule->slots[slot].shows,
             base = shows ? shows - 1 : slot;
    struct dg_slot *state = &apart->schedule->slots[base];

    if (is_planned(&apart->whole->slots[base]) && state->kind == DG_SLOT_COMPUTED &&
        apart->given[base] <= apart->i)
        dg_slot_keep(state);
}

static void read_state(void *data, uint32_t slot)
{
    each_of(data, slot, note_state);
}

static void note_given(void *data, uint32_t slot)
{
    struct apart *apart = data;
    uint32_t until = apart->until[apart->i];

    if (apart->given[slot] < until)
        apart->given[slot] = until;
}

/* Jumps ahead skip what lies between; one among such steps skips no more than that. */
static void find_skipped(struct apart *apart)
{
    const struct dg_schedule *whole = apart->whole;
    struct dg_arena scratch = {0};
    uint32_t *open = dg_alloc(&scratch, whole->n_steps + 1, sizeof(*open));
    size_t n = 0;

    open[0] = NEVER;
    for (uint32_t i = 0; i < whole->n_steps; i++) {
        const struct dg_step *step = &whole->steps[i];

        while (open[n] <= i)
            n--;
        apart->until[i] = open[n];
        if (step->kind == DG_STEP_JUMP_FALSE && step->jump > i) {
            open[n + 1] = step->jump < open[n] ? step->jump : open[n];
            n++;
        }
    }
    dg_arena_clear(&scratch);
}

/* What is read before it is sure to be written has what the call before left there:
 * buffers that begin with zeros are planned like any other value. */
static void find_state(struct apart *apart)
{
    const struct dg_schedule *whole = apart->whole;

    find_skipped(apart);
    for (apart->i = 0; apart->i < whole->n_steps; apart->i++) {
        const struct dg_step *step = &whole->steps[apart->i];

        dg_step_reads(step, read_state, apart);
        for (size_t k = 0; k < step->n_results; k++)
            each_of(apart, step->results[k], note_given);
    }
}

/* Steps that a jump leads back over end together. */
static void find_loops(struct apart *apart)
{
    const struct dg_schedule *whole = apart->whole;
    uint32_t reach = 0;

    for (uint32_t i = 0; i < whole->n_steps; i++)
        apart->end[i] = i;
    for (uint32_t i = 0; i < whole->n_steps; i++) {
        const struct dg_step *step = &whole->steps[i];

        if (step->kind == DG_STEP_JUMP_FALSE && step->jump < i)
            apart->end[step->jump] = i;
    }
    for (uint32_t i = 0; i < whole->n_steps; i++) {
        reach = apart->end[i] > reach ? apart->end[i] : reach;
        apart->end[i] = reach > i ? reach : i;
    }
    for (uint32_t i = (uint32_t)whole->n_steps; i--;)
        apart->end[i] = apart->end[apart->end[i]];
}

static void note_last(struct apart *apart, uint32_t slot, uint32_t step)
{
    if (apart->last[slot] == NEVER || apart->last[slot] < step)
        apart->last[slot] = step;
}

/* Behind a loop, where the slot is used in one. */
static void use(void *data, uint32_t slot)
{
    struct apart *apart = data;
    uint32_t end = apart->end[apart->i];
    uint32_t step = end > apart->i ? end + 1 : apart->i;

    note_last(apart, slot, step);
    if (apart->schedule->slots[slot].shows)
        note_last(apart, apart->schedule->slots[slot].shows - 1, step);
}

static void read_last(void *data, uint32_t slot)
{
    each_of(data, slot, use);
}

/* Whoever looks at each step reads what it made before the next one has run. */
static void made_last(void *data, uint32_t slot)
{
    struct apart *apart = data;

    use(apart, slot);
    note_last(apart, slot, apart->i + 1);
}

static void keep(void *data, uint32_t slot)
{
    struct apart *apart = data;

    apart->schedule->slots[slot].written = true;
    if (apart->schedule->slots[slot].shows)
        apart->schedule->slots[apart->schedule->slots[slot].shows - 1].written = true;
}

static bool may_go(const struct dg_slot *slot)
{
    return (slot->kind == DG_SLOT_COMPUTED || slot->kind == DG_SLOT_CONSTANT) &&
           (slot->initial.kind == DG_ARG_TENSOR || !slot->value_id) && !slot->written;
}

static void find_last(struct apart *apart)
{
    const struct dg_schedule *whole = apart->whole;

    memset(apart->last, 0xff, (whole->n_slots + 1) * sizeof(*apart->last));
    for (apart->i = 0; apart->i < whole->n_steps; apart->i++) {
        const struct dg_step *step = &whole->steps[apart->i];

        dg_step_reads(step, read_last, apart);
        for (size_t k = 0; k < step->n_results; k++)
            each_of(apart, step->results[k], made_last);
    }
    for (size_t i = 0; i < whole->n_outputs; i++) {
        if (whole->outputs[i].slot != DG_IO_LITERAL)
            each_of(apart, whole->outputs[i].slot, keep);
    }
    for (uint32_t i = 0; i < whole->n_slots; i++) {
        if (!may_go(&apart->schedule->slots[i]))
            apart->last[i] = NEVER;
    }
}

static void copy_schedule(struct dg_schedule *schedule, const struct dg_schedule *whole)
{
    *schedule = *whole;
    schedule->memory = (struct dg_arena){0};
    schedule->slots =
        dg_alloc(&schedule->memory, whole->n_slots + 1, sizeof(*schedule->slots));
    schedule->steps =
        dg_alloc(&schedule->memory, whole->n_steps + 1, sizeof(*schedule->steps));
    if (whole->n_steps)
        memcpy(schedule->steps, whole->steps,
               whole->n_steps * sizeof(*schedule->steps));
    for (size_t i = 0; i < whole->n_slots; i++) {
        struct dg_slot *slot = &schedule->slots[i];

        *slot = whole->slots[i];
        dg_arg_set(&slot->initial, &whole->slots[i].initial);
        slot->zeros =
            slot->zeros || (is_planned(slot) && slot->kind == DG_SLOT_COMPUTED);
        slot->arena = -1;
    }
    schedule->n_arenas = 0;
}

void dg_schedule_apart(struct dg_schedule *schedule, const struct dg_schedule *whole)
{
    struct dg_arena scratch = {0};
    size_t n = whole->n_slots + 1;
    struct apart apart = {
        .schedule = schedule,
        .whole = whole,
        .place = dg_alloc(&scratch, n, sizeof(uint32_t)),
        .writer = dg_alloc(&scratch, n, sizeof(uint32_t)),
        .written = dg_alloc(&scratch, n, sizeof(bool)),
        .given = dg_alloc(&scratch, n, sizeof(uint32_t)),
        .until = dg_alloc(&scratch, whole->n_steps + 1, sizeof(uint32_t)),
        .end = dg_alloc(&scratch, whole->n_steps + 1, sizeof(uint32_t)),
        .last = dg_alloc(&scratch, n, sizeof(uint32_t)),
    };

    copy_schedule(schedule, whole);
    number_places(&apart);
    for (size_t i = 0; i < whole->n_steps; i++) {
        apart.step = &whole->steps[i];
        for (size_t k = 0; k < apart.step->n_results; k++)
            each_of(&apart, apart.step->results[k], note_written);
    }
    find_views(&apart);
    find_state(&apart);
    find_loops(&apart);
    find_last(&apart);
    dg_schedule_release_at(schedule, apart.last);
    dg_arena_clear(&scratch);
}
