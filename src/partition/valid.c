/* The partitioner whose result is never cyclic: groups are contracted, what waits for
 * itself is condensed, and the rest is peeled level by level from the end. */
#include "partition/condense.h"
#include "partition/steps.h"

/* The height of what `node` leads to, its own component left out: that is 0 yet. */
static uint32_t height_behind(const struct dg_condensed *condensed, uint32_t node,
                              const uint32_t *height)
{
    const struct dg_graph *graph = condensed->graph;
    uint32_t most = 0;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t vertex = condensed->vertex_of[graph->users[k]];
        uint32_t of_user = height[condensed->component_of[vertex]];

        most = of_user > most ? of_user : most;
    }
    return most;
}

uint32_t *dg_components_of_nodes(const struct dg_condensed *condensed,
                                 struct dg_arena *memory)
{
    uint32_t n_nodes = condensed->graph->n_nodes;
    uint32_t *component_of = dg_alloc(memory, n_nodes, sizeof(*component_of));

    for (uint32_t node = 0; node < n_nodes; node++)
        component_of[node] = condensed->component_of[condensed->vertex_of[node]];
    return component_of;
}

uint32_t *dg_component_heights(const struct dg_condensed *condensed,
                               const uint32_t *component_of, struct dg_arena *memory)
{
    uint32_t n = condensed->n_components;
    uint32_t *height = dg_alloc(memory, n, sizeof(*height));
    struct dg_csr members;

    dg_csr_by_key(&members, component_of, condensed->graph->n_nodes, n, memory);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t most = 0;

        for (uint32_t m = members.begins[c]; m < members.begins[c + 1]; m++) {
            uint32_t behind = dg_is_claimed_placeholder(condensed, members.items[m])
                                  ? 0
                                  : height_behind(condensed, members.items[m], height);

            most = behind > most ? behind : most;
        }
        height[c] = condensed->unsupported[c] ? (most + 1) & ~(uint32_t)1 : most | 1;
    }
    return height;
}

/* Parts are in the order in which they run: the highest level is the first. Returns how
 * many there are. */
static uint32_t number_levels(uint32_t *height_of, uint32_t n_nodes)
{
    uint32_t most = 0, n_parts;

    for (uint32_t node = 0; node < n_nodes; node++) {
        if (height_of[node] & 1 && height_of[node] > most)
            most = height_of[node];
    }
    n_parts = (most + 1) / 2;
    for (uint32_t node = 0; node < n_nodes; node++)
        height_of[node] =
            height_of[node] & 1 ? n_parts - 1 - height_of[node] / 2 : DG_NO_PART;
    return n_parts;
}

/* A getitem has no other input than its producer, so no cycle can come of it, but where
 * that is a placeholder: it is in a part by name only. */
static void follow_producers(uint32_t *part_of, const struct dg_graph *graph,
                             const uint16_t *marks)
{
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        uint32_t from = dg_producer(graph, marks, node);

        if (!(marks[from] & DG_MARK_PLACEHOLDER))
            part_of[node] = part_of[from];
    }
}

void dg_finish_levels(struct dg_partitions *out, const struct dg_graph *graph,
                      const uint16_t *marks, bool no_single)
{
    uint32_t n_parts = number_levels(out->part_of, graph->n_nodes);

    follow_producers(out->part_of, graph, marks);
    dg_list_parts(out, n_parts, graph, marks, no_single);
}

/* What is given goes with its group, or with the first that may have it and reads it.
 */
static void place_placeholders(uint32_t *height_of,
                               const struct dg_condensed *condensed)
{
    const struct dg_graph *graph = condensed->graph;

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        bool found = condensed->vertex_of[node] < condensed->n_groups;

        if (!dg_is_claimed_placeholder(condensed, node))
            continue;
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1] && !found;
             k++) {
            found = condensed->marks[graph->users[k]] & DG_MARK_SUPPORTED;
            if (found)
                height_of[node] = height_of[graph->users[k]];
        }
    }
}

static uint32_t count_dissolved(const struct dg_condensed *condensed)
{
    uint32_t n = 0;

    for (uint32_t g = 0; g < condensed->n_groups; g++)
        n += condensed->dissolved[g];
    return n;
}

void dg_partition_valid(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, const struct dg_groups *groups,
                        bool no_single, uint32_t *n_dissolved)
{
    struct dg_arena scratch = {0};
    struct dg_condensed condensed;
    uint32_t *component_of, *height;

    *out = (struct dg_partitions){0};
    dg_condense(&condensed, graph, marks, groups, &scratch);
    *n_dissolved = count_dissolved(&condensed);
    component_of = dg_components_of_nodes(&condensed, &scratch);
    height = dg_component_heights(&condensed, component_of, &scratch);
    out->part_of = dg_alloc(&out->memory, graph->n_nodes, sizeof(*out->part_of));
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        out->part_of[node] = height[component_of[node]];
    place_placeholders(out->part_of, &condensed);
    dg_finish_levels(out, graph, marks, no_single);
    dg_arena_clear(&scratch);
}
