/* Plans: what they own, which slots each step is the last to read, and parts. */
#include "exec/schedule.h"

#include <stdlib.h>
#include <string.h>

static void clear_one(struct dg_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_slots; i++)
        dg_arg_drop(&schedule->slots[i].initial);
    dg_arena_clear(&schedule->memory);
}

void dg_schedule_clear(struct dg_schedule *schedule)
{
    struct dg_schedule **children = schedule->children;

    for (size_t i = 0; i < schedule->n_children; i++)
        clear_one(children[i]);
    clear_one(schedule);
    free(children);
    *schedule = (struct dg_schedule){0};
}

/* The last step that reads each slot, or the one behind that which makes it. */
struct reading {
    uint32_t step, *last;
};

enum { NEVER = UINT32_MAX - 1, ALWAYS = UINT32_MAX };

static void note_read(void *data, uint32_t slot)
{
    struct reading *reading = data;

    if (reading->last[slot] != ALWAYS)
        reading->last[slot] = reading->step;
}

static void note_steps(const struct dg_schedule *schedule, struct reading *reading)
{
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];

        reading->step = i;
        dg_step_reads(step, note_read, reading);
        reading->step = i + 1;
        for (size_t k = 0; k < step->n_results; k++)
            note_read(reading, step->results[k]);
    }
}

/* What a later call, or the caller, must find. */
static void note_kept(const struct dg_schedule *schedule, uint32_t *last)
{
    for (size_t i = 0; i < schedule->n_slots; i++) {
        if (schedule->slots[i].written)
            last[i] = ALWAYS;
    }
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            last[schedule->outputs[i].slot] = ALWAYS;
        if (schedule->outputs[i].written_to != DG_IO_LITERAL)
            last[schedule->outputs[i].written_to] = ALWAYS;
    }
}

void dg_slot_keep(struct dg_slot *slot)
{
    struct dg_error err = {0};
    struct dg_tensor *like = slot->initial.as.tensor;
    struct dg_tensor *tensor =
        dg_tensor_new(&dg_host_memory, like->type, like->rank, like->sizes, &err);

    slot->kind = DG_SLOT_BUFFER;
    if (!tensor) {
        slot->missing = "a buffer larger than memory";
        return;
    }
    memset(tensor->storage->bytes, 0, tensor->storage->size);
    memcpy(tensor->strides, like->strides, sizeof(tensor->strides));
    dg_arg_drop(&slot->initial);
    slot->initial = (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = tensor};
}

/* As lists of one array. */
void dg_schedule_release_at(struct dg_schedule *schedule, const uint32_t *last)
{
    uint32_t *slots =
        dg_alloc(&schedule->memory, schedule->n_slots + 1, sizeof(*slots));
    size_t at = 0;

    for (size_t i = 0; i < schedule->n_steps; i++)
        schedule->steps[i].n_releases = 0;
    for (size_t i = 0; i < schedule->n_slots; i++) {
        if (last[i] < schedule->n_steps)
            schedule->steps[last[i]].n_releases++;
    }
    for (size_t i = 0; i < schedule->n_steps; i++) {
        schedule->steps[i].releases = slots + at;
        at += schedule->steps[i].n_releases;
        schedule->steps[i].n_releases = 0;
    }
    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        struct dg_step *step =
            last[i] < schedule->n_steps ? &schedule->steps[last[i]] : NULL;

        if (step)
            step->releases[step->n_releases++] = i;
    }
}

void dg_schedule_releases(struct dg_schedule *schedule)
{
    struct reading reading = {0, malloc((schedule->n_slots + 1) * sizeof(uint32_t))};

    if (!reading.last)
        dg_out_of_memory();
    for (size_t i = 0; i < schedule->n_slots; i++)
        reading.last[i] = NEVER;
    note_kept(schedule, reading.last);
    note_steps(schedule, &reading);
    dg_schedule_release_at(schedule, reading.last);
    free(reading.last);
}

/* Where the values of a part come from and who else wants them. */
struct cut {
    const struct dg_schedule *whole;
    const bool *chosen;
    bool *made, *read, *wanted; /* by slot: in the part, there, and elsewhere */
};

