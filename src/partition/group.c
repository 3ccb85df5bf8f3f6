/* ExecuTorch's GroupBasedPartitioner: each group and each other node starts as a
 * partition; the earliest one absorbs all later ones that leave it convex, then the
 * next. Cycles through other partitions are not looked at. */
#include "base/csr.h"
#include "partition/condense.h"
#include "partition/steps.h"

/* The partition that grows now, and the candidates. Stamps equal `turn` where set. */
struct merger {
    const struct dg_graph *graph;
    uint32_t *start_of; /* of each node: the partition it starts in */
    uint32_t n_starts;
    struct dg_csr starts; /* nodes of each */
    uint32_t *owner;      /* of each start, once it is known */
    bool *convex;         /* whether a start is known to be so by itself */
    uint32_t turn;
    uint32_t *inside;        /* stamp of nodes of the growing partition */
    uint32_t *below, *above; /* stamps of nodes that it reaches, and that reach it */
    uint32_t n_holes;        /* nodes outside that are both */
    uint32_t *queue, *seen, n_searches;
};

static void number_starts(struct merger *merger, const uint16_t *marks,
                          const struct dg_groups *groups, struct dg_arena *memory)
{
    uint32_t n_groups = groups ? groups->n_groups : 0;
    uint32_t *start_of_group = dg_alloc(memory, n_groups, sizeof(uint32_t));

    for (uint32_t node = merger->graph->n_nodes; node-- > 0;) {
        uint32_t group = groups ? groups->group_of[node] : DG_NO_PART;

        merger->start_of[node] = DG_NO_PART;
        if (!(marks[node] & DG_MARK_SUPPORTED))
            continue;
        if (group < n_groups && start_of_group[group]) {
            merger->start_of[node] = start_of_group[group] - 1;
            continue;
        }
        merger->start_of[node] = merger->n_starts++;
        if (group < n_groups)
            start_of_group[group] = merger->n_starts;
    }
}

static void prepare(struct merger *merger, const struct dg_graph *graph,
                    const uint16_t *marks, const struct dg_groups *groups,
                    struct dg_arena *memory)
{
    size_t n = graph->n_nodes;

    *merger = (struct merger){.graph = graph};
    merger->start_of = dg_alloc(memory, n, sizeof(uint32_t));
    number_starts(merger, marks, groups, memory);
    dg_csr_by_key(&merger->starts, merger->start_of, graph->n_nodes, merger->n_starts,
                  memory);
    merger->owner = dg_alloc(memory, merger->n_starts, sizeof(uint32_t));
    merger->convex = dg_alloc(memory, merger->n_starts, sizeof(bool));
    merger->inside = dg_alloc(memory, n, sizeof(uint32_t));
    merger->below = dg_alloc(memory, n, sizeof(uint32_t));
    merger->above = dg_alloc(memory, n, sizeof(uint32_t));
    merger->queue = dg_alloc(memory, n + 1, sizeof(uint32_t));
    merger->seen = dg_alloc(memory, n, sizeof(uint32_t));
    for (uint32_t start = 0; start < merger->n_starts; start++) {
        merger->owner[start] = DG_NO_PART;
        merger->convex[start] =
            merger->starts.begins[start + 1] - merger->starts.begins[start] == 1;
    }
}

/* Stamp `reached` on all that `node` leads to along the rows; where `other` is there
 * too, a hole opens. */
static void spread(struct merger *merger, uint32_t node, const uint32_t *row_of,
                   const uint32_t *rows, uint32_t *reached, const uint32_t *other)
{
    uint32_t n_queue = 0, turn = merger->turn;

    merger->queue[n_queue++] = node;
    while (n_queue) {
        uint32_t at = merger->queue[--n_queue];

        for (uint32_t k = row_of[at]; k < row_of[at + 1]; k++) {
            uint32_t next = rows[k];

            if (reached[next] == turn)
                continue;
            reached[next] = turn;
            merger->n_holes += other[next] == turn && merger->inside[next] != turn;
            merger->queue[n_queue++] = next;
        }
    }
}

static bool is_hole(const struct merger *merger, uint32_t node)
{
    return merger->inside[node] != merger->turn &&
           merger->below[node] == merger->turn && merger->above[node] == merger->turn;
}

static void absorb(struct merger *merger, uint32_t start)
{
    const struct dg_graph *graph = merger->graph;
    uint32_t begin = merger->starts.begins[start],
             end = merger->starts.begins[start + 1];

    merger->owner[start] = merger->turn - 1;
    for (uint32_t m = begin; m < end; m++) {
        merger->n_holes -= is_hole(merger, merger->starts.items[m]);
        merger->inside[merger->starts.items[m]] = merger->turn;
    }
    for (uint32_t m = begin; m < end; m++) {
        uint32_t node = merger->starts.items[m];

        spread(merger, node, graph->user_of, graph->users, merger->below,
               merger->above);
        spread(merger, node, graph->input_of, graph->inputs, merger->above,
               merger->below);
    }
}

