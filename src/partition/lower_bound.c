/* The least number of partitions, with the path that proves it. */
#include "partition/steps.h"

/* Placeholders stay where they are, whoever has them. */
static uint32_t find_start(const uint32_t *height, const uint16_t *marks,
                           uint32_t n_nodes)
{
    uint32_t start = DG_NO_PART;

    for (uint32_t node = 0; node < n_nodes; node++) {
        if (!(marks[node] & DG_MARK_PLACEHOLDER) && height[node] & 1 &&
            (start == DG_NO_PART || height[node] >= height[start]))
            start = node;
    }
    return start;
}

/* The user through which `node` gets its height. From a supported node that is better
 * an unsupported one, and the other way round: the path is shorter then. */
static uint32_t follow(const struct dg_graph *graph, const uint32_t *height,
                       uint32_t node)
{
    uint32_t better = height[node] - 1, found = DG_NO_PART;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t user = graph->users[k];

        if (user <= node)
            continue;
        if (height[user] == better)
            return user;
        if (height[user] == height[node] && found == DG_NO_PART)
            found = user;
    }
    return found;
}

void dg_lower_bound(struct dg_bound *out, struct dg_arena *memory,
                    const struct dg_graph *graph, const uint16_t *marks)
{
    struct dg_arena scratch = {0};
    uint32_t *height = dg_alloc(&scratch, graph->n_nodes, sizeof(*height));
    uint32_t *path = dg_alloc(&scratch, graph->n_nodes, sizeof(*path)), node;

    *out = (struct dg_bound){0};
    dg_measure_heights(height, graph, marks);
    node = find_start(height, marks, graph->n_nodes);
    if (node != DG_NO_PART)
        out->length = (height[node] + 1) / 2;
    while (node != DG_NO_PART) {
        path[out->n_path++] = node;
        node = height[node] > 1 ? follow(graph, height, node) : DG_NO_PART;
    }
    out->path = dg_alloc(memory, out->n_path, sizeof(*out->path));
    if (out->n_path)
        memcpy(out->path, path, out->n_path * sizeof(*path));
    dg_arena_clear(&scratch);
}
