/* All plans of a small graph. */
#include "plans/every_plan.h"

#include "partition/partition.h"

int64_t plan_border(const struct dg_graph *graph, const uint16_t *marks,
                    const uint32_t *part_of, const int64_t *weights)
{
    int64_t sum = 0;

    for (uint32_t value = 0; value < graph->n_nodes; value++) {
        int64_t weight = weights ? weights[value] : 1;
        uint64_t seen = 0;
        bool leaves = false;

        if (marks[value] & DG_MARK_CONSTANT)
            continue;
        for (uint32_t k = graph->user_of[value]; k < graph->user_of[value + 1]; k++) {
            uint32_t part = part_of[graph->users[k]];

            leaves = leaves || part != part_of[value];
            if (part != DG_NO_PART && part != part_of[value] && !(seen >> part & 1)) {
                seen |= (uint64_t)1 << part;
                sum += weight;
            }
        }
        sum += leaves && part_of[value] != DG_NO_PART ? weight : 0;
    }
    return sum;
}

/* Sets of nodes as bits. */
struct sets {
    uint32_t inputs[EVERY_NODES];                         /* of each node */
    uint32_t members[EVERY_NODES], types[EVERY_NODES], n; /* of each part */
};

/* Whether the parts, and the nodes of no part, can run one after another. */
static bool can_run(const struct sets *sets, const struct dg_graph *graph,
                    const uint32_t *part_of)
{
    uint32_t all = ((uint32_t)1 << graph->n_nodes) - 1, done = 0, before;

    do {
        before = done;
        for (uint32_t node = 0; node < graph->n_nodes; node++) {
            uint32_t part = part_of[node], members, inputs = 0;

            members = part == DG_NO_PART ? (uint32_t)1 << node : sets->members[part];
            for (uint32_t i = 0; i < graph->n_nodes; i++)
                inputs |= members >> i & 1 ? sets->inputs[i] : 0;
            if (!(inputs & ~members & ~done))
                done |= members;
        }
    } while (done != before);
    return done == all;
}

static void judge(struct every_plan *plan, const struct sets *sets,
                  const uint32_t *part_of)
{
    int64_t border;

    if (sets->n > plan->least_parts || !can_run(sets, plan->graph, part_of))
        return;
    border = plan_border(plan->graph, plan->marks, part_of, plan->weights);
    if (sets->n < plan->least_parts || border < plan->least_border)
        plan->least_border = border;
    plan->least_parts = sets->n;
}

/* Nodes from `node` on go to each part that may have them, and to one of their own. */
static void go_on(struct every_plan *plan, struct sets *sets, uint32_t *part_of,
                  uint32_t node)
{
    if (node == plan->graph->n_nodes) {
        judge(plan, sets, part_of);
        return;
    }
    part_of[node] = DG_NO_PART;
    if (!plan->takes[node]) {
        go_on(plan, sets, part_of, node + 1);
        return;
    }
    for (uint32_t part = 0; part <= sets->n; part++) {
        struct sets with = *sets;
        uint32_t types = part < sets->n ? with.types[part] : UINT32_MAX;

        if (!(types & plan->takes[node]) || part == plan->least_parts)
            continue;
        with.n += part == with.n;
        with.types[part] = types & plan->takes[node];
        with.members[part] = (part < sets->n ? with.members[part] : 0) | (uint32_t)1
                                                                             << node;
        part_of[node] = part;
        go_on(plan, &with, part_of, node + 1);
    }
}

void every_plan(struct every_plan *plan)
{
    const struct dg_graph *graph = plan->graph;
    struct sets sets = {0};
    uint32_t part_of[EVERY_NODES];

    plan->least_parts = EVERY_NODES + 1;
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++)
            sets.inputs[node] |= (uint32_t)1 << graph->inputs[k];
    }
    go_on(plan, &sets, part_of, 0);
}
