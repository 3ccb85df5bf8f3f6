/* SQL for which nodes of a method delegraph itself can run, operator by operator, where
 * table runnable is filled. */
#ifndef DG_GRAPH_RUNNABLE_SQL_H
#define DG_GRAPH_RUNNABLE_SQL_H

/* What methods call and how often; of delegates that can be opened, what they compute. */
#define DG_SQL_RUNNABLE_TABLE                                                          \
    "CREATE TEMP TABLE runnable (method_id INTEGER, op TEXT, n INTEGER, cpu INTEGER,"  \
    " cuda INTEGER, PRIMARY KEY (method_id, op)) WITHOUT ROWID"

/* Its first three columns by op: calls of operators, of nodes inside of delegates, and,
 * as "delegate <backend>", of delegates that cannot be opened. */
#define DG_SQL_RUNNABLE_CALLS                                                          \
    "WITH calls AS MATERIALIZED (SELECT delegate.method_id, backend, (SELECT id"       \
    "   FROM delegate_graph WHERE id = inside_id AND format = 'xnnpack') AS open,"     \
    "  node.kind, count(*) AS n FROM delegate"                                         \
    "  CROSS JOIN node ON delegate_id = delegate.id WHERE delegate.graph_id IS NULL"   \
    "   AND node.kind IN ('delegate_call', 'call_function') GROUP BY 1, 2, 3, 4),"     \
    " inside AS (SELECT graph_id, op, count(*) AS n FROM delegate_node"                \
    "  GROUP BY graph_id, op)"                                                         \
    " SELECT method_id, op.name AS op, count(*) FROM node JOIN graph"                    \
    "  ON graph.id = graph_id JOIN op ON op.id = op_id"                                \
    "  WHERE node.kind IN ('call_function', 'kernel_call')"                            \
    "  GROUP BY method_id, op.name"                                                    \
    " UNION ALL SELECT method_id, 'xnnpack::' || op, sum(calls.n * inside.n)"          \
    "  FROM calls JOIN inside ON graph_id = open WHERE kind = 'delegate_call'"         \
    "  GROUP BY method_id, op"                                                         \
    " UNION ALL SELECT method_id, 'delegate ' || coalesce(backend, 'without a name')," \
    "  sum(n) FROM calls WHERE open IS NULL GROUP BY method_id, backend ORDER BY op"

/* One row about method ?1: how many nodes there are, and how many can be run where. */
#define DG_SQL_RUNNABLE_SUMS                                                           \
    "sums AS (SELECT sum(n) AS nodes, sum(n * cpu) AS cpu, sum(n * cuda) AS cuda"      \
    " FROM temp.runnable WHERE method_id = ?1 HAVING count(*) > 0)"

#endif
