/* What a method lacks: results that nothing writes, tensors without a place. */
#include "graph/live_parts.h"

static bool overlaps(const struct dg_flow_value *a, const struct dg_flow_value *b)
{
    return a->arena == b->arena && a->begin < b->end && b->begin < a->end;
}

/* Whether the last write over the bytes of `value` is of a value with just these bytes.
 */
static bool base_is_last(struct dg_live_builder *builder, uint32_t value)
{
    const struct dg_flow *flow = builder->flow;
    const struct dg_flow_value *one = &flow->values[value];
    uint64_t steps = flow->n_accesses;

    builder->dataflow.work -=
        builder->dataflow.work < steps ? builder->dataflow.work : steps;
    for (uint32_t i = flow->n_accesses; i-- > 0;) {
        const struct dg_flow_value *other = &flow->values[flow->accesses[i].value];

        if (flow->accesses[i].how & DG_FLOW_WRITE && overlaps(other, one))
            return other->begin == one->begin && other->end == one->end;
    }
    return true;
}

/* The last instruction of a way on which neither the value nor its base is written: a
 * view that needs no instruction has the bytes of its base, which are those at the end.
 */
static uint32_t undefined_at_end(struct dg_live_builder *builder, uint32_t value)
{
    uint32_t node;

    dg_live_builder_own(builder, value);
    node = dg_dataflow_unassigned_at_end(&builder->dataflow);
    if (node == DG_FLOW_NONE || builder->flow->values[value].arena < 0 ||
        !base_is_last(builder, value))
        return node;
    dg_live_builder_neighbours(builder, value, true);
    return dg_dataflow_unassigned_at_end(&builder->dataflow);
}

void dg_live_builder_output(struct dg_live_builder *builder, uint32_t value)
{
    struct dg_live_ranges *live = builder->live;
    const struct dg_flow_value *one = &builder->flow->values[value];
    uint32_t node;

    if (one->first || dg_live_builder_unsure(builder, value))
        return;
    node = undefined_at_end(builder, value);
    if (node != DG_FLOW_NONE)
        *DG_APPEND(live->missing, live->n_missing) =
            (struct dg_live_place){node, value};
}

/* A buffer is read before it is written. */
void dg_live_builder_bare(struct dg_live_builder *builder, uint32_t value)
{
    struct dg_live_ranges *live = builder->live;
    const struct dg_flow_value *one = &builder->flow->values[value];
    uint32_t at = builder->access_of[value], reader;

    if (one->first || one->last || one->named || builder->handle[value] ||
        at == builder->access_of[value + 1])
        return;
    dg_live_builder_own(builder, value);
    reader = dg_dataflow_unassigned(&builder->dataflow, DG_DATAFLOW_CHECKED);
    *DG_APPEND(live->bare, live->n_bare) = (struct dg_live_bare){
        {dg_live_builder_access(builder, at)->node, value},
        (one->updated && !one->fresh) ||
            (reader != DG_FLOW_NONE &&
             dg_dataflow_defined_after(&builder->dataflow, reader))};
}
