#include "graph/handles.h"

#include "graph/handles_sql.h"

/* A delegate is many nodes; those inside of it have handles of their own. Of two that
 * are joined by what is computed SQLite looks at each pair: one of them gets an index.
 */
static const char told_sql[] =
    "CREATE TEMP TABLE inside_handle (graph_id INTEGER, handle TEXT, id INTEGER,"
    "  PRIMARY KEY (graph_id, handle, id)) WITHOUT ROWID;"
    "INSERT INTO inside_handle SELECT graph_id, debug_handle, id FROM delegate_node"
    " WHERE debug_handle IS NOT NULL;"
    "WITH " DG_SQL_HANDLES
    " INSERT INTO lineage SELECT node, NULL, other FROM came UNION ALL"
    " SELECT came.node, inside.id, other FROM came CROSS JOIN node ON node.id = "
    "came.node"
    "  CROSS JOIN delegate ON delegate.id = node.delegate_id"
    "  CROSS JOIN inside_handle AS inside ON inside.graph_id = delegate.inside_id"
    "   AND inside.handle = came.debug_handle"
    "  WHERE came.kind = 'delegate_call';"
    "DROP TABLE inside_handle";

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
