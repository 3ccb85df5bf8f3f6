/* What the steps of a schedule read and write. */
#include <string.h>

#include "base/ops.h"
#include "exec/schedule.h"

enum { LIST_DEPTH = 8 };

/* Lists in lists, without recursion. */
void dg_operand_reads(const struct dg_operand *operand, dg_slot_fn *fn, void *data)
{
    struct {
        const struct dg_operand *at, *end;
    } open[LIST_DEPTH] = {{operand, operand + 1}};
    int depth = 0;

    while (depth >= 0) {
        const struct dg_operand *at = open[depth].at++;

        if (at == open[depth].end) {
            depth--;
        } else if (at->kind == DG_OPERAND_SLOT) {
            fn(data, at->slot);
        } else if (at->kind == DG_OPERAND_LIST && depth + 1 < LIST_DEPTH) {
            depth++;
            open[depth].at = at->items;
            open[depth].end = at->items + at->n_items;
        }
    }
}

void dg_step_reads(const struct dg_step *step, dg_slot_fn *fn, void *data)
{
    for (size_t i = 0; i < step->n_args; i++)
        dg_operand_reads(&step->args[i], fn, data);
    for (size_t i = 0; i < step->n_outs; i++)
        dg_operand_reads(&step->outs[i], fn, data);
}

static void note_statistics(const struct dg_step *step, bool *written)
{
    enum { MEAN = 3, VARIANCE = 4, TRAINING = 5 };
    const struct dg_operand *training = &step->args[TRAINING];

    if (!step->kernel->statistics || step->n_args <= TRAINING ||
        (training->kind == DG_OPERAND_LITERAL && !training->literal.as.integer))
        return;
    written[MEAN] = written[VARIANCE] = true;
}

void dg_step_kernel_writes(const struct dg_step *step, bool *written)
{
    const struct dg_op *schema = dg_op_find(step->kernel->op, strlen(step->kernel->op));
    const char *cursor = schema ? schema->args : "";
    struct dg_op_arg arg = {0};

    for (size_t i = 0; i < step->n_args && dg_op_next_arg(&cursor, &arg); i++)
        written[i] = arg.writes;
    note_statistics(step, written);
}

static bool schedules_write(const struct dg_step *step)
{
    for (size_t i = 0; i < step->n_schedules; i++) {
        if (step->schedules[i]->writes)
            return true;
    }
    return false;
}

void dg_step_writes(const struct dg_step *step, dg_slot_fn *fn, void *data)
{
    bool written[DG_ARGS_MOST] = {false};
    bool all =
        schedules_write(step) || (step->kind == DG_STEP_OPAQUE && !step->n_results);

    if (step->kind == DG_STEP_CALL && step->kernel && step->n_args <= DG_ARGS_MOST)
        dg_step_kernel_writes(step, written);
    if (step->variant == DG_VARIANT_IN_PLACE)
        written[0] = true;
    for (size_t i = 0; i < step->n_args; i++) {
        if (all || (i < DG_ARGS_MOST && written[i]) || (step->fills && step->fills[i]))
            dg_operand_reads(&step->args[i], fn, data);
    }
    for (size_t i = 0; i < step->n_outs; i++)
        dg_operand_reads(&step->outs[i], fn, data);
}

static void note(void *data, uint32_t slot)
{
    *(bool *)data = true;
}

bool dg_step_changes(const struct dg_step *step)
{
    bool changes = false;

    dg_step_writes(step, note, &changes);
    return changes;
}

bool dg_step_is_one_of(const struct dg_step *step, const char *const *names)
{
    for (; *names; names++) {
        size_t length = strlen(*names);

        if (!strncmp(step->kernel->op, *names, length) &&
            (!step->kernel->op[length] || step->kernel->op[length] == '.'))
            return true;
    }
    return false;
}
