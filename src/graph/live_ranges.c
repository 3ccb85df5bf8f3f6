/* Finding the live ranges of each planned value: from its own reads and writes, those
 * of values at the same bytes, and those through handles. */
#include "graph/live_ranges.h"

#include <stdlib.h>

#include "base/csr.h"
#include "base/order.h"
#include "graph/live_parts.h"

static void index_accesses(struct dg_live_builder *builder)
{
    const struct dg_flow *flow = builder->flow;
    struct dg_arena *memory = &builder->dataflow.memory;
    uint32_t *value_of = dg_alloc(memory, flow->n_accesses, sizeof(*value_of));
    struct dg_csr accesses;

    builder->handle = dg_alloc(memory, flow->n_values, sizeof(bool));
    for (uint32_t i = 0; i < flow->n_accesses; i++) {
        value_of[i] = flow->accesses[i].value;
        builder->handle[value_of[i]] |= (flow->accesses[i].how & DG_FLOW_MOVE) != 0;
    }
    dg_csr_by_key(&accesses, value_of, flow->n_accesses, flow->n_values, memory);
    builder->access_of = accesses.begins;
    builder->accesses = accesses.items;
}

const struct dg_flow_access *
dg_live_builder_access(const struct dg_live_builder *builder, uint32_t k)
{
    return &builder->flow->accesses[builder->accesses[k]];
}

static void index_sources(struct dg_live_builder *builder)
{
    struct dg_arena *memory = &builder->dataflow.memory;
    uint32_t n = builder->flow->n_values, n_sources = 0;
    uint32_t *seen = dg_alloc(memory, n, sizeof(uint32_t));

    builder->source_of = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    builder->sources = dg_alloc(memory, builder->flow->n_accesses, sizeof(uint32_t));
    builder->moved = dg_alloc(memory, n, sizeof(bool));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = builder->handle[i] ? builder->access_of[i + 1] : 0;

        for (uint32_t k = builder->access_of[i]; k < end; k++) {
            const struct dg_flow_access *access = dg_live_builder_access(builder, k);

            if (!(access->how & DG_FLOW_MOVE))
                continue;
            builder->moved[i] |= builder->flow->nodes[access->node].moves;
            if (seen[access->from] != i + 1)
                builder->sources[n_sources++] = access->from;
            seen[access->from] = i + 1;
        }
        builder->source_of[i + 1] = n_sources;
    }
}

static int64_t place_of(const void *values, uint32_t i, unsigned key)
{
    const struct dg_flow_value *one = (const struct dg_flow_value *)values + i;

    return key ? one->begin : one->arena;
}

/* What is not planned comes first. */
static void index_places(struct dg_live_builder *builder)
{
    const struct dg_flow *flow = builder->flow;
    struct dg_arena *memory = &builder->dataflow.memory;
    uint32_t n = flow->n_values;

    builder->by_place = dg_order(n, place_of, 2, flow->values, memory);
    for (; n && flow->values[*builder->by_place].arena < 0; n--)
        builder->by_place++;
    builder->n_by_place = n;
    builder->place_of = dg_alloc(memory, flow->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++)
        builder->place_of[builder->by_place[i]] = i;
}

static unsigned event_of(unsigned how)
{
    unsigned what = 0;

    if (how & DG_FLOW_READ)
        what |= DG_DATAFLOW_USE;
    if (how & DG_FLOW_READ && !(how & DG_FLOW_UNSURE))
        what |= DG_DATAFLOW_CHECKED | DG_DATAFLOW_LOOK;
    if (how & DG_FLOW_DELEGATE)
        what |= DG_DATAFLOW_LOOK;
    if (how & DG_FLOW_WRITE)
        what |= DG_DATAFLOW_DEF | DG_DATAFLOW_OWN | DG_DATAFLOW_ASSIGN |
                (how & DG_FLOW_KEEP ? 0 : DG_DATAFLOW_KILL);
    if (how & DG_FLOW_MOVE)
        what |= DG_DATAFLOW_KILL | DG_DATAFLOW_ASSIGN;
    return what;
}

void dg_live_builder_accesses(struct dg_live_builder *builder, uint32_t value)
{
    for (uint32_t k = builder->access_of[value]; k < builder->access_of[value + 1]; k++)
        dg_dataflow_add(&builder->dataflow, dg_live_builder_access(builder, k)->node,
                        event_of(dg_live_builder_access(builder, k)->how));
}

