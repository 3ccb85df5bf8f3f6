/* Steps of the host: levels of the graph in which each delegate is one vertex. */
#include "reports/views/levels.h"

#include <stdlib.h>

#include "base/csr.h"
#include "base/sorted.h"
#include "graph/components.h"

/* Vertices are the clusters that were there before, then the nodes of the host. */
struct levelling {
    struct dg_clusters *clusters;
    uint32_t n_parts, n_vertices;
    uint32_t *vertex_of; /* of each node; DG_NOWHERE: none */
    struct dg_csr out;   /* of each vertex: those that read it */
    uint32_t *component_of, n_components;
    uint32_t *level; /* of each component */
    bool *delegated; /* of each component: it has such a cluster */
    bool *cyclic;    /* and more than it */
    struct dg_arena memory;
    struct dg_arena edges; /* `out`, and what else only levels want */
};

static bool is_host(const struct dg_clusters *clusters, uint32_t node)
{
    const struct dg_skeleton_node *of = &clusters->skeleton->nodes[node];

    return clusters->part_of[node] == DG_NOWHERE && of->graph != DG_NOWHERE &&
           (of->role == DG_ROLE_CALL || of->role == DG_ROLE_ITEM ||
            of->role == DG_ROLE_JUMP);
}

static void number_vertices(struct levelling *levelling)
{
    const struct dg_clusters *clusters = levelling->clusters;
    size_t n_nodes = clusters->skeleton->n_nodes;

    levelling->n_parts = levelling->n_vertices = (uint32_t)clusters->n_items;
    levelling->vertex_of = dg_alloc(&levelling->memory, n_nodes + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < n_nodes; i++)
        levelling->vertex_of[i] =
            is_host(clusters, i) ? levelling->n_vertices++ : clusters->part_of[i];
}

static bool is_edge(const struct levelling *levelling,
                    const struct dg_skeleton_use *use)
{
    const struct dg_skeleton *skeleton = levelling->clusters->skeleton;
    uint32_t from = levelling->vertex_of[use->from], to = levelling->vertex_of[use->to];

    return from != DG_NOWHERE && to != DG_NOWHERE && from != to &&
           !skeleton->graphs[skeleton->nodes[use->to].graph].instructions;
}

static void list_edges(struct levelling *levelling)
{
    const struct dg_skeleton *skeleton = levelling->clusters->skeleton;
    uint32_t *from = dg_zeroed(skeleton->n_uses, sizeof(*from));
    struct dg_csr *out = &levelling->out;

    for (size_t i = 0; i < skeleton->n_uses; i++)
        from[i] = is_edge(levelling, &skeleton->uses[i])
                      ? levelling->vertex_of[skeleton->uses[i].from]
                      : DG_NOWHERE;
    dg_csr_by_key(out, from, (uint32_t)skeleton->n_uses, levelling->n_vertices,
                  &levelling->edges);
    free(from);
    for (uint32_t k = 0; k < out->begins[levelling->n_vertices]; k++)
        out->items[k] = levelling->vertex_of[skeleton->uses[out->items[k]].to];
}

static void condense(struct levelling *levelling)
{
    uint32_t *size, n_vertices = levelling->n_vertices;

    levelling->component_of =
        dg_alloc(&levelling->memory, n_vertices + 1, sizeof(uint32_t));
    levelling->n_components =
        dg_components(levelling->component_of, n_vertices, levelling->out.begins,
                      levelling->out.items);
    size = dg_alloc(&levelling->memory, levelling->n_components + 1, sizeof(*size));
    levelling->level =
        dg_alloc(&levelling->memory, levelling->n_components + 1, sizeof(uint32_t));
    levelling->delegated =
        dg_alloc(&levelling->memory, levelling->n_components + 1, sizeof(bool));
    levelling->cyclic =
        dg_alloc(&levelling->memory, levelling->n_components + 1, sizeof(bool));
    for (uint32_t v = 0; v < n_vertices; v++) {
        size[levelling->component_of[v]]++;
        levelling->delegated[levelling->component_of[v]] |= v < levelling->n_parts;
    }
    for (uint32_t c = 0; c < levelling->n_components; c++)
        levelling->cyclic[c] = levelling->delegated[c] && size[c] > 1;
}