static void note_inside(void *data, uint32_t slot)
{
    ((struct cut *)data)->read[slot] = true;
}

static void note_outside(void *data, uint32_t slot)
{
    ((struct cut *)data)->wanted[slot] = true;
}

static void survey(struct cut *cut)
{
    const struct dg_schedule *whole = cut->whole;

    for (size_t i = 0; i < whole->n_steps; i++) {
        const struct dg_step *step = &whole->steps[i];

        dg_step_reads(step, cut->chosen[i] ? note_inside : note_outside, cut);
        for (size_t k = 0; cut->chosen[i] && k < step->n_results; k++)
            cut->made[step->results[k]] = true;
    }
    for (size_t i = 0; i < whole->n_outputs; i++) {
        if (whole->outputs[i].slot != DG_IO_LITERAL)
            cut->wanted[whole->outputs[i].slot] = true;
    }
}

static void add_io(struct dg_schedule *part, uint32_t slot, const char *spec,
                   bool input)
{
    struct dg_io io = {.slot = slot,
                       .name = part->slots[slot].name,
                       .kind = "tensor",
                       .spec = spec,
                       .written_to = DG_IO_LITERAL};

    if (input)
        part->inputs[part->n_inputs++] = io;
    else
        part->outputs[part->n_outputs++] = io;
}

/* A value from outside is an input, unless the file holds it. */
static void add_ports(struct dg_schedule *part, const struct cut *cut)
{
    for (uint32_t i = 0; i < part->n_slots; i++) {
        struct dg_slot *slot = &part->slots[i];
        bool stored = slot->kind == DG_SLOT_CONSTANT || slot->kind == DG_SLOT_BUFFER;

        if (cut->read[i] && !cut->made[i] && !stored) {
            slot->kind = DG_SLOT_INPUT;
            add_io(part, i, "user_input", true);
        }
        if (cut->made[i] && cut->wanted[i])
            add_io(part, i, "user_output", false);
    }
}

static void copy_chosen(struct dg_schedule *part, const struct cut *cut)
{
    const struct dg_schedule *whole = cut->whole;

    part->slots = dg_alloc(&part->memory, whole->n_slots + 1, sizeof(*part->slots));
    part->steps = dg_alloc(&part->memory, whole->n_steps + 1, sizeof(*part->steps));
    part->inputs = dg_alloc(&part->memory, whole->n_slots + 1, sizeof(*part->inputs));
    part->outputs = dg_alloc(&part->memory, whole->n_slots + 1, sizeof(*part->outputs));
    part->n_slots = whole->n_slots;
    for (size_t i = 0; i < whole->n_slots; i++) {
        part->slots[i] = whole->slots[i];
        dg_arg_set(&part->slots[i].initial, &whole->slots[i].initial);
    }
    for (size_t i = 0; i < whole->n_steps; i++) {
        if (cut->chosen[i])
            part->steps[part->n_steps++] = whole->steps[i];
    }
}

enum dg_status dg_schedule_part(struct dg_schedule *part,
                                const struct dg_schedule *whole, const bool *chosen,
                                struct dg_error *err)
{
    struct dg_arena scratch = {0};
    struct cut cut = {whole, chosen, NULL, NULL, NULL};

    *part = (struct dg_schedule){.method = whole->method,
                                 .method_id = whole->method_id,
                                 .graph_id = whole->graph_id,
                                 .artifact_id = whole->artifact_id,
                                 .n_schedules = whole->n_schedules};
    if (whole->is_pte)
        return dg_fail(err, DG_ERR_USAGE,
                       "parts of a .pte cannot be run: its values share memory");
    cut.made = dg_alloc(&scratch, whole->n_slots + 1, 1);
    cut.read = dg_alloc(&scratch, whole->n_slots + 1, 1);
    cut.wanted = dg_alloc(&scratch, whole->n_slots + 1, 1);
    copy_chosen(part, &cut);
    survey(&cut);
    add_ports(part, &cut);
    dg_schedule_releases(part);
    dg_arena_clear(&scratch);
    return part->n_steps
               ? DG_OK
               : dg_fail(err, DG_ERR_USAGE, "there is nothing to run in that part");
}
