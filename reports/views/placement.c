/* Which delegate, or partition of a plan, runs a node. */
#include "reports/views/placement.h"

#include "base/sum.h"

#define NEWEST "(SELECT max(id) FROM part_run GROUP BY artifact_id)"

static uint32_t add_partition(struct dg_placement *placement,
                              const struct dg_rows *rows, uint32_t graph)
{
    uint32_t index = dg_clusters_add(&placement->clusters, DG_BOX_PART, graph);
    struct dg_cluster *part = &placement->clusters.items[index];

    part->name = dg_rows_keep(&placement->clusters.memory, rows, 2);
    part->backend = dg_rows_keep(&placement->clusters.memory, rows, 3);
    part->title = part->backend.data ? part->backend : part->name;
    if (!dg_rows_int(rows, 4))
        part->note = dg_text("the plan has no such delegate");
    placement->n_planned++;
    return index;
}

/* Rows come partition by partition. A node that several claim stays with the first. */
enum dg_status dg_placement_read_plan(struct dg_placement *placement,
                                      const struct dg_view_input *in)
{
    const struct dg_skeleton *skeleton = placement->clusters.skeleton;
    int64_t newest = 0;
    uint32_t part = DG_NOWHERE;
    struct dg_rows rows = dg_rows_of(
        in->store,
        "SELECT node_id, partition_id, tag, backend, declared IS NOT 0"
        " FROM partition CROSS JOIN partition_node"
        "  ON partition_id = partition.id"
        " WHERE part_run_id IN " NEWEST " ORDER BY partition.id, partition_node.pos",
        0, in->err);

    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, 0);
        const struct dg_skeleton_node *node;

        if (row < 1 || (uint64_t)row > skeleton->n_rows)
            continue;
        node = &skeleton->nodes[row - 1];
        if (node->graph == DG_NOWHERE || node->role == DG_ROLE_OUTPUT ||
            placement->clusters.part_of[row - 1] != DG_NOWHERE)
            continue;
        if (dg_rows_int(&rows, 1) != newest)
            part = add_partition(placement, &rows, node->graph);
        newest = dg_rows_int(&rows, 1);
        dg_clusters_join(&placement->clusters, (uint32_t)(row - 1), part);
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

/* The cluster that runs all of a graph: a delegate what it was lowered from, a
 * partition the branches of its calls. DG_NOWHERE: the graph is drawn itself. */
static uint32_t owner(const struct dg_placement *placement, uint32_t graph)
{
    const struct dg_skeleton *skeleton = placement->clusters.skeleton;

    for (size_t depth = 0; depth <= skeleton->n_graphs && graph != DG_NOWHERE;
         depth++) {
        uint32_t caller = skeleton->graphs[graph].caller, part;

        if (caller == DG_NOWHERE)
            return DG_NOWHERE;
        part = placement->clusters.part_of[caller];
        if (part != DG_NOWHERE && placement->clusters.items[part].kind != DG_BOX_BRANCH)
            return part;
        graph = skeleton->nodes[caller].graph;
    }
    return DG_NOWHERE;
}

/* Calls of delegates and of other graphs that no partition took. */
static void add_calls(struct dg_placement *placement)
{
    const struct dg_skeleton *skeleton = placement->clusters.skeleton;

    for (uint32_t i = 0; i < skeleton->n_rows; i++) {
        const struct dg_skeleton_node *node = &skeleton->nodes[i];
        bool delegate = node->role == DG_ROLE_DELEGATE;

        if (node->graph == DG_NOWHERE || placement->clusters.part_of[i] != DG_NOWHERE ||
            (!delegate && node->role != DG_ROLE_CONTROL) ||
            owner(placement, node->graph) != DG_NOWHERE)
            continue;
        dg_clusters_join(&placement->clusters, i,
                         dg_clusters_add(&placement->clusters,
                                         delegate ? DG_BOX_DELEGATE : DG_BOX_BRANCH,
                                         node->graph));
        placement->n_called += delegate;
    }
}

