/* Groups that merge level by level: where each group either is to paths what a single
 * node is, or can merge with nothing at all, ExecuTorch's pairs of tests come to the
 * levels of torch, in one pass. */
#include "base/csr.h"
#include "partition/steps.h"

/* Searches through the whole graph are for weights that several groups read: few. */
enum { MOST_STEPS_A_NODE = 16 };

struct levels {
    const struct dg_graph *graph;
    const uint32_t *start_of;
    const struct dg_csr *starts; /* nodes of each, ascending */
    bool *alone;                 /* of each start: it merges with nothing */
    uint32_t *height; /* of the last node of each vertex: that of the vertex */
    uint32_t *seen;   /* the search that met a node; behind an unsupported one it has a
                       * place of its own, n_nodes further on */
    uint32_t *queue, n_searches;
    uint64_t n_steps; /* of searches through the whole graph */
};

static bool is_within(const struct levels *levels, uint32_t node, uint32_t start)
{
    return levels->start_of[node] == start;
}

static uint32_t begin_of(const struct levels *levels, uint32_t start)
{
    return levels->starts->begins[start];
}

static uint32_t last_member(const struct levels *levels, uint32_t start)
{
    return levels->starts->items[begin_of(levels, start + 1) - 1];
}

/* Vertices are the starts that merge, and all other nodes one by one. */
static uint32_t last_of_vertex(const struct levels *levels, uint32_t node)
{
    uint32_t start = levels->start_of[node];

    if (start == DG_NO_PART || levels->alone[start])
        return node;
    return last_member(levels, start);
}

/* Whether one of the nodes next to `node` along the rows lies outside of its start. */
static bool leaves(const struct levels *levels, uint32_t node, const uint32_t *row_of,
                   const uint32_t *rows)
{
    for (uint32_t k = row_of[node]; k < row_of[node + 1]; k++) {
        if (!is_within(levels, rows[k], levels->start_of[node]))
            return true;
    }
    return false;
}

static void visit(struct levels *levels, uint32_t place, uint32_t *n_queue)
{
    if (levels->seen[place] == levels->n_searches)
        return;
    levels->seen[place] = levels->n_searches;
    levels->queue[(*n_queue)++] = place;
}

static bool was_met(const struct levels *levels, uint32_t node)
{
    return levels->seen[node] == levels->n_searches;
}

/* Whether all members of the core's start that lead outside along the rows are met from
 * the core within it. */
static bool meets_all(struct levels *levels, uint32_t core, const uint32_t *row_of,
                      const uint32_t *rows)
{
    uint32_t start = levels->start_of[core], n_queue = 0;

    levels->n_searches++;
    visit(levels, core, &n_queue);
    while (n_queue) {
        uint32_t at = levels->queue[--n_queue];

        for (uint32_t k = row_of[at]; k < row_of[at + 1]; k++) {
            if (is_within(levels, rows[k], start))
                visit(levels, rows[k], &n_queue);
        }
    }
    for (uint32_t m = begin_of(levels, start); m < begin_of(levels, start + 1); m++) {
        uint32_t node = levels->starts->items[m];

        if (!was_met(levels, node) && leaves(levels, node, row_of, rows))
            return false;
    }
    return true;
}

/* Meet all that `core` leads to, up to node `last`. */
static void search_down(struct levels *levels, uint32_t core, uint32_t last)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t n_queue = 0;

    levels->n_searches++;
    visit(levels, core, &n_queue);
    while (n_queue) {
        uint32_t at = levels->queue[--n_queue];

        levels->n_steps += graph->user_of[at + 1] - graph->user_of[at];
        for (uint32_t k = graph->user_of[at]; k < graph->user_of[at + 1]; k++) {
            if (graph->users[k] <= last)
                visit(levels, graph->users[k], &n_queue);
        }
    }
}

static uint32_t last_reader(const struct levels *levels, uint32_t start)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t last = 0;

    for (uint32_t m = begin_of(levels, start); m < begin_of(levels, start + 1); m++) {
        uint32_t node = levels->starts->items[m];

        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++)
            last = graph->users[k] > last ? graph->users[k] : last;
    }
    return last;
}

/* Whether the core leads to all readers of the start: a weight that later calls read is
 * as good as the result, if they wait for that, too. */
static bool leads_to_readers(struct levels *levels, uint32_t core)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t start = levels->start_of[core];

    search_down(levels, core, last_reader(levels, start));
    for (uint32_t m = begin_of(levels, start); m < begin_of(levels, start + 1); m++) {
        uint32_t node = levels->starts->items[m];

        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            if (!is_within(levels, graph->users[k], start) &&
                !was_met(levels, graph->users[k]))
                return false;
        }
    }
    return true;
}

/* The last member that reads something from outside. */
static uint32_t core_of(const struct levels *levels, uint32_t start)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t begin = begin_of(levels, start);

    for (uint32_t m = begin_of(levels, start + 1); m-- > begin;) {
        if (leaves(levels, levels->starts->items[m], graph->input_of, graph->inputs))
            return levels->starts->items[m];
    }
    return levels->starts->items[begin];
}

