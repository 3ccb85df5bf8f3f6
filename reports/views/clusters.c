/* Which node is in which cluster, and what a cluster adds up to. */
#include "reports/views/clusters.h"

#include <stdlib.h>

#include "base/csr.h"
#include "base/sorted.h"
#include "graph/cost.h"

enum { MOST_ENDS = 8 }; /* inputs, or outputs, that have an ellipse each */

void dg_clusters_begin(struct dg_clusters *clusters, struct dg_skeleton *skeleton)
{
    *clusters = (struct dg_clusters){.skeleton = skeleton};
    clusters->part_of =
        dg_alloc(&clusters->memory, skeleton->n_nodes + 1, sizeof(*clusters->part_of));
    for (size_t i = 0; i < skeleton->n_nodes; i++)
        clusters->part_of[i] = DG_NOWHERE;
}

void dg_clusters_clear(struct dg_clusters *clusters)
{
    free(clusters->items);
    dg_arena_clear(&clusters->memory);
    *clusters = (struct dg_clusters){0};
}

uint32_t dg_clusters_add(struct dg_clusters *clusters, enum dg_box_kind kind,
                         uint32_t graph)
{
    struct dg_cluster *cluster = DG_APPEND(clusters->items, clusters->n_items);

    *cluster = (struct dg_cluster){
        .kind = kind, .graph = graph, .first = DG_NOWHERE, .blob = -1};
    return (uint32_t)(clusters->n_items - 1);
}

void dg_clusters_join(struct dg_clusters *clusters, uint32_t node, uint32_t cluster)
{
    clusters->part_of[node] = cluster;
    if (clusters->items[cluster].first > node)
        clusters->items[cluster].first = node;
}

/* Inputs, outputs of one kind, of one graph. */
struct ends {
    struct dg_text spec;
    bool output;
    uint32_t next;    /* of the same graph; DG_NOWHERE: none */
    uint32_t cluster; /* of all of them; DG_NOWHERE: each has its own */
    size_t count;     /* values */
};

struct all_ends {
    struct ends *items;
    size_t n_items;
    uint32_t *first; /* of each graph */
};

static struct ends *find_ends(struct all_ends *all, const struct dg_skeleton *skeleton,
                              const struct dg_skeleton_node *node)
{
    bool output = node->role == DG_ROLE_OUTPUT;
    struct dg_text spec = {0};
    uint32_t *first = &all->first[node->graph];

    if (node->end != DG_NOWHERE && output)
        spec = skeleton->ends[node->end].spec;
    for (uint32_t i = *first; i != DG_NOWHERE; i = all->items[i].next)
        if (all->items[i].output == output && dg_text_equal(all->items[i].spec, spec))
            return &all->items[i];
    *DG_APPEND(all->items, all->n_items) = (struct ends){
        .spec = spec, .output = output, .next = *first, .cluster = DG_NOWHERE};
    *first = (uint32_t)(all->n_items - 1);
    return &all->items[*first];
}

