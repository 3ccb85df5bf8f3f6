/* What the files of a call share. */
#ifndef DG_EXEC_CALL_PARTS_H
#define DG_EXEC_CALL_PARTS_H

#include "exec/machine_parts.h"

struct dg_running {
    struct dg_machine *machine;
    struct dg_call_frame *frame;
    const struct dg_step *step;
    struct dg_call call;
    struct dg_error *err;
};

/* Whether the step gives a view of a constant, with the type that this has in the file.
 */
static inline bool dg_makes_lent(const struct dg_running *running)
{
    return running->step->n_results &&
           running->frame->schedule->slots[running->step->results[0]].lent;
}

void dg_args_drop(struct dg_arg *values, size_t n);

/* Give the tensor itself the shape of another. */
void dg_reshape_in_place(struct dg_tensor *tensor, const struct dg_tensor *view);

/* Put the results of running->call into slots, or into the arguments that the overload
 * writes; none are left. */
enum dg_status dg_call_give(struct dg_running *running);

#endif
