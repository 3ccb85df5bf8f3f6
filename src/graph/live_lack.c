/* What a method lacks: results that nothing writes, tensors without a place. */
#include "graph/live_parts.h"

void dg_finder_output(struct dg_finder *finder, uint32_t value)
{
    struct dg_live *live = finder->live;
    const struct dg_flow_value *one = &finder->plan->values[value];
    uint32_t node;

    if (one->first || dg_finder_unsure(finder, value))
        return;
    dg_finder_own(finder, value);
    if (one->arena >= 0)
        dg_finder_neighbours(finder, value);
    node = dg_life_unassigned_at_end(&finder->life);
    if (node != DG_FLOW_NONE)
        *DG_APPEND(live->missing, live->n_missing) =
            (struct dg_live_place){node, value};
}

/* A buffer is read before it is written. */
void dg_finder_bare(struct dg_finder *finder, uint32_t value)
{
    struct dg_live *live = finder->live;
    const struct dg_flow_value *one = &finder->plan->values[value];
    uint32_t at = finder->touch_of[value], reader;

    if (one->first || one->last || one->named || finder->handle[value] ||
        at == finder->touch_of[value + 1])
        return;
    dg_finder_own(finder, value);
    reader = dg_life_unassigned(&finder->life);
    *DG_APPEND(live->bare, live->n_bare) = (struct dg_live_bare){
        {dg_finder_touch(finder, at)->node, value},
        (one->updated && !one->fresh) ||
            (reader != DG_FLOW_NONE && dg_life_defined_after(&finder->life, reader))};
}
