/* Where the jumps of a .pte lead. */
#include <stdlib.h>

#include "graph/plan.h"
#include "verifiers/control_flow_parts.h"
#include "verifiers/graph_parts.h"

static const char jumping_graphs[] =
    "SELECT DISTINCT graph_id FROM node WHERE kind = 'jump_false_call' ORDER BY 1";

typedef enum dg_status look_fn(const struct dg_findings *found,
                               const struct dg_plan *plan, struct dg_error *err);

static enum dg_status look_at(const struct dg_findings *found, int64_t graph,
                              look_fn *look, struct dg_error *err)
{
    struct dg_plan plan;
    enum dg_status status = dg_plan_load(&plan, found->store, graph, err);

    if (!status)
        status = look(found, &plan, err);
    dg_plan_clear(&plan);
    return status;
}

static void find_reached(const struct dg_plan *plan, bool *reached, uint32_t *queue)
{
    uint32_t n = 0;

    if (plan->n_blocks) {
        reached[0] = true;
        queue[n++] = 0;
    }
    while (n) {
        const struct dg_plan_block *block = &plan->blocks[queue[--n]];

        for (int i = 0; i < 2; i++) {
            uint32_t next = block->next[i];

            if (next == DG_PLAN_NONE || reached[next])
                continue;
            reached[next] = true;
            queue[n++] = next;
        }
    }
}

static enum dg_status find_skipped(const struct dg_findings *found,
                                   const struct dg_plan *plan, const bool *reached,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < plan->n_blocks && !status; i++) {
        uint32_t begin = plan->blocks[i].begin;
        uint32_t end =
            i + 1 < plan->n_blocks ? plan->blocks[i + 1].begin : plan->n_nodes;
        struct dg_arena memory = {0};
        struct dg_finding finding = {.node = plan->first_id + begin};

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
                                           const struct dg_plan *plan,
                                           struct dg_error *err)
{
    struct dg_arena memory = {0};
    bool *reached = dg_alloc(&memory, plan->n_blocks, sizeof(*reached));
    uint32_t *queue = dg_alloc(&memory, plan->n_blocks, sizeof(*queue));
    enum dg_status status;

    find_reached(plan, reached, queue);
    status = find_skipped(found, plan, reached, err);
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
static uint32_t condition_of(const struct dg_plan *plan, uint32_t node)
{
    for (uint32_t i = plan->touch_of[node]; i < plan->touch_of[node + 1]; i++) {
        if (plan->touches[i].how & DG_TOUCH_READ)
            return plan->touches[i].value;
    }
    return DG_PLAN_NONE;
}

static enum dg_status find_endless(const struct dg_findings *found,
                                   const struct dg_plan *plan, uint32_t node,
                                   uint32_t condition, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_finding finding = {
        .node = plan->first_id + node,
        .value = plan->values[condition].id,
        .message = dg_format(&memory,
                             "jumps back to instruction %lld while value %lld is false,"
                             " and nothing between them writes it",
                             (long long)plan->nodes[node].jump,
                             (long long)plan->values[condition].idx)};
    enum dg_status status = dg_find(found, &finding, err);

    dg_arena_clear(&memory);
    return status;
}

/* The last write of each value suffices: a loop holds it if it comes behind the start.
 */
static enum dg_status look_for_endless(const struct dg_findings *found,
                                       const struct dg_plan *plan, struct dg_error *err)
{
    struct dg_arena memory = {0};
    uint32_t *written = dg_alloc(&memory, plan->n_values, sizeof(*written));
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < plan->n_nodes && !status; i++) {
        const struct dg_plan_node *node = &plan->nodes[i];
        uint32_t condition;

        for (uint32_t j = plan->touch_of[i]; j < plan->touch_of[i + 1]; j++) {
            if (plan->touches[j].how & (DG_TOUCH_WRITE | DG_TOUCH_MOVE))
                written[plan->touches[j].value] = i + 1;
        }
        if (!node->jumps || node->jump < 0 || node->jump > i)
            continue;
        condition = condition_of(plan, i);
        if (condition != DG_PLAN_NONE && written[condition] <= node->jump)
            status = find_endless(found, plan, i, condition, err);
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