void dg_live_builder_own(struct dg_live_builder *builder, uint32_t value)
{
    struct dg_dataflow *dataflow = &builder->dataflow;

    dg_dataflow_clear(dataflow);
    dataflow->first =
        builder->flow->values[value].first || builder->live->buffer[value];
    dataflow->last = builder->flow->values[value].last || builder->live->buffer[value];
    dg_live_builder_accesses(builder, value);
    dg_dataflow_sort(dataflow);
}

/* The writes of another value that begins at the same byte and covers this one. */
static void add_writes_of(struct dg_live_builder *builder, uint32_t other)
{
    for (uint32_t k = builder->access_of[other]; k < builder->access_of[other + 1];
         k++) {
        unsigned what = event_of(dg_live_builder_access(builder, k)->how);

        what &= ~(unsigned)(DG_DATAFLOW_USE | DG_DATAFLOW_CHECKED | DG_DATAFLOW_LOOK |
                            DG_DATAFLOW_OWN);
        if (what)
            dg_dataflow_add(&builder->dataflow,
                            dg_live_builder_access(builder, k)->node, what);
    }
    builder->dataflow.first |=
        builder->flow->values[other].first || builder->live->buffer[other];
}

/* Whether anything gives the value its bytes. */
static bool is_made(const struct dg_live_builder *builder, uint32_t value)
{
    const struct dg_flow_value *one = &builder->flow->values[value];

    return one->fresh || one->updated || one->first || builder->handle[value] ||
           builder->live->buffer[value];
}

void dg_live_builder_neighbours(struct dg_live_builder *builder, uint32_t value,
                                bool equal)
{
    const struct dg_flow_value *values = builder->flow->values;
    uint32_t at = builder->place_of[value];

    while (at > 0 &&
           dg_live_same_place(&values[builder->by_place[at - 1]], &values[value]))
        at--;
    for (; at < builder->n_by_place; at++) {
        uint32_t other = builder->by_place[at];

        if (!dg_live_same_place(&values[other], &values[value]) ||
            !builder->dataflow.work)
            break;
        builder->dataflow.work--;
        if (other != value && values[other].end >= values[value].end &&
            !(equal && values[other].end > values[value].end) &&
            is_made(builder, other))
            add_writes_of(builder, other);
    }
    dg_dataflow_sort(&builder->dataflow);
}

/* Whether some access has bits of `how`, and none of `but`. */
static bool has_access(const struct dg_live_builder *builder, uint32_t value,
                       unsigned how, unsigned but)
{
    for (uint32_t k = builder->access_of[value]; k < builder->access_of[value + 1];
         k++) {
        unsigned one = dg_live_builder_access(builder, k)->how;

        if (one & how && !(one & but))
            return true;
    }
    return false;
}

bool dg_live_builder_unsure(const struct dg_live_builder *builder, uint32_t value)
{
    return has_access(builder, value, DG_FLOW_UNSURE, 0);
}

uint32_t dg_live_builder_variable(struct dg_live_builder *builder, uint32_t value,
                                  uint32_t via)
{
    struct dg_live_ranges *live = builder->live;

    *DG_APPEND(live->variables, live->n_variables) =
        (struct dg_live_variable){.value = value, .via = via};
    return live->n_variables - 1;
}

static void note_undefined(struct dg_live_builder *builder, uint32_t value,
                           uint32_t node)
{
    struct dg_live_ranges *live = builder->live;

    *DG_APPEND(live->undefined, live->n_undefined) =
        (struct dg_live_place){node, value};
}

/* A read that nothing precedes: of a view whose base was written; of a buffer, which
 * keeps its bytes from run to run and is updated later on; or wrong. What a delegate
 * reads and something updates later is a buffer, whatever lies there. Returns
 * whether the value is a view. */
static bool explain(struct dg_live_builder *builder, uint32_t value, uint32_t reader)
{
    struct dg_dataflow *dataflow = &builder->dataflow;
    bool unsure = dg_live_builder_unsure(builder, value);
    const struct dg_flow_value *one = &builder->flow->values[value];
    bool updated =
        one->updated && !one->fresh && dg_dataflow_defined_after(dataflow, reader);

    if (!updated || !has_access(builder, value, DG_FLOW_DELEGATE, 0)) {
        dg_live_builder_neighbours(builder, value, false);
        reader = dg_dataflow_unassigned(dataflow, DG_DATAFLOW_CHECKED);
        if (reader == DG_FLOW_NONE)
            return true;
        dg_live_builder_own(builder, value);
    }
    if (unsure || updated)
        dataflow->first = dataflow->last = true;
    else
        note_undefined(builder, value, reader);
    builder->live->buffer[value] |=
        updated && !has_access(builder, value, DG_FLOW_UNSURE, DG_FLOW_DELEGATE);
    return false;
}