/* Neither in the growing partition nor in `start`. */
static bool outside(const struct merger *merger, uint32_t start, uint32_t node)
{
    return merger->inside[node] != merger->turn && merger->start_of[node] != start;
}

static bool fills_holes(const struct merger *merger, uint32_t start)
{
    uint32_t n_filled = 0;

    for (uint32_t m = merger->starts.begins[start];
         m < merger->starts.begins[start + 1]; m++)
        n_filled += is_hole(merger, merger->starts.items[m]);
    return n_filled == merger->n_holes;
}

/* Whether a path leads from one of the two to the other through nodes outside. */
static bool apart(const struct merger *merger, uint32_t start)
{
    const struct dg_graph *graph = merger->graph;

    for (uint32_t m = merger->starts.begins[start];
         m < merger->starts.begins[start + 1]; m++) {
        uint32_t node = merger->starts.items[m];

        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            if (merger->above[graph->users[k]] == merger->turn &&
                outside(merger, start, graph->users[k]))
                return true;
        }
        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
            if (merger->below[graph->inputs[k]] == merger->turn &&
                outside(merger, start, graph->inputs[k]))
                return true;
        }
    }
    return false;
}

/* Whether a path leads from `start` to itself through nodes outside of both. Only what
 * lies before its last node can come back. */
static bool comes_back(struct merger *merger, uint32_t start)
{
    const struct dg_graph *graph = merger->graph;
    uint32_t n_queue = merger->starts.begins[start + 1] - merger->starts.begins[start];
    uint32_t last = merger->starts.items[merger->starts.begins[start + 1] - 1];

    merger->n_searches++;
    memcpy(merger->queue, &merger->starts.items[merger->starts.begins[start]],
           n_queue * sizeof(*merger->queue));
    while (n_queue) {
        uint32_t at = merger->queue[--n_queue];

        for (uint32_t k = graph->user_of[at]; k < graph->user_of[at + 1]; k++) {
            uint32_t user = graph->users[k];

            if (merger->start_of[user] == start && merger->start_of[at] != start)
                return true;
            if (user > last || merger->seen[user] == merger->n_searches ||
                !outside(merger, start, user))
                continue;
            merger->seen[user] = merger->n_searches;
            merger->queue[n_queue++] = user;
        }
    }
    return false;
}

static bool fits(struct merger *merger, uint32_t start)
{
    if (!fills_holes(merger, start) || apart(merger, start))
        return false;
    return merger->convex[start] || !comes_back(merger, start);
}

static void merge(struct merger *merger)
{
    for (uint32_t start = 0; start < merger->n_starts; start++) {
        if (merger->owner[start] != DG_NO_PART)
            continue;
        merger->turn = start + 1;
        merger->n_holes = 0;
        absorb(merger, start);
        for (uint32_t next = start + 1; next < merger->n_starts; next++) {
            if (merger->owner[next] == DG_NO_PART && fits(merger, next))
                absorb(merger, next);
        }
    }
}

/* One pass, by the places that all had before it; a getitem outside stays there. */
static void move_getitems(struct dg_partitions *out, const uint32_t *before,
                          const struct dg_graph *graph, const uint16_t *marks)
{
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        if (before[node] == DG_NO_PART || !dg_only_getitems_read(graph, marks, node))
            continue;
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            uint32_t user = graph->users[k];

            if (before[user] != DG_NO_PART && before[user] != before[node])
                out->part_of[user] = before[node];
        }
    }
}

void dg_partition_group(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, const struct dg_groups *groups,
                        bool no_single)
{
    const struct dg_moves in_graph_order = {0};
    struct dg_arena scratch = {0};
    struct merger merger;
    uint32_t *before;

    prepare(&merger, graph, marks, groups, &scratch);
    if (!dg_group_levels(merger.owner, graph, merger.start_of, &merger.starts,
                         merger.n_starts, &scratch))
        merge(&merger);
    *out = (struct dg_partitions){.n_parts = merger.n_starts};
    out->parts = dg_alloc(&out->memory, out->n_parts, sizeof(*out->parts));
    for (uint32_t start = 0; start < out->n_parts; start++)
        out->parts[start].id = start;
    out->part_of = dg_alloc(&out->memory, graph->n_nodes, sizeof(*out->part_of));
    before = dg_alloc(&scratch, graph->n_nodes, sizeof(*before));
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        uint32_t start = merger.start_of[node];

        before[node] = start == DG_NO_PART ? DG_NO_PART : merger.owner[start];
        out->part_of[node] = before[node];
    }
    move_getitems(out, before, graph, marks);
    dg_list_partitions(out, &in_graph_order, graph, marks, no_single);
    dg_arena_clear(&scratch);
}
