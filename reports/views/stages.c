/* Steps of the host: stages of the graph in which each delegate is one vertex. */
#include "reports/views/stages.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "graph/buckets.h"
#include "graph/components.h"

/* Vertices are the parts that were there before, then the nodes of the host. */
struct staging {
    struct dg_parts *parts;
    uint32_t n_parts, n_vertices;
    uint32_t *vertex_of; /* of each node; DG_NOWHERE: none */
    uint32_t *out_of, *out;
    uint32_t *component_of, n_components;
    uint32_t *stage; /* of each component */
    bool *delegated; /* of each component: it has such a part */
    bool *tangled;   /* and more than it */
    struct dg_arena memory;
};

static bool is_host(const struct dg_parts *parts, uint32_t node)
{
    const struct dg_outline_node *of = &parts->outline->nodes[node];

    return parts->part_of[node] == DG_NOWHERE && of->graph != DG_NOWHERE &&
           (of->role == DG_ROLE_CALL || of->role == DG_ROLE_ITEM ||
            of->role == DG_ROLE_JUMP);
}

static void number_vertices(struct staging *staging)
{
    const struct dg_parts *parts = staging->parts;
    size_t n_nodes = parts->outline->n_nodes;

    staging->n_parts = staging->n_vertices = (uint32_t)parts->n_items;
    staging->vertex_of = dg_alloc(&staging->memory, n_nodes + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < n_nodes; i++)
        staging->vertex_of[i] =
            is_host(parts, i) ? staging->n_vertices++ : parts->part_of[i];
}

static bool is_edge(const struct staging *staging, const struct dg_outline_use *use)
{
    const struct dg_outline *outline = staging->parts->outline;
    uint32_t from = staging->vertex_of[use->from], to = staging->vertex_of[use->to];

    return from != DG_NOWHERE && to != DG_NOWHERE && from != to &&
           !outline->graphs[outline->nodes[use->to].graph].instructions;
}

static void list_edges(struct staging *staging)
{
    const struct dg_outline *outline = staging->parts->outline;
    uint32_t *of =
        dg_alloc(&staging->memory, (size_t)staging->n_vertices + 2, sizeof(*of));

    for (size_t i = 0; i < outline->n_uses; i++)
        if (is_edge(staging, &outline->uses[i]))
            of[staging->vertex_of[outline->uses[i].from] + 2]++;
    for (uint32_t v = 2; v < staging->n_vertices + 2; v++)
        of[v] += of[v - 1];
    staging->out =
        dg_alloc(&staging->memory, of[staging->n_vertices + 1] + 1, sizeof(uint32_t));
    for (size_t i = 0; i < outline->n_uses; i++)
        if (is_edge(staging, &outline->uses[i]))
            staging->out[of[staging->vertex_of[outline->uses[i].from] + 1]++] =
                staging->vertex_of[outline->uses[i].to];
    staging->out_of = of;
}

static void condense(struct staging *staging)
{
    uint32_t *size, n_vertices = staging->n_vertices;

    staging->component_of =
        dg_alloc(&staging->memory, n_vertices + 1, sizeof(uint32_t));
    staging->n_components =
        dg_components(staging->component_of, n_vertices, staging->out_of, staging->out);
    size = dg_alloc(&staging->memory, staging->n_components + 1, sizeof(*size));
    staging->stage =
        dg_alloc(&staging->memory, staging->n_components + 1, sizeof(uint32_t));
    staging->delegated =
        dg_alloc(&staging->memory, staging->n_components + 1, sizeof(bool));
    staging->tangled =
        dg_alloc(&staging->memory, staging->n_components + 1, sizeof(bool));
    for (uint32_t v = 0; v < n_vertices; v++) {
        size[staging->component_of[v]]++;
        staging->delegated[staging->component_of[v]] |= v < staging->n_parts;
    }
    for (uint32_t c = 0; c < staging->n_components; c++)
        staging->tangled[c] = staging->delegated[c] && size[c] > 1;
}

static void pass_on(struct staging *staging, uint32_t vertex)
{
    uint32_t from = staging->component_of[vertex];

    for (uint32_t k = staging->out_of[vertex]; k < staging->out_of[vertex + 1]; k++) {
        uint32_t to = staging->component_of[staging->out[k]];
        uint32_t stage = staging->stage[from] +
                         (staging->delegated[from] && !staging->delegated[to]);

        if (to != from && staging->stage[to] < stage)
            staging->stage[to] = stage;
    }
}

