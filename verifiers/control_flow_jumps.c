/* Where the jumps of a .pte lead. */
#include <stdlib.h>

#include "graph/flow.h"
#include "verifiers/control_flow_parts.h"
#include "verifiers/graph_parts.h"

static const char jumping_graphs[] =
    "SELECT DISTINCT graph_id FROM node WHERE kind = 'jump_false_call'"
    "   AND " DG_RARE("node") " ORDER BY 1";

typedef enum dg_status look_fn(const struct dg_findings *found,
                               const struct dg_flow *flow, struct dg_error *err);

static enum dg_status look_at(const struct dg_findings *found, int64_t graph,
                              look_fn *look, struct dg_error *err)
{
    struct dg_flow flow;
    enum dg_status status = dg_flow_load(&flow, found->store, graph, err);

    if (!status)
        status = look(found, &flow, err);
    dg_flow_clear(&flow);
    return status;
}

static void find_reached(const struct dg_flow *flow, bool *reached, uint32_t *queue)
{
    uint32_t n = 0;

    if (flow->n_blocks) {
        reached[0] = true;
        queue[n++] = 0;
    }
    while (n) {
        const struct dg_flow_block *block = &flow->blocks[queue[--n]];

        for (int i = 0; i < 2; i++) {
            uint32_t next = block->next[i];

            if (next == DG_FLOW_NONE || reached[next])
                continue;
            reached[next] = true;
            queue[n++] = next;
        }
    }
}

static enum dg_status find_skipped(const struct dg_findings *found,
                                   const struct dg_flow *flow, const bool *reached,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < flow->n_blocks && !status; i++) {
        uint32_t begin = flow->blocks[i].begin;
        uint32_t end =
            i + 1 < flow->n_blocks ? flow->blocks[i + 1].begin : flow->n_nodes;
        struct dg_arena memory = {0};
        struct dg_finding finding = {.node = flow->first_id + begin};

        if (reached[i])
            continue;
        finding.message =
            dg_format(&memory, "no way from the first instruction leads to this one%s",
                      end > begin + 1 ? " and those behind it" : "");
        status = dg_find(found, &finding, err);
        dg_arena_clear(&memory);
    }
    return status;
}

static enum dg_status look_for_unreachable(const struct dg_findings *found,
                                           const struct dg_flow *flow,
                                           struct dg_error *err)
{
    struct dg_arena memory = {0};
    bool *reached = dg_alloc(&memory, flow->n_blocks, sizeof(*reached));
    uint32_t *queue = dg_alloc(&memory, flow->n_blocks, sizeof(*queue));
    enum dg_status status;

    find_reached(flow, reached, queue);
    status = find_skipped(found, flow, reached, err);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status look_at_reach(const struct dg_findings *found, int64_t graph,
                                    struct dg_error *err)
{
    return look_at(found, graph, look_for_unreachable, err);
}

enum dg_status dg_check_unreachable(const struct dg_findings *found,
                                    struct dg_error *err)
{
    return dg_each_graph(found, jumping_graphs, look_at_reach, err);
}

/* A jump back tests the value it reads first. */
static uint32_t condition_of(const struct dg_flow *flow, uint32_t node)
{
    for (uint32_t i = flow->access_of[node]; i < flow->access_of[node + 1]; i++) {
        if (flow->accesses[i].how & DG_FLOW_READ)
            return flow->accesses[i].value;
    }
    return DG_FLOW_NONE;
}

/* What is known of the loops of a method. */
struct loops {
    const struct dg_flow *flow;
    uint32_t *written; /* by value: 1 + the last instruction so far that wrote it */
    uint32_t *wanted;  /* by value: the loop in which something depends on it */
    uint32_t *list, n_list, capacity; /* of values that were wanted in this loop */
    uint32_t number;
    uint64_t steps; /* that may still be taken */
    bool has_exit;
};

enum { STEPS_PER_NODE = 16 };

static void want(struct loops *loops, uint32_t value)
{
    if (value == DG_FLOW_NONE || loops->wanted[value] == loops->number ||
        loops->n_list == loops->capacity)
        return;
    loops->wanted[value] = loops->number;
    loops->list[loops->n_list++] = value;
}

/* Whether the instruction jumps, or makes something that is wanted. */
static bool matters(struct loops *loops, uint32_t node)
{
    const struct dg_flow *flow = loops->flow;
    bool found = flow->nodes[node].jumps;

    for (uint32_t i = flow->access_of[node]; i < flow->access_of[node + 1]; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];

        if (!(access->how & (DG_FLOW_WRITE | DG_FLOW_MOVE)) ||
            loops->wanted[access->value] != loops->number)
            continue;
        found = true;
        if (!(access->how & DG_FLOW_KEEP))
            loops->wanted[access->value] = 0;
    }
    return found;
}

