/* Steps of the host: levels of the graph in which each delegate is one vertex. */
#include "reports/views/levels.h"

#include <stdlib.h>

#include "base/csr.h"
#include "base/sorted.h"
#include "graph/components.h"

/* Vertices are the clusters that were there before, then the nodes of the host. */
struct staging {
    struct dg_clusters *clusters;
    uint32_t n_parts, n_vertices;
    uint32_t *vertex_of; /* of each node; DG_NOWHERE: none */
    struct dg_csr out;   /* of each vertex: those that read it */
    uint32_t *component_of, n_components;
    uint32_t *level; /* of each component */
    bool *delegated; /* of each component: it has such a cluster */
    bool *tangled;   /* and more than it */
    struct dg_arena memory;
};

static bool is_host(const struct dg_clusters *clusters, uint32_t node)
{
    const struct dg_skeleton_node *of = &clusters->skeleton->nodes[node];

    return clusters->part_of[node] == DG_NOWHERE && of->graph != DG_NOWHERE &&
           (of->role == DG_ROLE_CALL || of->role == DG_ROLE_ITEM ||
            of->role == DG_ROLE_JUMP);
}

static void number_vertices(struct staging *staging)
{
    const struct dg_clusters *clusters = staging->clusters;
    size_t n_nodes = clusters->skeleton->n_nodes;

    staging->n_parts = staging->n_vertices = (uint32_t)clusters->n_items;
    staging->vertex_of = dg_alloc(&staging->memory, n_nodes + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < n_nodes; i++)
        staging->vertex_of[i] =
            is_host(clusters, i) ? staging->n_vertices++ : clusters->part_of[i];
}

static bool is_edge(const struct staging *staging, const struct dg_skeleton_use *use)
{
    const struct dg_skeleton *skeleton = staging->clusters->skeleton;
    uint32_t from = staging->vertex_of[use->from], to = staging->vertex_of[use->to];

    return from != DG_NOWHERE && to != DG_NOWHERE && from != to &&
           !skeleton->graphs[skeleton->nodes[use->to].graph].instructions;
}

static void list_edges(struct staging *staging)
{
    const struct dg_skeleton *skeleton = staging->clusters->skeleton;
    uint32_t *from = dg_alloc(&staging->memory, skeleton->n_uses, sizeof(*from));
    struct dg_csr *out = &staging->out;

    for (size_t i = 0; i < skeleton->n_uses; i++)
        from[i] = is_edge(staging, &skeleton->uses[i])
                      ? staging->vertex_of[skeleton->uses[i].from]
                      : DG_NOWHERE;
    dg_csr_by_key(out, from, (uint32_t)skeleton->n_uses, staging->n_vertices,
                  &staging->memory);
    for (uint32_t k = 0; k < out->begins[staging->n_vertices]; k++)
        out->items[k] = staging->vertex_of[skeleton->uses[out->items[k]].to];
}

static void condense(struct staging *staging)
{
    uint32_t *size, n_vertices = staging->n_vertices;

    staging->component_of =
        dg_alloc(&staging->memory, n_vertices + 1, sizeof(uint32_t));
    staging->n_components = dg_components(staging->component_of, n_vertices,
                                          staging->out.begins, staging->out.items);
    size = dg_alloc(&staging->memory, staging->n_components + 1, sizeof(*size));
    staging->level =
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

    for (uint32_t k = staging->out.begins[vertex]; k < staging->out.begins[vertex + 1];
         k++) {
        uint32_t to = staging->component_of[staging->out.items[k]];
        uint32_t level = staging->level[from] +
                         (staging->delegated[from] && !staging->delegated[to]);

        if (to != from && staging->level[to] < level)
            staging->level[to] = level;
    }
}

/* Components are numbered from the sinks. */
static void find_stages(struct staging *staging)
{
    struct dg_csr members;

    dg_csr_by_key(&members, staging->component_of, staging->n_vertices,
                  staging->n_components, &staging->memory);
    for (uint32_t c = staging->n_components; c-- > 0;)
        for (uint32_t k = members.begins[c]; k < members.begins[c + 1]; k++)
            pass_on(staging, members.items[k]);
}