/* All that comes in passes the core, and all that goes out comes from it: then what
 * reaches one member reaches whatever the others reach. */
static bool is_like_a_node(struct levels *levels, uint32_t start)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t core;

    if (begin_of(levels, start + 1) - begin_of(levels, start) == 1)
        return true;
    core = core_of(levels, start);
    return meets_all(levels, core, graph->input_of, graph->inputs) &&
           (meets_all(levels, core, graph->user_of, graph->users) ||
            leads_to_readers(levels, core));
}

/* Whether a path leads out of the start, past an unsupported node, and back: whatever
 * it would merge with, it stays so. */
static bool is_alone(struct levels *levels, uint32_t start)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t last = last_member(levels, start), n_queue = 0, n = graph->n_nodes;

    levels->n_searches++;
    for (uint32_t m = begin_of(levels, start); m < begin_of(levels, start + 1); m++)
        visit(levels, levels->starts->items[m], &n_queue);
    while (n_queue) {
        uint32_t place = levels->queue[--n_queue], at = place % n;

        levels->n_steps += graph->user_of[at + 1] - graph->user_of[at];
        for (uint32_t k = graph->user_of[at]; k < graph->user_of[at + 1]; k++) {
            uint32_t user = graph->users[k];
            bool passed = place >= n || levels->start_of[user] == DG_NO_PART;

            if (passed && is_within(levels, user, start))
                return true;
            if (user <= last)
                visit(levels, passed ? user + n : user, &n_queue);
        }
    }
    return false;
}

/* Whether every vertex that reads `node` ends behind its own. */
static bool ends_before_readers(const struct levels *levels, uint32_t node)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t last = last_of_vertex(levels, node);

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        if (last_of_vertex(levels, graph->users[k]) < last)
            return false;
    }
    return true;
}

static bool classify(struct levels *levels, uint32_t n_starts)
{
    const struct dg_graph *graph = levels->graph;
    uint64_t most =
        MOST_STEPS_A_NODE * ((uint64_t)graph->n_nodes + graph->user_of[graph->n_nodes]);

    for (uint32_t start = 0; start < n_starts; start++) {
        if (levels->n_steps > most)
            return false;
        levels->alone[start] = !is_like_a_node(levels, start);
        if (levels->alone[start] && !is_alone(levels, start))
            return false;
    }
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        if (!ends_before_readers(levels, node))
            return false;
    }
    return true;
}

static uint32_t height_behind(const struct levels *levels, uint32_t node)
{
    const struct dg_graph *graph = levels->graph;
    uint32_t own = last_of_vertex(levels, node), most = 0;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t last = last_of_vertex(levels, graph->users[k]);

        if (last != own && levels->height[last] > most)
            most = levels->height[last];
    }
    return most;
}

/* As dg_measure_heights() does, of vertices; those behind each are known. */
static void measure(struct levels *levels)
{
    for (uint32_t node = levels->graph->n_nodes; node-- > 0;) {
        uint32_t start = levels->start_of[node], most = 0;

        if (last_of_vertex(levels, node) != node)
            continue;
        if (start == DG_NO_PART || levels->alone[start]) {
            levels->height[node] = (height_behind(levels, node) + 1) & ~(uint32_t)1;
            continue;
        }
        for (uint32_t m = begin_of(levels, start); m < begin_of(levels, start + 1);
             m++) {
            uint32_t behind = height_behind(levels, levels->starts->items[m]);

            most = behind > most ? behind : most;
        }
        levels->height[node] = most | 1;
    }
}

/* The last start of a level in the order of the graph opens its partition. */
static void give_owners(uint32_t *owner, const struct levels *levels, uint32_t n_starts,
                        uint32_t *first_of)
{
    for (uint32_t start = 0; start < n_starts; start++) {
        uint32_t level = levels->height[last_member(levels, start)];

        owner[start] = start;
        if (levels->alone[start])
            continue;
        if (!first_of[level])
            first_of[level] = start + 1;
        owner[start] = first_of[level] - 1;
    }
}

bool dg_group_levels(uint32_t *owner, const struct dg_graph *graph,
                     const uint32_t *start_of, const struct dg_csr *starts,
                     uint32_t n_starts, struct dg_arena *memory)
{
    size_t n = graph->n_nodes;
    struct levels levels = {.graph = graph, .start_of = start_of, .starts = starts};

    levels.alone = dg_alloc(memory, n_starts, sizeof(*levels.alone));
    levels.seen = dg_alloc(memory, 2 * n, sizeof(*levels.seen));
    levels.queue = dg_alloc(memory, 2 * n, sizeof(*levels.queue));
    if (!classify(&levels, n_starts))
        return false;
    levels.height = dg_alloc(memory, n, sizeof(*levels.height));
    measure(&levels);
    give_owners(owner, &levels, n_starts, dg_alloc(memory, 2 * n + 2, sizeof(*owner)));
    return true;
}
