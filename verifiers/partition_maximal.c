/* Partitions that could be one. */
#include "base/csr.h"
#include "verifiers/partition_parts.h"

/* Partitions come first, then each other node. */
struct merger {
    const struct dg_partitioned_graph *tagged;
    const struct dg_graph *graph;
    uint32_t n_vertices;
    uint32_t *vertex_of;   /* of each node */
    struct dg_csr members; /* of each vertex */
    uint32_t *level;       /* of each vertex: edges on the longest path to it */
    uint32_t *seen;        /* of each vertex: in the search with that number */
    uint32_t *queue;
    uint32_t n_searches;
    uint64_t steps, budget;
};

static void contract(struct merger *merger, struct dg_arena *memory)
{
    uint32_t n = merger->graph->n_nodes;

    merger->vertex_of = dg_alloc(memory, n, sizeof(*merger->vertex_of));
    merger->n_vertices = merger->tagged->n_tags;
    for (uint32_t i = 0; i < n; i++) {
        bool binds = merger->tagged->nodes.marks[i] & (DG_MARK_CALL | DG_MARK_GET_ATTR);
        uint32_t tag = binds ? dg_lowered_tag(merger->tagged, i) : DG_UNTAGGED;

        merger->vertex_of[i] = tag == DG_UNTAGGED ? merger->n_vertices++ : tag;
    }
    dg_csr_by_key(&merger->members, merger->vertex_of, n, merger->n_vertices, memory);
    merger->level = dg_alloc(memory, merger->n_vertices, sizeof(*merger->level));
    merger->seen = dg_alloc(memory, merger->n_vertices, sizeof(*merger->seen));
    merger->queue = dg_alloc(memory, merger->n_vertices, sizeof(*merger->queue));
    merger->budget = 8 * ((uint64_t)n + merger->graph->n_edges);
}

/* Told of each edge that leaves a vertex. False ends the walk. */
typedef bool leave_fn(struct merger *merger, uint32_t from, uint32_t to, void *context);

static bool each_leaving(struct merger *merger, uint32_t vertex, leave_fn *told,
                         void *context)
{
    const struct dg_graph *graph = merger->graph;
    const struct dg_csr *members = &merger->members;

    for (uint32_t m = members->begins[vertex]; m < members->begins[vertex + 1]; m++) {
        uint32_t node = members->items[m];

        for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
            uint32_t to = merger->vertex_of[graph->users[i]];

            merger->steps++;
            if (to != vertex && !told(merger, vertex, to, context))
                return false;
        }
    }
    return true;
}

static uint32_t *count_inputs(const struct merger *merger, struct dg_arena *memory)
{
    const struct dg_graph *graph = merger->graph;
    const uint32_t *vertex_of = merger->vertex_of;
    uint32_t *waiting = dg_alloc(memory, merger->n_vertices, sizeof(*waiting));

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        for (uint32_t k = graph->input_of[i]; k < graph->input_of[i + 1]; k++)
            waiting[vertex_of[i]] += vertex_of[graph->inputs[k]] != vertex_of[i];
    }
    return waiting;
}

struct order {
    uint32_t *waiting, *queue;
    uint32_t n_queue;
};

static bool raise_level(struct merger *merger, uint32_t from, uint32_t to,
                        void *context)
{
    struct order *order = context;

    if (merger->level[to] < merger->level[from] + 1)
        merger->level[to] = merger->level[from] + 1;
    if (!--order->waiting[to])
        order->queue[order->n_queue++] = to;
    return true;
}

/* False: the partitions are in a cycle. */
static bool find_levels(struct merger *merger, struct dg_arena *memory)
{
    struct order order = {0};

    order.waiting = count_inputs(merger, memory);
    order.queue = merger->queue;
    for (uint32_t v = 0; v < merger->n_vertices; v++) {
        if (!order.waiting[v])
            order.queue[order.n_queue++] = v;
    }
    for (uint32_t i = 0; i < order.n_queue; i++)
        each_leaving(merger, order.queue[i], raise_level, &order);
    merger->steps = 0;
    return order.n_queue == merger->n_vertices;
}

/* A search for a path to `target` that is longer than an edge. */
struct hunt {
    uint32_t target, n_queue;
};

