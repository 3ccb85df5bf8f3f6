/* What a forward jump leaves uncomputed although it is read where the ways join:
 * numbers and bools of a .pte. Tensors are the business of memory/use-before-def. */
#include <stdlib.h>

#include "graph/flow.h"
#include "verifiers/control_flow_parts.h"
#include "verifiers/graph_parts.h"

enum { STEPS_PER_NODE = 64, LEAST_STEPS = 1 << 20 };

/* One method. */
struct join {
    const struct dg_findings *found;
    const struct dg_flow *flow;
    struct dg_flow_access *uses; /* of scalars, by value, then by node */
    uint32_t *use_of;            /* uses of value i begin at use_of[i] */
    uint32_t *written; /* by block: 1 + the value whose search met a write there */
    uint32_t *seen;    /* by block: which search came there last */
    uint32_t *next;    /* by block: the way from there to the reader */
    uint32_t *queue;
    uint32_t n_searches;
    uint64_t steps; /* that are left */
    struct dg_arena memory;
};

static const char jumping[] =
    "SELECT DISTINCT graph_id FROM node WHERE kind = 'jump_false_call'"
    "   AND " DG_RARE("node") " ORDER BY 1";

static enum dg_status mark_scalars(const struct join *join, bool *scalar,
                                   struct dg_error *err)
{
    const struct dg_flow *flow = join->flow;
    uint32_t at = 0;
    struct dg_rows rows = dg_rows_of(join->found->store,
                                     "SELECT idx FROM value WHERE graph_id = ?1 "
                                     "AND kind IN ('int', 'bool', 'double')"
                                     " ORDER BY idx",
                                     flow->graph_id, err);

    while (dg_rows_next(&rows)) {
        while (at < flow->n_values && flow->values[at].idx < dg_rows_int(&rows, 0))
            at++;
        if (at < flow->n_values && flow->values[at].idx == dg_rows_int(&rows, 0))
            scalar[at] = !flow->values[at].first;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void sort_uses(struct join *join, const bool *scalar)
{
    const struct dg_flow *flow = join->flow;
    uint32_t *end = dg_alloc(&join->memory, flow->n_values + 2, sizeof(*end));

    for (uint32_t i = 0; i < flow->n_accesses; i++)
        end[flow->accesses[i].value + 2] += scalar[flow->accesses[i].value];
    for (uint32_t i = 2; i < flow->n_values + 2; i++)
        end[i] += end[i - 1];
    join->uses =
        dg_alloc(&join->memory, end[flow->n_values + 1] + 1, sizeof(*join->uses));
    for (uint32_t i = 0; i < flow->n_accesses; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];

        if (scalar[access->value])
            join->uses[end[access->value + 1]++] = *access;
    }
    join->use_of = end;
}

static uint32_t last_node(const struct dg_flow *flow, uint32_t block)
{
    return block + 1 < flow->n_blocks ? flow->blocks[block + 1].begin - 1
                                      : flow->n_nodes - 1;
}

/* The jump on the way to the reader that leads over node `write`. */
static uint32_t find_jump(const struct join *join, uint32_t write)
{
    const struct dg_flow *flow = join->flow;
    uint32_t block = 0;

    while (flow->blocks[join->next[block]].begin <= write)
        block = join->next[block];
    return last_node(flow, block);
}

/* Whether some way from the first instruction to `block` meets no write of `value`. */
static bool reaches(struct join *join, uint32_t block, uint32_t value)
{
    const struct dg_flow *flow = join->flow;
    uint32_t n = 0, search = ++join->n_searches;

    join->queue[n++] = block;
    while (n && join->steps) {
        uint32_t one = join->queue[--n];

        join->steps--;
        if (!one && join->seen[one] == search)
            return true;
        for (uint32_t i = flow->previous_of[one]; i < flow->previous_of[one + 1]; i++) {
            uint32_t before = flow->previous[i];

            if (join->seen[before] == search || join->written[before] == value + 1)
                continue;
            join->seen[before] = search;
            join->next[before] = one;
            join->queue[n++] = before;
        }
    }
    return false;
}

static enum dg_status report(const struct join *join, uint32_t read, uint32_t write,
                             uint32_t value, struct dg_error *err)
{
    const struct dg_flow *flow = join->flow;
    uint32_t jump = find_jump(join, write);
    struct dg_arena memory = {0};
    struct dg_finding finding = {
        .node = flow->first_id + read,
        .value = flow->stored[value].id,
        .message = dg_format(&memory,
                             "op_%u reads value %lld, which op_%u writes; op_%u jumps"
                             " over that",
                             read, (long long)flow->stored[value].idx, write, jump),
        .witness =
            dg_format(&memory, "[\"op_%u\",\"op_%u\",\"op_%u\"]", jump, write, read)};
    enum dg_status status = dg_find(join->found, &finding, err);

    dg_arena_clear(&memory);
    return status;
}

/* Values that are read before they are written start with what the file says. The first
 * read that may miss the writes before it is reported. */
static enum dg_status look_at_value(struct join *join, uint32_t value,
                                    struct dg_error *err)
{
    const struct dg_flow *flow = join->flow;
    uint32_t write = DG_FLOW_NONE;

