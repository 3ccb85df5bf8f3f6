/* Results of a .pte that lie on the arguments of their own instruction. Kernels here
 * give their results when all is read; those of the runtime write while they read, and
 * what they read then, nobody knows. */
#include <string.h>

#include "base/ops.h"
#include "exec/machine_parts.h"

enum { DAMAGED = 0xff }; /* NaN in every float type */

/* Elements that are read before they are written: the same ones, one by one. */
static bool is_safe(const struct dg_step *step, const struct dg_tensor *out,
                    const struct dg_tensor *read)
{
    const struct dg_op *op = dg_op_find(step->op, strlen(step->op));

    return out->storage == read->storage ||
           (op && op->flags & DG_OP_POINTWISE && out->type == read->type &&
            out->storage->bytes == read->storage->bytes &&
            dg_tensor_same_shape(out, read));
}

static void damage(const struct dg_step *step, const struct dg_tensor *out,
                   const struct dg_arg *arg)
{
    const struct dg_storage *to = out->storage, *from;
    unsigned char *begin, *end;

    for (size_t i = 0; arg->kind == DG_ARG_LIST && i < arg->as.list.n_items; i++)
        damage(step, out, &arg->as.list.items[i]);
    if (arg->kind != DG_ARG_TENSOR || is_safe(step, out, arg->as.tensor))
        return;
    from = arg->as.tensor->storage;
    begin = from->bytes > to->bytes ? from->bytes : to->bytes;
    end = from->bytes + from->size < to->bytes + to->size ? from->bytes + from->size
                                                          : to->bytes + to->size;
    if (begin < end && from->memory == to->memory)
        memset(begin, DAMAGED, (size_t)(end - begin));
}

void dg_pte_overlap(struct dg_machine *machine, struct dg_call_frame *frame,
                    const struct dg_step *step, const struct dg_arg *args)
{
    const struct dg_schedule *schedule = machine->schedule;

    if (!schedule->n_arenas || step->variant != DG_VARIANT_OUT || !dg_on_host(machine))
        return;
    for (size_t k = 0; k < step->n_results; k++) {
        uint32_t slot = step->results[k];

        if (schedule->slots[slot].arena < 0 || frame->slots[slot].kind != DG_ARG_TENSOR)
            continue;
        for (size_t i = 0; i < step->n_args; i++)
            damage(step, frame->slots[slot].as.tensor, &args[i]);
    }
}