static struct dg_text ends_title(struct dg_clusters *clusters, const struct ends *ends)
{
    static const struct {
        const char *spec, *one, *many;
    } words[] = {
        {"buffer_mutation", "1 buffer written back", "%zu buffers written back"},
        {"parameter_mutation", "1 parameter written back",
         "%zu parameters written back"},
        {"user_input_mutation", "1 input written back", "%zu inputs written back"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (ends->output && dg_text_is(ends->spec, words[i].spec))
            return ends->count == 1
                       ? dg_text(words[i].one)
                       : dg_format(&clusters->memory, words[i].many, ends->count);
    if (ends->count == 1)
        return dg_text(ends->output ? "output" : "input");
    return dg_format(&clusters->memory, "%zu %s", ends->count,
                     ends->output ? "outputs" : "inputs");
}

/* Inputs stand before all that there are so far, outputs behind the last. */
static void add_end(struct dg_clusters *clusters, uint32_t node, struct ends *ends,
                    size_t last)
{
    const struct dg_skeleton_node *of = &clusters->skeleton->nodes[node];
    const struct dg_skeleton_end *end =
        of->end != DG_NOWHERE ? &clusters->skeleton->ends[of->end] : NULL;
    enum dg_box_kind kind = ends->output ? DG_BOX_OUTPUT : DG_BOX_INPUT;
    uint32_t cluster = ends->cluster;

    if (cluster == DG_NOWHERE) {
        cluster = dg_clusters_add(clusters, kind, of->graph);
        clusters->items[cluster].title = ends_title(clusters, ends);
        if (ends->count > MOST_ENDS || !end)
            ends->cluster = cluster;
        else {
            clusters->items[cluster].title = end->name;
            clusters->items[cluster].value = end->value;
        }
    }
    clusters->items[cluster].order =
        ends->output ? (uint64_t)last * DG_ORDER + DG_ORDER_OUTPUT : DG_ORDER_INPUT;
    dg_clusters_join(clusters, node, cluster);
}

static bool is_end(const struct dg_clusters *clusters, uint32_t node, bool branches)
{
    const struct dg_skeleton_node *of = &clusters->skeleton->nodes[node];
    const struct dg_skeleton_graph *graph;

    if (clusters->part_of[node] != DG_NOWHERE || of->graph == DG_NOWHERE ||
        (of->role != DG_ROLE_INPUT && of->role != DG_ROLE_OUTPUT))
        return false;
    graph = &clusters->skeleton->graphs[of->graph];
    return !graph->lowered && (branches || graph->caller == DG_NOWHERE);
}

/* The output node of a branch takes all of its values. */
static void count_ends(struct all_ends *all, const struct dg_clusters *clusters,
                       bool branches)
{
    const struct dg_skeleton *skeleton = clusters->skeleton;

    for (uint32_t i = 0; i < skeleton->n_nodes; i++)
        if (is_end(clusters, i, branches) && (skeleton->nodes[i].end != DG_NOWHERE ||
                                              skeleton->nodes[i].role == DG_ROLE_INPUT))
            find_ends(all, skeleton, &skeleton->nodes[i])->count++;
    for (size_t i = 0; i < skeleton->n_uses; i++) {
        uint32_t to = skeleton->uses[i].to;

        if (is_end(clusters, to, branches) && skeleton->nodes[to].end == DG_NOWHERE &&
            skeleton->nodes[to].role == DG_ROLE_OUTPUT)
            find_ends(all, skeleton, &skeleton->nodes[to])->count++;
    }
}

void dg_clusters_add_io(struct dg_clusters *clusters, bool branches)
{
    struct dg_skeleton *skeleton = clusters->skeleton;
    struct all_ends all = {0};
    size_t last = clusters->n_items;

    all.first = dg_alloc(&clusters->memory, skeleton->n_graphs, sizeof(*all.first));
    memset(all.first, 0xff, skeleton->n_graphs * sizeof(*all.first));
    count_ends(&all, clusters, branches);
    for (uint32_t i = 0; i < skeleton->n_nodes; i++) {
        struct ends *ends;

        if (!is_end(clusters, i, branches))
            continue;
        ends = find_ends(&all, skeleton, &skeleton->nodes[i]);
        if (ends->count)
            add_end(clusters, i, ends, last);
    }
    free(all.items);
}

/* Keep the most frequent operators, the first of equals before the others. */
static void rank_op(struct dg_cluster *cluster, struct dg_cluster_op op)
{
    for (size_t i = 0; i < DG_CLUSTER_OPS; i++)
        if (op.count > cluster->ops[i].count) {
            struct dg_cluster_op less = cluster->ops[i];

            cluster->ops[i] = op;
            op = less;
        }
}

static bool is_op(const struct dg_skeleton_node *node)
{
    return node->role == DG_ROLE_CALL || node->role == DG_ROLE_CONTROL ||
           node->role == DG_ROLE_JUMP;
}

void dg_clusters_count_ops(struct dg_clusters *clusters)
{
    const struct dg_skeleton *skeleton = clusters->skeleton;
    struct dg_arena memory = {0};
    struct dg_csr nodes;
    size_t *counts = dg_alloc(&memory, skeleton->n_ops + 1, sizeof(*counts));
    uint32_t *met = dg_alloc(&memory, skeleton->n_ops + 1, sizeof(*met));

    dg_csr_by_key(&nodes, clusters->part_of, (uint32_t)skeleton->n_nodes,
                  (uint32_t)clusters->n_items, &memory);
    for (size_t p = 0; p < clusters->n_items; p++) {
        struct dg_cluster *cluster = &clusters->items[p];
        size_t n_met = 0;

        cluster->n_calls = 0;
        memset(cluster->ops, 0, sizeof(cluster->ops));
        for (uint32_t k = nodes.begins[p]; k < nodes.begins[p + 1]; k++) {
            const struct dg_skeleton_node *node = &skeleton->nodes[nodes.items[k]];
            uint32_t op = dg_skeleton_row(skeleton, nodes.items[k])->op;

            cluster->n_calls += is_op(node);
            if (is_op(node) && op && !counts[op]++)
                met[n_met++] = op;
        }
        cluster->n_kinds = n_met;
        for (size_t i = 0; i < n_met; i++) {
            rank_op(cluster, (struct dg_cluster_op){met[i], counts[met[i]]});
            counts[met[i]] = 0;
        }
    }
    dg_arena_clear(&memory);
}

static enum dg_status add_costs(struct dg_clusters *clusters,
                                const struct dg_view_input *in)
{
    const struct dg_skeleton *skeleton = clusters->skeleton;
    const struct dg_costs *costs;
    enum dg_status status = dg_costs_known(&costs, in->store, in->err);

    for (size_t i = 0; costs && i < skeleton->n_rows; i++) {
        const struct dg_cost *cost = &costs->nodes[i];
        uint32_t cluster = clusters->part_of[i];
        double flops = cost->flops < 0 ? 0 : (double)cost->flops;
        double bytes = cost->bytes < 0 ? 0 : (double)cost->bytes;

        if (cluster == DG_NOWHERE || !dg_cost_counts(cost))
            continue;
        clusters->items[cluster].flops += flops;
        clusters->items[cluster].bytes += bytes;
        clusters->opaque |= cost->flops < 0 &&
                            skeleton->nodes[i].role == DG_ROLE_DELEGATE &&
                            skeleton->graphs[skeleton->nodes[i].graph].instructions;
        clusters->flops += flops;
        clusters->bytes += bytes;
    }
    return status;
}

struct weight { /* that a cluster reads */
    uint32_t value, cluster;
};

static int by_value_and_part(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

static void add_weights(struct dg_clusters *clusters, const struct weight *weights,
                        size_t n_weights)
{
    for (size_t i = 0; i < n_weights; i++) {
        int64_t nbytes = clusters->skeleton->values->nbytes[weights[i].value - 1];
        int64_t *sum = &clusters->items[weights[i].cluster].weights;

        if (i && !by_value_and_part(&weights[i - 1], &weights[i]))
            continue;
        if (nbytes > 0 && *sum <= INT64_MAX - nbytes)
            *sum += nbytes;
    }
}

/* A weight that several clusters read counts for each of them. */
static void find_weights(struct dg_clusters *clusters)
{
    const struct dg_skeleton *skeleton = clusters->skeleton;
    struct weight *weights = NULL;
    size_t n_weights = 0;

    for (size_t i = 0; i < skeleton->n_uses; i++) {
        const struct dg_skeleton_use *use = &skeleton->uses[i];
        const struct dg_skeleton_node *from = &skeleton->nodes[use->from];

        if (from->role == DG_ROLE_WEIGHT && from->value &&
            clusters->part_of[use->to] != DG_NOWHERE)
            *DG_APPEND(weights, n_weights) =
                (struct weight){from->value, clusters->part_of[use->to]};
    }
    dg_sort(weights, n_weights, sizeof(*weights), by_value_and_part);
    add_weights(clusters, weights, n_weights);
    free(weights);
}

enum dg_status dg_clusters_measure(struct dg_clusters *clusters,
                                   const struct dg_view_input *in)
{
    dg_clusters_count_ops(clusters);
    find_weights(clusters);
    return add_costs(clusters, in);
}
