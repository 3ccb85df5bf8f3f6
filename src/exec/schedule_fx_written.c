/* Which input takes the value of a mutation, and what operators of the user write. */
#include "exec/schedule_fx.h"

#include <stdlib.h>

#include "base/sorted.h"

/* What a mutation may name: a user input, or the target of another input. */
struct named {
    bool user;
    const char *name;
    uint32_t slot;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *left = a, *right = b;

    return left->user != right->user ? left->user - right->user
                                     : strcmp(left->name, right->name);
}

static size_t list_named(const struct dg_schedule *schedule, struct named *named)
{
    size_t n = 0;

    for (size_t i = 0; i < schedule->n_inputs; i++) {
        const struct dg_io *io = &schedule->inputs[i];
        bool user = io->spec && !strcmp(io->spec, "user_input");
        const char *name = user ? io->name : io->target;

        if (name && io->slot != DG_IO_LITERAL)
            named[n++] = (struct named){user, name, io->slot};
    }
    dg_sort(named, n, sizeof(*named), compare_named);
    return n;
}

void dg_fx_find_written(struct dg_schedule *schedule)
{
    struct named *named = calloc(schedule->n_inputs + 1, sizeof(*named));
    size_t n;

    if (!named)
        dg_out_of_memory();
    n = list_named(schedule, named);
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        struct dg_io *io = &schedule->outputs[i];
        const struct named *found;
        struct named key = {.name = io->target};

        if (!io->target || !io->spec || !strstr(io->spec, "_mutation"))
            continue;
        key.user = !strcmp(io->spec, "user_input_mutation");
        found = dg_search(&key, named, n, sizeof(*named), compare_named);
        if (!found)
            continue;
        io->written_to = found->slot;
        if (schedule->slots[found->slot].kind == DG_SLOT_CONSTANT)
            schedule->slots[found->slot].kind =
                DG_SLOT_BUFFER; /* a parameter that is kept */
    }
    free(named);
}

/* Values of aten::empty and its kin hold nothing to read. */
static bool makes_empty(const struct dg_step *step)
{
    static const char *const names[] = {"aten::empty", "aten::new_empty"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (step->kind == DG_STEP_CALL &&
            !strncmp(step->op, names[i], strlen(names[i])))
            return true;
    }
    return false;
}

static void note_filled(struct dg_schedule *schedule, struct dg_step *step,
                        const bool *empty)
{
    bool *fills = NULL;

    for (size_t i = 0; i < step->n_args; i++) {
        const struct dg_operand *arg = &step->args[i];

        if (arg->kind != DG_OPERAND_SLOT || !empty[arg->slot])
            continue;
        if (!fills)
            fills = dg_alloc(&schedule->memory, step->n_args, sizeof(*fills));
        fills[i] = true;
    }
    step->fills = fills;
}

void dg_fx_find_filled(struct dg_schedule *schedule)
{
    bool *empty = calloc(schedule->n_slots + 1, sizeof(*empty));

    if (!empty)
        dg_out_of_memory();
    for (size_t i = 0; i < schedule->n_steps; i++) {
        struct dg_step *step = &schedule->steps[i];

        if (makes_empty(step) && step->n_results)
            empty[step->results[0]] = true;
        else if (step->kind == DG_STEP_OPAQUE &&
                 !dg_op_find(step->op, strlen(step->op)))
            note_filled(schedule, step, empty);
    }
    free(empty);
}