/* Components are numbered from the sinks. */
static void find_stages(struct staging *staging)
{
    struct dg_buckets members;

    dg_fill_buckets(&members, staging->component_of, staging->n_vertices,
                    staging->n_components, &staging->memory);
    for (uint32_t c = staging->n_components; c-- > 0;)
        for (uint32_t k = members.begins[c]; k < members.begins[c + 1]; k++)
            pass_on(staging, members.items[k]);
}

/* Instructions: calls of delegates, counted. */
static void count_stages(struct staging *staging)
{
    const struct dg_outline *outline = staging->parts->outline;
    uint32_t graph = DG_NOWHERE, stage = 0;

    for (uint32_t i = 0; i < outline->n_rows; i++) {
        uint32_t vertex = staging->vertex_of[i];

        if (vertex == DG_NOWHERE ||
            !outline->graphs[outline->nodes[i].graph].instructions)
            continue;
        if (outline->nodes[i].graph != graph) {
            graph = outline->nodes[i].graph;
            stage = 0;
        }
        staging->stage[staging->component_of[vertex]] = stage;
        stage += vertex < staging->n_parts;
    }
}

struct free_node { /* in no part yet */
    uint32_t key, stage, tangle, node;
};

static int by_piece(const void *left, const void *right)
{
    const struct free_node *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    return (a->tangle > b->tangle) - (a->tangle < b->tangle);
}

static int by_piece_and_node(const void *left, const void *right)
{
    const struct free_node *a = left, *b = right;
    int order = by_piece(a, b);

    return order ? order : (a->node > b->node) - (a->node < b->node);
}

static struct free_node describe(const struct staging *staging, const uint32_t *key_of,
                                 uint32_t node)
{
    uint32_t component = staging->component_of[staging->vertex_of[node]];

    return (struct free_node){
        key_of ? key_of[node] : staging->parts->outline->nodes[node].graph,
        staging->stage[component],
        staging->tangled[component] ? component + 1 : 0,
        node,
    };
}

static void join_pieces(struct staging *staging, enum dg_box_kind kind,
                        const uint32_t *key_of)
{
    struct dg_parts *parts = staging->parts;
    struct free_node *nodes = NULL;
    size_t n_nodes = 0;

    for (uint32_t i = 0; i < parts->outline->n_nodes; i++)
        if (staging->vertex_of[i] != DG_NOWHERE &&
            staging->vertex_of[i] >= staging->n_parts)
            *DG_APPEND(nodes, n_nodes) = describe(staging, key_of, i);
    dg_sort(nodes, n_nodes, sizeof(*nodes), by_piece_and_node);
    for (size_t i = 0; i < n_nodes; i++) {
        if (!i || by_piece(&nodes[i - 1], &nodes[i])) {
            uint32_t index =
                dg_parts_add(parts, kind, parts->outline->nodes[nodes[i].node].graph);
            struct dg_part *part = &parts->items[index];

            part->is_step = true;
            part->stage = nodes[i].stage;
            part->tangle = nodes[i].tangle;
        }
        dg_parts_join(parts, nodes[i].node, (uint32_t)(parts->n_items - 1));
    }
    free(nodes);
}

static void place_parts(struct staging *staging)
{
    for (uint32_t p = 0; p < staging->n_parts; p++) {
        struct dg_part *part = &staging->parts->items[p];
        uint32_t component = staging->component_of[p];

        part->stage = staging->stage[component];
        part->tangle = staging->tangled[component] ? component + 1 : 0;
    }
}

/* The order of stages, and in a stage what was free first. */
static int by_stage(const void *left, const void *right)
{
    const struct dg_part *a = *(struct dg_part *const *)left;
    const struct dg_part *b = *(struct dg_part *const *)right;

    if (a->graph != b->graph)
        return a->graph < b->graph ? -1 : 1;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->is_step != b->is_step)
        return a->is_step ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void order_parts(struct dg_parts *parts)
{
    struct dg_part **sorted = NULL;
    size_t n_sorted = 0;

    for (size_t i = 0; i < parts->n_items; i++)
        *DG_APPEND(sorted, n_sorted) = &parts->items[i];
    dg_sort(sorted, n_sorted, sizeof(*sorted), by_stage);
    for (size_t i = 0; i < n_sorted; i++)
        sorted[i]->order = (uint64_t)(i + 1) * DG_ORDER + DG_ORDER_NODE;
    free(sorted);
}

void dg_stages_find(struct dg_parts *parts, enum dg_box_kind kind,
                    const uint32_t *key_of)
{
    struct staging staging = {.parts = parts};

    number_vertices(&staging);
    list_edges(&staging);
    condense(&staging);
    find_stages(&staging);
    count_stages(&staging);
    place_parts(&staging);
    join_pieces(&staging, kind, key_of);
    order_parts(parts);
    dg_arena_clear(&staging.memory);
}