static void add_inner_nodes(struct dg_placement *placement)
{
    const struct dg_skeleton *skeleton = placement->clusters.skeleton;
    uint32_t *owners =
        dg_alloc(&placement->clusters.memory, skeleton->n_graphs + 1, sizeof(*owners));

    for (uint32_t g = 0; g < skeleton->n_graphs; g++)
        owners[g] = owner(placement, g);
    for (uint32_t i = 0; i < skeleton->n_rows; i++) {
        uint32_t graph = skeleton->nodes[i].graph;

        if (graph != DG_NOWHERE && owners[graph] != DG_NOWHERE)
            placement->clusters.part_of[i] = owners[graph];
    }
    for (uint32_t p = 0; p < placement->clusters.n_items; p++) {
        struct dg_cluster *part = &placement->clusters.items[p];

        part->gone = placement->clusters.part_of[part->first] != p;
        placement->n_planned -= part->gone && part->kind == DG_BOX_PART;
    }
}

/* A getitem that no partition took belongs to what it reads. */
static void add_items(struct dg_placement *placement)
{
    const struct dg_skeleton *skeleton = placement->clusters.skeleton;
    uint32_t *part_of = placement->clusters.part_of;

    for (size_t i = 0; i < skeleton->n_uses; i++) {
        const struct dg_skeleton_use *use = &skeleton->uses[i];

        if (skeleton->nodes[use->to].role == DG_ROLE_ITEM &&
            part_of[use->to] == DG_NOWHERE &&
            skeleton->nodes[use->from].role != DG_ROLE_INPUT)
            part_of[use->to] = part_of[use->from];
    }
}

/* Columns of name_parts(). */
static void name_part(struct dg_arena *memory, struct dg_cluster *part,
                      const struct dg_rows *rows)
{
    struct dg_text node = dg_rows_keep(memory, rows, 0),
                   inner = dg_rows_keep(memory, rows, 5);

    if (part->kind == DG_BOX_DELEGATE) {
        part->backend = dg_rows_keep(memory, rows, 2);
        part->name = dg_rows_keep(memory, rows, dg_rows_null(rows, 1) ? 0 : 1);
        part->title = part->backend.data ? part->backend : dg_text("delegate");
        if (!dg_rows_null(rows, 3))
            part->blob = dg_rows_int(rows, 3);
    } else if (part->kind == DG_BOX_BRANCH) {
        part->title = dg_rows_keep(memory, rows, 4);
        part->name = node;
    }
    if (inner.size && part->kind == DG_BOX_DELEGATE)
        part->command =
            dg_format(memory, "--graph %s", dg_shell_word(memory, inner).data);
    else
        part->command =
            dg_format(memory, "--around %s", dg_shell_word(memory, node).data);
}

/* Names of the nodes that stand for a cluster. */
static enum dg_status name_parts(struct dg_placement *placement,
                                 const struct dg_view_input *in)
{
    struct dg_clusters *clusters = &placement->clusters;
    struct dg_rows rows =
        dg_rows_of(in->store,
                   "SELECT node.name, delegate.name, delegate.backend,"
                   "  delegate.blob_bytes, op.name, inner.path"
                   " FROM node LEFT JOIN delegate ON delegate.id = node.delegate_id"
                   " LEFT JOIN op ON op.id = node.op_id"
                   " LEFT JOIN \"graph\" AS inner ON inner.id = delegate.graph_id"
                   " WHERE node.id = ?1",
                   0, in->err);
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < clusters->n_items; i++) {
        struct dg_cluster *part = &clusters->items[i];

        if (part->first == DG_NOWHERE ||
            part->first >= placement->clusters.skeleton->n_rows)
            continue;
        dg_rows_bind_int(&rows, 1, (int64_t)part->first + 1);
        if (dg_rows_next(&rows))
            name_part(&clusters->memory, part, &rows);
        status = dg_rows_again(&rows, in->err);
    }
    return dg_rows_close(&rows, status, in->err);
}

enum dg_status dg_placement_find(struct dg_placement *placement,
                                 struct dg_skeleton *skeleton,
                                 const struct dg_view_input *in)
{
    enum dg_status status = DG_OK;

    *placement = (struct dg_placement){0};
    dg_clusters_begin(&placement->clusters, skeleton);
    if (!in->options->no_plan)
        status = dg_placement_read_plan(placement, in);
    if (status)
        return status;
    add_calls(placement);
    add_inner_nodes(placement);
    add_items(placement);
    return name_parts(placement, in);
}