/* False: what a delegate computes whose blob is not known, or a call without operands,
 * may be another thing each time. */
static bool want_operands(struct loops *loops, uint32_t node)
{
    const struct dg_flow *flow = loops->flow;
    bool any = false;

    for (uint32_t i = flow->access_of[node]; i < flow->access_of[node + 1]; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];

        if (access->how & DG_FLOW_UNSURE)
            return false;
        any |= (access->how & (DG_FLOW_READ | DG_FLOW_MOVE)) != 0;
        if (access->how & DG_FLOW_READ)
            want(loops, access->value);
        if (access->how & DG_FLOW_MOVE)
            want(loops, access->from);
    }
    return any;
}

static bool has_exit(const struct dg_flow *flow, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        const struct dg_flow_node *node = &flow->nodes[i];

        if (node->jumps && (node->jump < begin || node->jump > end))
            return true;
    }
    return false;
}

/* Whether the ways through instructions begin..end, from their jumps back to the
 * operands, are the same each time: none begins at a value that the loop writes. */
static bool is_same_each_time(struct loops *loops, uint32_t begin, uint32_t end)
{
    loops->number++;
    loops->n_list = 0;
    loops->has_exit = true;
    if (end - begin >= loops->steps)
        return false;
    loops->steps -= end - begin + 1;
    loops->has_exit = has_exit(loops->flow, begin, end);
    for (uint32_t i = end + 1; i-- > begin;) {
        if (matters(loops, i) && !want_operands(loops, i))
            return false;
    }
    for (uint32_t i = 0; i < loops->n_list; i++) {
        uint32_t value = loops->list[i];

        if (loops->wanted[value] == loops->number && loops->written[value] > begin)
            return false;
    }
    return loops->n_list < loops->capacity;
}

static enum dg_status find_endless(const struct dg_findings *found,
                                   const struct loops *loops, uint32_t node,
                                   uint32_t condition, struct dg_error *err)
{
    const struct dg_flow *flow = loops->flow;
    const struct dg_flow_value *value = &flow->values[condition];
    bool computed = loops->written[condition] > flow->nodes[node].jump;
    bool never = !value->constant && !loops->has_exit;
    struct dg_arena memory = {0};
    struct dg_finding finding = {
        .node = flow->first_id + node,
        .value = flow->stored[condition].id,
        .severity = never ? "error" : NULL,
        .message = dg_format(
            &memory, "jumps back to instruction %lld while value %lld is false, %s",
            (long long)flow->nodes[node].jump, (long long)value->idx,
            never      ? "which it always is"
            : computed ? "and what it is computed from is the same each time"
                       : "and nothing between them writes it")};
    enum dg_status status = dg_find(found, &finding, err);

    dg_arena_clear(&memory);
    return status;
}

static enum dg_status look_at_jump(const struct dg_findings *found, struct loops *loops,
                                   uint32_t node, struct dg_error *err)
{
    const struct dg_flow_node *jump = &loops->flow->nodes[node];
    uint32_t condition = DG_FLOW_NONE;

    if (jump->jumps && jump->jump >= 0 && jump->jump <= node)
        condition = condition_of(loops->flow, node);
    if (condition == DG_FLOW_NONE)
        return DG_OK;
    if (!is_same_each_time(loops, (uint32_t)jump->jump, node) &&
        loops->written[condition] > jump->jump)
        return DG_OK;
    return find_endless(found, loops, node, condition, err);
}

/* The last write of each value suffices: a loop holds it if it comes behind the start.
 */
static enum dg_status look_for_endless(const struct dg_findings *found,
                                       const struct dg_flow *flow, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct loops loops = {
        .flow = flow,
        .written = dg_alloc(&memory, flow->n_values, sizeof(uint32_t)),
        .wanted = dg_alloc(&memory, flow->n_values, sizeof(uint32_t)),
        .list = dg_alloc(&memory, flow->n_accesses + 1, sizeof(uint32_t)),
        .capacity = flow->n_accesses + 1,
        .steps = (uint64_t)STEPS_PER_NODE * flow->n_nodes,
    };
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < flow->n_nodes && !status; i++) {
        for (uint32_t j = flow->access_of[i]; j < flow->access_of[i + 1]; j++) {
            if (flow->accesses[j].how & (DG_FLOW_WRITE | DG_FLOW_MOVE))
                loops.written[flow->accesses[j].value] = i + 1;
        }
        status = look_at_jump(found, &loops, i, err);
    }
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status look_at_loops(const struct dg_findings *found, int64_t graph,
                                    struct dg_error *err)
{
    return look_at(found, graph, look_for_endless, err);
}

enum dg_status dg_check_loop_terminates(const struct dg_findings *found,
                                        struct dg_error *err)
{
    return dg_each_graph(found, jumping_graphs, look_at_loops, err);
}