/* Instructions: calls of delegates, counted. */
static void count_stages(struct staging *staging)
{
    const struct dg_skeleton *skeleton = staging->clusters->skeleton;
    uint32_t graph = DG_NOWHERE, level = 0;

    for (uint32_t i = 0; i < skeleton->n_rows; i++) {
        uint32_t vertex = staging->vertex_of[i];

        if (vertex == DG_NOWHERE ||
            !skeleton->graphs[skeleton->nodes[i].graph].instructions)
            continue;
        if (skeleton->nodes[i].graph != graph) {
            graph = skeleton->nodes[i].graph;
            level = 0;
        }
        staging->level[staging->component_of[vertex]] = level;
        level += vertex < staging->n_parts;
    }
}

struct free_node { /* in no cluster yet */
    uint32_t key, level, cycle, node;
};

static int by_piece(const void *left, const void *right)
{
    const struct free_node *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return (a->cycle > b->cycle) - (a->cycle < b->cycle);
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
        key_of ? key_of[node] : staging->clusters->skeleton->nodes[node].graph,
        staging->level[component],
        staging->tangled[component] ? component + 1 : 0,
        node,
    };
}

static void join_pieces(struct staging *staging, enum dg_box_kind kind,
                        const uint32_t *key_of)
{
    struct dg_clusters *clusters = staging->clusters;
    struct free_node *nodes = NULL;
    size_t n_nodes = 0;

    for (uint32_t i = 0; i < clusters->skeleton->n_nodes; i++)
        if (staging->vertex_of[i] != DG_NOWHERE &&
            staging->vertex_of[i] >= staging->n_parts)
            *DG_APPEND(nodes, n_nodes) = describe(staging, key_of, i);
    dg_sort(nodes, n_nodes, sizeof(*nodes), by_piece_and_node);
    for (size_t i = 0; i < n_nodes; i++) {
        if (!i || by_piece(&nodes[i - 1], &nodes[i])) {
            uint32_t index = dg_clusters_add(
                clusters, kind, clusters->skeleton->nodes[nodes[i].node].graph);
            struct dg_cluster *part = &clusters->items[index];

            part->is_step = true;
            part->level = nodes[i].level;
            part->cycle = nodes[i].cycle;
        }
        dg_clusters_join(clusters, nodes[i].node, (uint32_t)(clusters->n_items - 1));
    }
    free(nodes);
}

static void place_parts(struct staging *staging)
{
    for (uint32_t p = 0; p < staging->n_parts; p++) {
        struct dg_cluster *part = &staging->clusters->items[p];
        uint32_t component = staging->component_of[p];

        part->level = staging->level[component];
        part->cycle = staging->tangled[component] ? component + 1 : 0;
    }
}

/* The order of levels, and in a level what was free first. */
static int by_stage(const void *left, const void *right)
{
    const struct dg_cluster *a = *(struct dg_cluster *const *)left;
    const struct dg_cluster *b = *(struct dg_cluster *const *)right;

    if (a->graph != b->graph)
        return a->graph < b->graph ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->is_step != b->is_step)
        return a->is_step ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void order_parts(struct dg_clusters *clusters)
{
    struct dg_cluster **sorted = NULL;
    size_t n_sorted = 0;

    for (size_t i = 0; i < clusters->n_items; i++)
        *DG_APPEND(sorted, n_sorted) = &clusters->items[i];
    dg_sort(sorted, n_sorted, sizeof(*sorted), by_stage);
    for (size_t i = 0; i < n_sorted; i++)
        sorted[i]->order = (uint64_t)(i + 1) * DG_ORDER + DG_ORDER_NODE;
    free(sorted);
}

void dg_levels_find(struct dg_clusters *clusters, enum dg_box_kind kind,
                    const uint32_t *key_of)
{
    struct staging staging = {.clusters = clusters};

    number_vertices(&staging);
    list_edges(&staging);
    condense(&staging);
    find_stages(&staging);
    count_stages(&staging);
    place_parts(&staging);
    join_pieces(&staging, kind, key_of);
    order_parts(clusters);
    dg_arena_clear(&staging.memory);
}
