/* Views of constants in an exported graph, and copies of views, as decomposing makes
 * one of each weight that a product takes turned: where all who read them load any
 * float type by any strides, they are what the file holds, in all evaluations, and no
 * weight is widened or copied. */
#include "exec/schedule_fx.h"

/* By slot: somebody needs it as all values are, or would show it. */
static void bind(void *data, uint32_t slot)
{
    ((bool *)data)[slot] = true;
}

static bool is_call(const struct dg_step *step)
{
    return step->kind == DG_STEP_CALL && !step->xnnpack && !step->levels;
}

/* Those that take any strides: others ask for what lies side by side, or look at memory
 * by its place. */
static const char *const views[] = {"aten::permute",    "aten::transpose.int",
                                    "aten::t",          "aten::unsqueeze",
                                    "aten::expand",     "aten::slice.Tensor",
                                    "aten::select.int", "aten::alias",
                                    "aten::detach",     NULL};

static bool is_view(const struct dg_step *step)
{
    return is_call(step) && dg_step_is_one_of(step, views) &&
           (step->variant == DG_VARIANT_FUNCTIONAL ||
            step->variant == DG_VARIANT_COPY) &&
           step->n_results == 1 && step->n_args &&
           step->args[0].kind == DG_OPERAND_SLOT;
}

static bool takes_any_float(const struct dg_step *step, size_t i, const bool *bound)
{
    if (i == 0 && is_view(step))
        return !bound[step->results[0]];
    return is_call(step) && step->variant == DG_VARIANT_FUNCTIONAL &&
           dg_kernel_widens(step->kernel, i);
}

/* Readers come behind what they read, so that they are known when it is met. */
static void bind_read(const struct dg_step *step, bool *bound)
{
    for (size_t i = 0; i < step->n_args; i++) {
        if (step->args[i].kind != DG_OPERAND_SLOT || !takes_any_float(step, i, bound))
            dg_operand_reads(&step->args[i], bind, bound);
    }
    for (size_t i = 0; i < step->n_outs; i++)
        dg_operand_reads(&step->outs[i], bind, bound);
}

static bool is_stored(const struct dg_slot *slot)
{
    return slot->kind == DG_SLOT_CONSTANT && slot->initial.kind == DG_ARG_TENSOR &&
           dg_type_is_float(slot->initial.as.tensor->type);
}

/* A step that changes what it reads may reach a constant through any of its views. */
static bool changes_something(const struct dg_schedule *schedule)
{
    bool changes = false;

    for (size_t i = 0; i < schedule->n_steps && !changes; i++)
        changes = dg_step_changes(&schedule->steps[i]);
    return changes;
}

static void mark_views(struct dg_schedule *schedule, const bool *bound)
{
    struct dg_slot *slots = schedule->slots;

    for (size_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];

        if (is_view(step) && !bound[step->results[0]])
            slots[step->results[0]].lent =
                is_stored(&slots[step->args[0].slot]) || slots[step->args[0].slot].lent;
    }
}

void dg_fx_borrow_constants(struct dg_schedule *schedule)
{
    struct dg_arena memory = {0};
    bool *bound = dg_alloc(&memory, schedule->n_slots + 1, sizeof(*bound));

    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            bind(bound, schedule->outputs[i].slot);
    }
    for (size_t i = schedule->n_steps; i-- > 0;)
        bind_read(&schedule->steps[i], bound);
    if (!changes_something(schedule))
        mark_views(schedule, bound);
    dg_arena_clear(&memory);
}