static void follow(struct merger *merger, struct hunt *hunt, uint32_t vertex)
{
    if (merger->level[vertex] >= merger->level[hunt->target] ||
        merger->seen[vertex] == merger->n_searches)
        return;
    merger->seen[vertex] = merger->n_searches;
    merger->queue[hunt->n_queue++] = vertex;
}

static bool begin_hunt(struct merger *merger, uint32_t from, uint32_t to, void *context)
{
    (void)from;
    follow(merger, context, to);
    return true;
}

static bool go_on(struct merger *merger, uint32_t from, uint32_t to, void *context)
{
    struct hunt *hunt = context;

    (void)from;
    if (to == hunt->target)
        return false;
    follow(merger, hunt, to);
    return merger->steps < merger->budget;
}

/* Whether no path but the edge leads from `from` to `to`; false, too, where that is not
 * known. */
static bool only_edge(struct merger *merger, uint32_t from, uint32_t to)
{
    struct hunt hunt = {.target = to};

    if (merger->level[to] == merger->level[from] + 1)
        return true;
    if (merger->steps >= merger->budget)
        return false;
    merger->n_searches++;
    each_leaving(merger, from, begin_hunt, &hunt);
    for (uint32_t i = 0; i < hunt.n_queue; i++) {
        if (!each_leaving(merger, merger->queue[i], go_on, &hunt))
            return false;
    }
    return true;
}

static bool one_backend(const struct dg_tag *a, const struct dg_tag *b)
{
    return a->backend.size && dg_text_equal(a->backend, b->backend);
}

static enum dg_status look_at_edge(const struct dg_findings *found,
                                   struct merger *merger, uint32_t node, uint32_t user,
                                   struct dg_error *err)
{
    const struct dg_partitioned_graph *tagged = merger->tagged;
    uint32_t from = merger->vertex_of[node], to = merger->vertex_of[user];
    uint32_t pair[] = {node, user};

    if (from == to || to >= tagged->n_tags ||
        !one_backend(&tagged->tags[from], &tagged->tags[to]) ||
        !only_edge(merger, from, to))
        return DG_OK;
    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){.node = user, .witness = pair, .n_witness = 2}, err,
        "%.*s and %.*s could be one partition of %.*s: %.*s reads %.*s, and no other"
        " path leads from one to the other; that saves a delegate call",
        DG_SHOWN(tagged->tags[from].name), DG_SHOWN(tagged->tags[to].name),
        DG_SHOWN(tagged->tags[from].backend), DG_SHOWN(tagged->nodes.names[user]),
        DG_SHOWN(tagged->nodes.names[node]));
}

/* `judged` has, for each tag, the last one from which an edge to it was judged. */
static enum dg_status look_at_tag(const struct dg_findings *found,
                                  struct merger *merger, uint32_t tag, uint32_t *judged,
                                  struct dg_error *err)
{
    const struct dg_csr *members = &merger->members;
    const struct dg_graph *graph = merger->graph;
    enum dg_status status = DG_OK;

    for (uint32_t m = members->begins[tag]; m < members->begins[tag + 1]; m++) {
        uint32_t node = members->items[m];

        for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
            uint32_t to = merger->vertex_of[graph->users[i]];

            if (status || to >= merger->tagged->n_tags || judged[to] == tag + 1)
                continue;
            judged[to] = tag + 1;
            status = look_at_edge(found, merger, node, graph->users[i], err);
        }
    }
    return status;
}

static enum dg_status look_for_mergers(const struct dg_findings *found,
                                       const struct dg_partitioned_graph *tagged,
                                       struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct merger merger = {.tagged = tagged, .graph = &tagged->nodes.graph};
    uint32_t *judged = dg_alloc(&memory, tagged->n_tags, sizeof(*judged));
    enum dg_status status = DG_OK;

    contract(&merger, &memory);
    if (find_levels(&merger, &memory)) {
        for (uint32_t tag = 0; tag < tagged->n_tags && !status; tag++)
            status = look_at_tag(found, &merger, tag, judged, err);
    }
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_maximal(const struct dg_findings *found, struct dg_error *err)
{
    return dg_each_lowered(found, look_for_mergers, err);
}
