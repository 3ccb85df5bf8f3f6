/* Steps of torch.vmap as torch.export leaves it, and which values have a batch. */
#include "exec/schedule_fx.h"

enum { LEVELS_MOST = 16 };

static bool take_level(struct dg_step *step, size_t at)
{
    const struct dg_arg *level = &step->args[at].literal;

    if (step->args[at].kind != DG_OPERAND_LITERAL || level->kind != DG_ARG_INT ||
        level->as.integer < 1 || level->as.integer > LEVELS_MOST)
        return false;
    step->level = 1u << (level->as.integer - 1);
    return true;
}

/* (tensor, dimension, level) */
static bool batch(struct dg_step *step)
{
    step->kind = DG_STEP_BATCH;
    return step->n_args == 3 && take_level(step, 2);
}

/* (tensor, level, batch size, dimension) */
static bool unbatch(struct dg_step *step)
{
    step->kind = DG_STEP_UNBATCH;
    if (step->n_args != 4 || !take_level(step, 1))
        return false;
    step->args[1] = step->args[2];
    step->args[2] = step->args[3];
    step->n_args = 3;
    return true;
}

/* The size is known of what gets a batch, and whatever draws random numbers is not
 * compared. */
static bool nothing(struct dg_step *step)
{
    step->kind = DG_STEP_NOTHING;
    step->n_args = step->n_results = 0;
    return true;
}

#define PREDISPATCH DG_FX_FUNCTORCH "predispatch."

static const struct vmap_operator {
    const char *op;
    bool (*make)(struct dg_step *step);
} operators[] = {
    {PREDISPATCH "_add_batch_dim", batch},
    {PREDISPATCH "_remove_batch_dim", unbatch},
    {PREDISPATCH "_vmap_decrement_nesting", nothing},
    {PREDISPATCH "_vmap_increment_nesting", nothing},
    {PREDISPATCH "lazy_load_decompositions", nothing},
};

static const struct vmap_operator *find(const char *op)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
        if (!strcmp(op, operators[i].op))
            return &operators[i];
    }
    return NULL;
}

bool dg_fx_is_vmap(const char *op)
{
    return find(op);
}

bool dg_fx_vmap(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    const struct vmap_operator *row = find(node->op);

    return row && row->make(step);
}

struct reading {
    const struct dg_schedule *schedule;
    uint32_t levels;
};

static void note_levels(void *data, uint32_t slot)
{
    struct reading *reading = data;

    reading->levels |= reading->schedule->slots[slot].levels;
}

/* Sizes and numbers are the same at each place of a batch. */
static bool gives_numbers(const struct dg_step *step)
{
    const struct dg_op *op = step->op ? dg_op_find(step->op, strlen(step->op)) : NULL;

    return op && !(op->flags & DG_OP_MORE_RETURNS) && !strstr(op->returns, "Tensor");
}

void dg_fx_find_levels(struct dg_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_steps; i++) {
        struct dg_step *step = &schedule->steps[i];
        struct reading reading = {schedule, 0};

        dg_step_reads(step, note_levels, &reading);
        if (step->kind == DG_STEP_BATCH)
            reading.levels |= step->level;
        else if (step->kind == DG_STEP_UNBATCH)
            reading.levels &= ~step->level;
        else
            step->levels = reading.levels;
        for (size_t k = 0; k < step->n_results && !gives_numbers(step); k++)
            schedule->slots[step->results[k]].levels = reading.levels;
    }
}