static void pass_on(struct levelling *levelling, uint32_t vertex)
{
    uint32_t from = levelling->component_of[vertex];

    for (uint32_t k = levelling->out.begins[vertex];
         k < levelling->out.begins[vertex + 1]; k++) {
        uint32_t to = levelling->component_of[levelling->out.items[k]];
        uint32_t level = levelling->level[from] +
                         (levelling->delegated[from] && !levelling->delegated[to]);

        if (to != from && levelling->level[to] < level)
            levelling->level[to] = level;
    }
}

/* Components are numbered from the sinks. */
static void find_levels(struct levelling *levelling)
{
    struct dg_csr members;

    dg_csr_by_key(&members, levelling->component_of, levelling->n_vertices,
                  levelling->n_components, &levelling->edges);
    for (uint32_t c = levelling->n_components; c-- > 0;)
        for (uint32_t k = members.begins[c]; k < members.begins[c + 1]; k++)
            pass_on(levelling, members.items[k]);
}

/* Instructions: calls of delegates, counted. */
static void count_levels(struct levelling *levelling)
{
    const struct dg_skeleton *skeleton = levelling->clusters->skeleton;
    uint32_t graph = DG_NOWHERE, level = 0;

    for (uint32_t i = 0; i < skeleton->n_rows; i++) {
        uint32_t vertex = levelling->vertex_of[i];

        if (vertex == DG_NOWHERE ||
            !skeleton->graphs[skeleton->nodes[i].graph].instructions)
            continue;
        if (skeleton->nodes[i].graph != graph) {
            graph = skeleton->nodes[i].graph;
            level = 0;
        }
        levelling->level[levelling->component_of[vertex]] = level;
        level += vertex < levelling->n_parts;
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

static struct free_node describe(const struct levelling *levelling,
                                 const uint32_t *key_of, uint32_t node)
{
    uint32_t component = levelling->component_of[levelling->vertex_of[node]];

    return (struct free_node){
        key_of ? key_of[node] : levelling->clusters->skeleton->nodes[node].graph,
        levelling->level[component],
        levelling->cyclic[component] ? component + 1 : 0,
        node,
    };
}

/* By piece; the caller frees *out. */
static size_t list_host_nodes(struct free_node **out, const struct levelling *levelling,
                              const uint32_t *key_of)
{
    struct free_node *nodes = NULL;
    size_t n_nodes = 0;

    for (uint32_t i = 0; i < levelling->clusters->skeleton->n_nodes; i++)
        if (levelling->vertex_of[i] != DG_NOWHERE &&
            levelling->vertex_of[i] >= levelling->n_parts)
            *DG_APPEND(nodes, n_nodes) = describe(levelling, key_of, i);
    dg_sort(nodes, n_nodes, sizeof(*nodes), by_piece_and_node);
    *out = nodes;
    return n_nodes;
}

static void join_pieces(struct dg_clusters *clusters, enum dg_box_kind kind,
                        const struct free_node *nodes, size_t n_nodes)
{
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
}

static void place_parts(struct levelling *levelling)
{
    for (uint32_t p = 0; p < levelling->n_parts; p++) {
        struct dg_cluster *part = &levelling->clusters->items[p];
        uint32_t component = levelling->component_of[p];

        part->level = levelling->level[component];
        part->cycle = levelling->cyclic[component] ? component + 1 : 0;
    }
}

/* The order of levels, and in a level what was free first. */
static int by_level(const void *left, const void *right)
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
    dg_sort(sorted, n_sorted, sizeof(*sorted), by_level);
    for (size_t i = 0; i < n_sorted; i++)
        sorted[i]->order = (uint64_t)(i + 1) * DG_ORDER + DG_ORDER_NODE;
    free(sorted);
}

void dg_levels_find(struct dg_clusters *clusters, enum dg_box_kind kind,
                    const uint32_t *key_of)
{
    struct levelling levelling = {.clusters = clusters};
    struct free_node *nodes;
    size_t n_nodes;

    number_vertices(&levelling);
    list_edges(&levelling);
    condense(&levelling);
    find_levels(&levelling);
    dg_arena_clear(&levelling.edges);
    count_levels(&levelling);
    place_parts(&levelling);
    n_nodes = list_host_nodes(&nodes, &levelling, key_of);
    dg_arena_clear(&levelling.memory);
    join_pieces(clusters, kind, nodes, n_nodes);
    free(nodes);
    order_parts(clusters);
}
