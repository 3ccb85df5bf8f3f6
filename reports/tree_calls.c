/* What a method of a .pte calls: delegates by backend, kernels by operator. */
#include "base/sum.h"
#include "graph/asked.h"
#include "reports/tree.h"

#define OF_METHOD                                                                      \
    " JOIN graph ON graph.id = node.graph_id JOIN method ON method.id = "              \
    "graph.method_id WHERE method.name = ?1 AND method.artifact_id = ?2"

/* What each instruction took, of a store with what ETDumps measured. */
#define NOT_MEASURED "timing AS (SELECT 0 AS node_id, 0 AS median WHERE 0)"
#define MEASURED                                                                       \
    "timing AS MATERIALIZED (SELECT node_id, median FROM v_timing WHERE part IS NULL)"

/* Name, calls, bytes of the blob and of the data it looks up; backend by backend in the
 * order of their first calls. */
#define DELEGATES(timing)                                                              \
    "WITH " timing ", called AS (SELECT delegate_id AS id, count(*) AS calls,"         \
    "   min(node.idx) AS at, total(median) AS took"                                    \
    "  FROM node LEFT JOIN timing ON node_id = node.id" OF_METHOD                      \
    " AND node.kind = 'delegate_call' AND delegate_id IS NOT NULL"                     \
    "  GROUP BY delegate_id)"                                                          \
    " SELECT coalesce(backend, '(no backend)') AS backend,"                            \
    "  printf('delegate %d', delegate.idx), calls, coalesce(blob_bytes, 0) +"          \
    "  (SELECT total(size_bytes) FROM named_data WHERE artifact_id = "                 \
    "method.artifact_id"                                                               \
    "   AND key IN (SELECT key FROM delegate_key WHERE delegate_id = delegate.id)),"   \
    "  delegate.inside_id, took FROM called JOIN delegate ON delegate.id = called.id"  \
    " JOIN method ON method.id = delegate.method_id"                                   \
    " ORDER BY min(at) OVER (PARTITION BY backend), backend, at"

#define KERNELS(timing)                                                                \
    "WITH " timing " SELECT 'kernels', coalesce(op.name, '(unknown)'), count(*), 0,"   \
    "  NULL, total(median) FROM node LEFT JOIN timing ON node_id = node.id"            \
    " LEFT JOIN op ON op.id = op_id" OF_METHOD " AND node.kind = 'kernel_call'"        \
    " GROUP BY op_id ORDER BY count(*) DESC, op.name"

/* Without and with what was measured. */
static const char *const delegates_sql[] = {DELEGATES(NOT_MEASURED),
                                            DELEGATES(MEASURED)};
static const char *const kernels_sql[] = {KERNELS(NOT_MEASURED), KERNELS(MEASURED)};

/* What the graph of a delegate does: kinds of nodes, and the constants that they read.
 */
static const char inside_sql[] =
    "SELECT NULL, n.op, count(DISTINCT n.id), total(v.nbytes), NULL, 0 FROM "
    "delegate_node AS n"
    " LEFT JOIN delegate_operand AS o ON o.node_id = n.id AND access = 'read'"
    " LEFT JOIN delegate_value AS v ON v.id = o.value_id AND constant_idx IS NOT NULL"
    " WHERE n.graph_id = ?1 GROUP BY n.op ORDER BY 3 DESC, n.op";

static size_t add(struct dg_tree *tree, size_t parent, struct dg_text name)
{
    dg_tree_add(tree, parent, (struct dg_text){dg_copy(&tree->memory, name), name.size})
        ->flops = -1;
    return tree->n_areas - 1;
}

static void count(struct dg_tree *tree, size_t area, const struct dg_rows *rows,
                  bool delegated)
{
    int64_t calls = dg_rows_int(rows, 2);

    tree->areas[area].count += calls;
    tree->figures[area].delegated += delegated ? calls : 0;
    dg_add_to(&tree->areas[area].bytes, dg_rows_int(rows, 3));
    tree->figures[area].took += dg_rows_real(rows, 5, 0);
}

static enum dg_status add_inside(struct dg_tree *tree, size_t area, int64_t graph,
                                 struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, inside_sql, graph, err);

    while (dg_rows_next(&rows))
        count(tree, add(tree, area, dg_rows_slice(&rows, 1)), &rows, true);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Rows with the same first column are inside of one area. */
static enum dg_status add_groups(struct dg_tree *tree, struct dg_store *store,
                                 const char *sql, bool delegated, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, sql, 0, err);
    enum dg_status status = DG_OK;
    size_t group = 0;

    dg_rows_bind_text(&rows, 1, dg_text(tree->method));
    dg_rows_bind_int(&rows, 2, tree->artifact);
    while (!status && dg_rows_next(&rows)) {
        struct dg_text name = dg_rows_slice(&rows, 0);
        size_t area;

        if (!group || !dg_text_equal(tree->areas[group].name, name))
            group = add(tree, 0, name);
        count(tree, 0, &rows, delegated);
        count(tree, group, &rows, delegated);
        area = add(tree, group, dg_rows_slice(&rows, 1));
        count(tree, area, &rows, delegated);
        if (!dg_rows_null(&rows, 4))
            status = add_inside(tree, area, dg_rows_int(&rows, 4), store, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_tree_read_calls(struct dg_tree *tree, struct dg_store *store,
                                  struct dg_error *err)
{
    bool measured;
    enum dg_status status = dg_asked_measured(&measured, store, err);

    tree->figures[0].flops = -1;
    if (!status)
        status = add_groups(tree, store, delegates_sql[measured], true, err);
    return status ? status : add_groups(tree, store, kernels_sql[measured], false, err);
}
