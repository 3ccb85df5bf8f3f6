/* The default partitioner: supported nodes are peeled off from the end, level by level.
 */
#include "partition/steps.h"

/* Of the nodes of one height: those of even height are in no partition. Indexing by
 * height spares a branch per node that no processor predicts. */
struct level {
    uint32_t id, n_seen, part;
};

void dg_measure_heights(uint32_t *height, const struct dg_graph *graph,
                        const uint16_t *marks)
{
    for (uint32_t node = graph->n_nodes; node-- > 0;) {
        uint32_t end = graph->user_of[node + 1], most = 0;

        for (uint32_t k = graph->user_of[node]; k < end; k++) {
            uint32_t of_user = height[graph->users[k]];

            most = of_user > most ? of_user : most;
        }
        height[node] =
            marks[node] & DG_MARK_SUPPORTED ? most | 1 : (most + 1) & ~(uint32_t)1;
    }
}

static uint32_t find_highest(const uint32_t *height, uint32_t n_nodes)
{
    uint32_t most = 0;

    for (uint32_t node = 0; node < n_nodes; node++)
        most = height[node] > most ? height[node] : most;
    return most;
}

/* torch starts a partition at each supported node, with the number of those behind it,
 * and joins it to its level. While both are of one node the newer number stays; later
 * the level is the larger side. */
static void number_levels(struct level *levels, const uint32_t *height,
                          uint32_t n_nodes)
{
    uint32_t number = 0;

    for (uint32_t node = n_nodes; node-- > 0;) {
        struct level *level = &levels[height[node]];

        if (level->n_seen < 2)
            level->id = number;
        level->n_seen++;
        number += height[node] & 1;
    }
}

/* Parts in the order of their numbers: each is the number of one of its nodes. */
static void list_parts(struct dg_partitions *out, struct level *levels,
                       const uint32_t *height, uint32_t n_nodes)
{
    uint32_t number = 0;

    for (uint32_t node = n_nodes; node-- > 0;) {
        struct level *level = &levels[height[node]];

        if ((height[node] & 1) & (level->id == number)) {
            level->part = out->n_parts;
            out->parts[out->n_parts++].id = number;
        }
        number += height[node] & 1;
    }
}

void dg_partition_torch(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, bool no_single)
{
    struct level *levels;
    uint32_t *height, highest;

    *out = (struct dg_partitions){0};
    out->part_of = height = dg_alloc(&out->memory, graph->n_nodes, sizeof(*height));
    dg_measure_heights(height, graph, marks);
    highest = find_highest(height, graph->n_nodes);
    /* Kept with the result: of a small graph all is in one block then. */
    levels = dg_alloc(&out->memory, (size_t)highest + 1, sizeof(*levels));
    out->parts = dg_alloc(&out->memory, highest / 2 + 1, sizeof(*out->parts));
    number_levels(levels, height, graph->n_nodes);
    list_parts(out, levels, height, graph->n_nodes);
    for (uint32_t i = 0; i <= highest; i += 2)
        levels[i].part = DG_NO_PART;
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        out->part_of[node] = levels[height[node]].part;
    dg_finish_partitions(out, graph, marks, no_single);
}