    for (uint32_t i = join->use_of[value]; i < join->use_of[value + 1]; i++) {
        if (join->uses[i].how & ~(unsigned)DG_FLOW_READ)
            join->written[flow->block_of[join->uses[i].node]] = value + 1;
    }
    for (uint32_t i = join->use_of[value]; i < join->use_of[value + 1]; i++) {
        uint32_t node = join->uses[i].node, block = flow->block_of[node];

        if (join->uses[i].how & DG_FLOW_READ && write != DG_FLOW_NONE &&
            write < flow->blocks[block].begin && reaches(join, block, value))
            return report(join, node, write, value, err);
        if (join->uses[i].how & ~(unsigned)DG_FLOW_READ)
            write = node;
    }
    return DG_OK;
}

static enum dg_status look_at_plan(struct join *join, struct dg_error *err)
{
    const struct dg_flow *flow = join->flow;
    bool *scalar = dg_alloc(&join->memory, flow->n_values + 1, sizeof(*scalar));
    enum dg_status status = mark_scalars(join, scalar, err);

    if (status)
        return status;
    sort_uses(join, scalar);
    join->written = dg_alloc(&join->memory, flow->n_blocks, sizeof(uint32_t));
    join->seen = dg_alloc(&join->memory, flow->n_blocks, sizeof(uint32_t));
    join->next = dg_alloc(&join->memory, flow->n_blocks, sizeof(uint32_t));
    join->queue = dg_alloc(&join->memory, flow->n_blocks + 1, sizeof(uint32_t));
    join->steps = (uint64_t)flow->n_nodes * STEPS_PER_NODE + LEAST_STEPS;
    for (uint32_t i = 0; i < flow->n_values && !status; i++)
        status = look_at_value(join, i, err);
    return status;
}

static enum dg_status give_up(const struct join *join, struct dg_error *err)
{
    struct dg_finding finding = {
        .graph = join->flow->graph_id,
        .severity = "note",
        .message = dg_text("the method has too many jumps to follow all of them")};

    return dg_find(join->found, &finding, err);
}

static enum dg_status look_at_graph(const struct dg_findings *found, int64_t graph,
                                    struct dg_error *err)
{
    struct dg_flow flow;
    struct join join = {.found = found, .flow = &flow};
    enum dg_status status = dg_flow_load(&flow, found->store, graph, err);

    if (!status && flow.n_nodes) {
        status = look_at_plan(&join, err);
        if (!status && !join.steps)
            status = give_up(&join, err);
    }
    dg_arena_clear(&join.memory);
    dg_flow_clear(&flow);
    return status;
}

enum dg_status dg_check_jump_forward(const struct dg_findings *found,
                                     struct dg_error *err)
{
    return dg_each_graph(found, jumping, look_at_graph, err);
}