/* An out argument stands twice among the operands: as argument and as result. */
static void add_writes(struct dg_live_builder *builder, uint32_t value,
                       uint32_t variable)
{
    struct dg_live_ranges *live = builder->live;
    uint32_t last = DG_FLOW_NONE;

    for (uint32_t k = builder->access_of[value]; k < builder->access_of[value + 1];
         k++) {
        const struct dg_flow_access *access = dg_live_builder_access(builder, k);

        if (!(access->how & DG_FLOW_WRITE) || access->node == last ||
            builder->flow->nodes[access->node].nop)
            continue;
        *DG_APPEND(live->writes, live->n_writes) =
            (struct dg_live_place){access->node, variable};
        last = access->node;
    }
}

static void find_own(struct dg_live_builder *builder, uint32_t value)
{
    uint32_t variable = dg_live_builder_variable(builder, value, DG_FLOW_NONE), reader;

    dg_live_builder_own(builder, value);
    reader = dg_dataflow_unassigned(&builder->dataflow, DG_DATAFLOW_CHECKED);
    if (reader != DG_FLOW_NONE)
        builder->live->variables[variable].alias = explain(builder, value, reader);
    else
        dg_live_builder_state(builder, value);
    dg_dataflow_ranges(&builder->dataflow, variable);
    add_writes(builder, value, variable);
}

static void find_value(struct dg_live_builder *builder, struct dg_sources *sources,
                       uint32_t value)
{
    const struct dg_flow_value *one = &builder->flow->values[value];

    if (one->arena >= 0)
        find_own(builder, value);
    if (builder->handle[value])
        dg_live_builder_handle(builder, sources, value);
    if (one->bare)
        dg_live_builder_bare(builder, value);
    if (one->made && one->last)
        dg_live_builder_output(builder, value);
}

static void find_all(struct dg_live_builder *builder)
{
    const struct dg_flow *flow = builder->flow;
    struct dg_arena *memory = &builder->dataflow.memory;
    struct dg_sources sources = {0};

    sources.stack = dg_alloc(memory, flow->n_values, sizeof(uint32_t));
    sources.stamp = dg_alloc(memory, flow->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < flow->n_values && !builder->live->too_large; i++)
        find_value(builder, &sources, i);
    free(sources.items);
}

bool dg_live_one_buffer(const struct dg_live_ranges *live, uint32_t a, uint32_t b)
{
    const struct dg_flow_value *left = &live->flow->values[a];
    const struct dg_flow_value *right = &live->flow->values[b];

    return live->buffer[a] && live->buffer[b] && dg_live_same_place(left, right) &&
           !(left->restored && right->restored);
}

bool dg_live_counted(const struct dg_live_ranges *live, uint32_t i,
                     struct dg_live_range *range)
{
    *range = live->ranges[i];
    if (!live->buffer[live->variables[range->variable].value])
        return true;
    range->begin = 0;
    range->end = live->flow->n_nodes - 1;
    range->entered = true;
    return !i || live->ranges[i - 1].variable != range->variable;
}

/* Without instructions nothing is written. */
static void miss_all(struct dg_live_ranges *live)
{
    for (uint32_t i = 0; i < live->flow->n_values; i++) {
        const struct dg_flow_value *one = &live->flow->values[i];

        live->buffer[i] = one->state;
        if (one->made && one->last && !one->first)
            *DG_APPEND(live->missing, live->n_missing) =
                (struct dg_live_place){DG_FLOW_NONE, i};
    }
}

void dg_live_ranges_find(struct dg_live_ranges *live, const struct dg_flow *flow)
{
    struct dg_live_builder builder = {.live = live, .flow = flow};

    *live = (struct dg_live_ranges){.flow = flow, .too_large = flow->too_large};
    live->buffer = dg_alloc(&live->memory, flow->n_values, sizeof(*live->buffer));
    if (!flow->n_nodes) {
        miss_all(live);
        return;
    }
    dg_dataflow_begin(&builder.dataflow, live);
    index_accesses(&builder);
    index_sources(&builder);
    index_places(&builder);
    dg_live_builder_buffers(&builder);
    find_all(&builder);
    live->too_large |= !builder.dataflow.work;
    dg_dataflow_end(&builder.dataflow);
}

void dg_live_ranges_clear(struct dg_live_ranges *live)
{
    free(live->variables);
    free(live->ranges);
    free(live->writes);
    free(live->undefined);
    free(live->missing);
    free(live->bare);
    dg_arena_clear(&live->memory);
    *live = (struct dg_live_ranges){0};
}
