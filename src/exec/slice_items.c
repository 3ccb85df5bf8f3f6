/* What stands behind an item of a list, where some items are known and others are not.
 */
#include "exec/slice.h"

bool dg_step_has_turns(const struct dg_step *step)
{
    return step->kind == DG_STEP_WHILE || step->kind == DG_STEP_WHILE_STACKED ||
           step->kind == DG_STEP_SCAN || step->kind == DG_STEP_ASSOCIATIVE_SCAN;
}

/* By what the maker of a list makes its item `i`, whatever it was given. What vectors
 * become from turn to turn of a loop is in all that it carries. */
static enum dg_tolerance tolerance_of_item(const struct dg_step *maker, size_t i)
{
    enum dg_tolerance loosest = DG_TOLERANCE_EXACT;

    if (maker->kernel)
        return dg_result_tolerance(maker->kernel, i);
    for (size_t k = 0; k < maker->n_schedules; k++) {
        const struct dg_schedule *callee = maker->schedules[k];
        enum dg_tolerance one = dg_step_has_turns(maker) || i >= callee->n_outputs
                                    ? DG_TOLERANCE_VECTORS
                                    : callee->outputs[i].tolerance;

        loosest = one > loosest ? one : loosest;
    }
    return loosest;
}

bool dg_slice_item(struct dg_slice *item, const struct dg_slice *list, int64_t i)
{
    enum dg_tolerance own = list->maker && i >= 0
                                ? tolerance_of_item(list->maker, (size_t)i)
                                : DG_TOLERANCE_VECTORS;

    *item = *list;
    if (own == DG_TOLERANCE_VECTORS)
        return false;
    item->tolerance = own > list->settled ? own : list->settled;
    item->maker = NULL;
    return true;
}
