/* Which operators a program calls, how often, and what they cost. */
#include "graph/coverage_sql.h"
#include "reports/sections/section.h"

enum { MOST_ROWS = 200 };

/* Delegated: tagged by the newest plan, in a branch of control flow that is tagged, or
 * in a graph that a delegate was made from. What a .pte calls itself is never
 * delegated. */
static const char operators_sql[] =
    "WITH planned AS MATERIALIZED (SELECT node_id FROM partition_node"
    "  JOIN partition ON partition.id = partition_id WHERE part_run_id ="
    "   (SELECT max(id) FROM part_run WHERE artifact_id = ?1))," DG_PLANNED_BRANCHES
    " graphs AS MATERIALIZED (SELECT graph.id, graph.kind = 'lowered' OR graph.id IN"
    "   (SELECT graph_id FROM planned_branches) AS inside"
    "  FROM graph JOIN method ON method.id = method_id WHERE artifact_id = ?1),"
    " called AS (SELECT op_id, count(*) AS calls,"
    "   total(inside OR node.id IN planned) AS delegated, sum(flops) AS flops,"
    "   sum(bytes) AS bytes, min(node.id) AS first"
    "  FROM node CROSS JOIN graphs ON graphs.id = graph_id"
    "  LEFT JOIN cost ON cost.node_id = node.id"
    "  WHERE op_id IS NOT NULL GROUP BY op_id)"
    " SELECT op.name AS \"Operator:code\", calls AS \"Calls:count\","
    " CAST(delegated AS INTEGER) AS \"Delegated:count\","
    " flops AS \"FLOPs:count\", called.bytes AS \"Memory traffic:bytes\","
    " CASE WHEN op.args IS NULL THEN 'unknown schema' WHEN flags & 1 THEN 'yes'"
    "  ELSE 'no' END AS \"Core ATen:text\","
    " node.name AS \"First:node\""
    " FROM called JOIN op ON op.id = called.op_id JOIN node ON node.id = first"
    " ORDER BY calls DESC, op.name";

static const char kernels_sql[] =
    "WITH called AS (SELECT op_id, count(*) AS calls FROM node WHERE +graph_id IN"
    "   (SELECT graph.id FROM graph JOIN method ON method.id = method_id"
    "     WHERE artifact_id = ?1) AND op_id IS NOT NULL GROUP BY op_id)"
    " SELECT op.name AS \"Kernel:code\","
    " iif(flags & 16, 'yes', 'no') AS \"In the portable library:text\","
    " count(DISTINCT method_id) AS \"Methods:count\","
    " coalesce(calls, 0) AS \"Calls:count\""
    " FROM plan_operator JOIN op ON op.id = plan_operator.op_id"
    " JOIN method ON method.id = method_id"
    " LEFT JOIN called ON called.op_id = op.id WHERE artifact_id = ?1"
    " GROUP BY op.id ORDER BY flags & 16 <> 0, op.name";

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    const char *more =
        dg_format(&page->memory, "delegraph ls %s --what ops", input->path).data;
    enum dg_status status;

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    status = dg_page_query(page, "operator-table", "Operators", input->store,
                           operators_sql, input->artifact, MOST_ROWS, more, NULL, err);
    if (!status)
        status = dg_page_query(page, "kernels", "Kernels that the runtime must have",
                               input->store, kernels_sql, input->artifact, MOST_ROWS,
                               more, NULL, err);
    return status;
}

const struct dg_section dg_section_operators = {
    .id = "operators",
    .title = "Operators",
    .write = write,
};
