/* What a method lacks: results that nothing writes, tensors without a place. */
#include "graph/live_parts.h"

static bool overlaps(const struct dg_flow_value *a, const struct dg_flow_value *b)
{
    return a->arena == b->arena && a->begin < b->end && b->begin < a->end;
}

/* Whether the last write over the bytes of `value` is of a value with just these bytes.
 */
static bool base_is_last(struct dg_finder *finder, uint32_t value)
{
    const struct dg_flow *plan = finder->plan;
    const struct dg_flow_value *one = &plan->values[value];
    uint64_t steps = plan->n_touches;

    finder->life.work -= finder->life.work < steps ? finder->life.work : steps;
    for (uint32_t i = plan->n_touches; i-- > 0;) {
        const struct dg_flow_value *other = &plan->values[plan->touches[i].value];

        if (plan->touches[i].how & DG_TOUCH_WRITE && overlaps(other, one))
            return other->begin == one->begin && other->end == one->end;
    }
    return true;
}

/* The last instruction of a way on which neither the value nor its base is written: a
 * view that needs no instruction has the bytes of its base, which are those at the end.
 */
static uint32_t undefined_at_end(struct dg_finder *finder, uint32_t value)
{
    uint32_t node;

    dg_finder_own(finder, value);
    node = dg_life_unassigned_at_end(&finder->life);
    if (node == DG_FLOW_NONE || finder->plan->values[value].arena < 0 ||
        !base_is_last(finder, value))
        return node;
    dg_finder_neighbours(finder, value, true);
    return dg_life_unassigned_at_end(&finder->life);
}

void dg_finder_output(struct dg_finder *finder, uint32_t value)
{
    struct dg_live *live = finder->live;
    const struct dg_flow_value *one = &finder->plan->values[value];
    uint32_t node;

    if (one->first || dg_finder_unsure(finder, value))
        return;
    node = undefined_at_end(finder, value);
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
