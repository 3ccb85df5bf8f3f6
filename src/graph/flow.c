/* Reading a method's instructions from the store. */
#include <stdlib.h>
#include <string.h>

#include "graph/flow_parts.h"
#include "store/lists.h"

static void place_value(struct dg_flow_value *value, const struct dg_model_value *from)
{
    value->arena = -1;
    if (from->mem_id == DG_NONE || from->offset < 0 || from->nbytes <= 0 ||
        from->offset > INT64_MAX - from->nbytes)
        return;
    value->arena = from->mem_id;
    value->begin = from->offset;
    value->end = from->offset + from->nbytes;
}

static void take_value(struct dg_flow_value *value, const struct dg_model_value *from)
{
    bool filled = from->kind == DG_VALUE_TENSOR && from->nbytes > 0;

    value->idx = from->idx;
    value->constant = -1;
    place_value(value, from);
    if (from->kind == DG_VALUE_BOOL && from->said)
        value->constant = from->as.integer != 0;
    value->named = from->name.data != NULL;
    value->state =
        from->storage == DG_STORED_MUTABLE || (value->arena >= 0 && value->named);
    value->bare = filled && from->storage == DG_STORED_RUNTIME;
    value->made = value->bare || (filled && from->storage == DG_STORED_PLANNED);
}

static enum dg_status take_values(struct dg_flow_loader *loader, struct dg_error *err)
{
    enum dg_status status = dg_model_values_read(&loader->values, loader->store, err);
    const struct dg_value_graph *graph =
        status ? NULL : dg_value_graph_of(loader->values, loader->flow->graph_id);

    if (!graph)
        return status;
    loader->flow->stored = &loader->values->items[graph->first];
    loader->flow->n_values = (uint32_t)graph->n;
    loader->flow->values = dg_zeroed(graph->n, sizeof(*loader->flow->values));
    for (size_t i = 0; i < graph->n; i++)
        take_value(&loader->flow->values[i], &loader->flow->stored[i]);
    return DG_OK;
}

uint32_t dg_flow_value_at(const struct dg_flow *flow, int64_t idx)
{
    uint32_t low = 0, high = flow->n_values;

    if (idx >= 0 && idx < high && flow->values[idx].idx == idx)
        return (uint32_t)idx;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (flow->values[middle].idx < idx)
            low = middle + 1;
        else
            high = middle;
    }
    return low < flow->n_values && flow->values[low].idx == idx ? low : DG_FLOW_NONE;
}

static enum dg_status read_signature(struct dg_flow_loader *loader,
                                     struct dg_error *err)
{
    struct dg_flow *flow = loader->flow;
    struct dg_rows rows = dg_rows_of(
        loader->store, "SELECT direction, value_idx FROM signature WHERE graph_id = ?1",
        flow->graph_id, err);

    while (dg_rows_next(&rows)) {
        uint32_t value = dg_flow_value_at(flow, dg_rows_int_or(&rows, 1, -1));

        if (value == DG_FLOW_NONE)
            continue;
        if (dg_text_is(dg_rows_slice(&rows, 0), "input"))
            flow->values[value].first = true;
        else
            flow->values[value].last = true;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* How values come to their bytes. What an operator updates it may give back, too. */
static void mark_values_of(struct dg_flow *flow, uint32_t node, uint32_t *updated_at)
{
    uint32_t begin = flow->access_of[node], end = flow->access_of[node + 1];

    for (uint32_t i = begin; i < end; i++) {
        if (flow->accesses[i].how & DG_FLOW_UPDATE)
            updated_at[flow->accesses[i].value] = node + 1;
    }
    for (uint32_t i = begin; i < end; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];
        struct dg_flow_value *value = &flow->values[access->value];
        unsigned how = access->how;

        value->updated |= (how & DG_FLOW_UPDATE) != 0;
        value->restored |= how & DG_FLOW_UPDATE && !(how & DG_FLOW_READ);
        if (how & DG_FLOW_MOVE)
            value->fresh |= updated_at[access->from] != node + 1;
        else if (how & DG_FLOW_WRITE)
            value->fresh |= updated_at[access->value] != node + 1;
    }
}

static void mark_values(struct dg_flow *flow)
{
    uint32_t *updated_at = dg_zeroed(flow->n_values, sizeof(*updated_at));

    for (uint32_t i = 0; flow->n_accesses && i < flow->n_nodes; i++)
        mark_values_of(flow, i, updated_at);
    free(updated_at);
}

static void index_accesses(struct dg_flow *flow)
{
    flow->access_of = dg_alloc(&flow->memory, flow->n_nodes + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < flow->n_accesses; i++) {
        const struct dg_flow_access *one = &flow->accesses[i];

        flow->access_of[one->node + 1]++;
        if (one->how & ~(unsigned)DG_FLOW_READ)
            flow->values[one->value].constant = -1;
    }
    for (uint32_t i = 0; i < flow->n_nodes; i++)
        flow->access_of[i + 1] += flow->access_of[i];
}

/* A jump whose condition is a constant goes one way. */
static void settle_jumps(struct dg_flow *flow)
{
    for (uint32_t i = 0; i < flow->n_nodes; i++) {
        struct dg_flow_node *node = &flow->nodes[i];
        signed char constant = -1;

        if (!node->jumps)
            continue;
        if (flow->access_of[i] < flow->access_of[i + 1])
            constant = flow->values[flow->accesses[flow->access_of[i]].value].constant;
        node->falls = constant != 0;
        node->jumps = constant != 1;
    }
}

enum dg_status dg_flow_load(struct dg_flow *flow, struct dg_store *store, int64_t id,
                            struct dg_error *err)
{
    struct dg_flow_loader loader = {.flow = flow, .store = store};
    enum dg_status status;
    bool few;

    *flow = (struct dg_flow){.graph_id = id};
    status = dg_store_lists_bounded(&few, store, err);
    flow->too_large = !few;
    if (!status)
        status = take_values(&loader, err);
    if (!status)
        status = dg_flow_read_calls(&loader, err);
    if (!status)
        status = read_signature(&loader, err);
    for (uint32_t i = 0; i < flow->n_values; i++) {
        flow->values[i].first |= flow->values[i].state;
        flow->values[i].last |= flow->values[i].state;
    }
    index_accesses(flow);
    mark_values(flow);
    settle_jumps(flow);
    dg_flow_divide(flow);
    return status;
}

void dg_flow_clear(struct dg_flow *flow)
{
    free(flow->values);
    free(flow->nodes);
    free(flow->accesses);
    dg_arena_clear(&flow->memory);
    *flow = (struct dg_flow){0};
}
