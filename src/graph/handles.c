#include "graph/handles.h"

#include "graph/handles_sql.h"

/* A delegate is many nodes; those inside of it have handles of their own. */
static const char told_sql[] =
    "WITH " DG_SQL_HANDLES ","
    "came AS MATERIALIZED (SELECT node, kind, other, debug_handle FROM told"
    "  WHERE node IS NOT NULL AND other IS NOT NULL"
    "   AND node NOT IN (SELECT node FROM other_size)"
    "   AND record_method NOT IN (SELECT record_method FROM other_build))"
    "INSERT INTO lineage SELECT node, NULL, other FROM came UNION ALL"
    " SELECT came.node, inside.id, other FROM came JOIN node ON node.id = came.node"
    "  JOIN delegate ON delegate.id = node.delegate_id"
    "  JOIN delegate_node AS inside ON inside.graph_id = delegate.inside_id"
    "   AND CAST(inside.debug_handle AS TEXT) = came.debug_handle"
    "  WHERE came.kind = 'delegate_call'";

enum dg_status dg_handles_follow(struct dg_store *store, struct dg_error *err)
{
    int64_t wanted;
    enum dg_status status =
        dg_store_int(store,
                     "SELECT EXISTS (SELECT 1 FROM instruction_handle)"
                     " AND NOT EXISTS (SELECT 1 FROM lineage)",
                     0, &wanted, err);

    return status || !wanted ? status : dg_store_exec(store, told_sql, err);
}
