/* What is kept from run to run: buffers of a method, by what happens to their bytes. */
#include "graph/live_parts.h"

static bool any_fresh(const struct dg_live_builder *builder, uint32_t at, uint32_t end)
{
    const struct dg_flow_value *values = builder->flow->values;

    for (uint32_t i = at; i < end; i++) {
        if (values[builder->by_place[i]].fresh || values[builder->by_place[i]].first)
            return true;
    }
    return false;
}

/* Values at one byte of which some are updated, none is made, and one is read first, if
 * only by a delegate: a buffer that is written back, and views of it. */
static void note_buffers_at(struct dg_live_builder *builder, uint32_t at, uint32_t end)
{
    const struct dg_flow_value *values = builder->flow->values;
    struct dg_dataflow *dataflow = &builder->dataflow;

    if (any_fresh(builder, at, end))
        return;
    dg_dataflow_clear(dataflow);
    for (uint32_t i = at; i < end; i++)
        dg_live_builder_accesses(builder, builder->by_place[i]);
    dg_dataflow_sort(dataflow);
    if (dg_dataflow_unassigned(dataflow, DG_DATAFLOW_LOOK) == DG_FLOW_NONE)
        return;
    for (uint32_t i = at; i < end; i++)
        builder->live->buffer[builder->by_place[i]] |=
            values[builder->by_place[i]].updated;
}

void dg_live_builder_buffers(struct dg_live_builder *builder)
{
    const struct dg_flow_value *values = builder->flow->values;

    for (uint32_t i = 0; i < builder->flow->n_values; i++)
        builder->live->buffer[i] = values[i].state;
    for (uint32_t at = 0, end; at < builder->n_by_place; at = end) {
        for (end = at + 1; end < builder->n_by_place; end++) {
            if (!dg_live_same_place(&values[builder->by_place[end]],
                                    &values[builder->by_place[at]]))
                break;
        }
        note_buffers_at(builder, at, end);
    }
}

void dg_live_builder_state(struct dg_live_builder *builder, uint32_t value)
{
    struct dg_dataflow *dataflow = &builder->dataflow;
    const struct dg_flow_value *one = &builder->flow->values[value];
    uint32_t reader = one->updated && !one->fresh
                          ? dg_dataflow_unassigned(dataflow, DG_DATAFLOW_LOOK)
                          : DG_FLOW_NONE;

    if (reader == DG_FLOW_NONE || !dg_dataflow_defined_after(dataflow, reader))
        return;
    dataflow->first = dataflow->last = true;
    builder->live->buffer[value] = true;
}
