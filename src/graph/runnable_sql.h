/* SQL for which nodes of a method delegraph itself can run, operator by operator, where
 * table runnable is filled. */
#ifndef DG_GRAPH_RUNNABLE_SQL_H
#define DG_GRAPH_RUNNABLE_SQL_H

/* Of each operator in a store, and for each kind of node inside of delegates. `counted`:
 * 0 where it only says what runs next, or which of several results is meant. */
#define DG_SQL_RUNNABLE_TABLE                                                          \
    "CREATE TEMP TABLE runnable (op TEXT PRIMARY KEY, counted INTEGER, cpu INTEGER,"   \
    " cuda INTEGER) WITHOUT ROWID"

/* The names that the table has a row of. */
#define DG_SQL_RUNNABLE_OPS                                                            \
    "SELECT name FROM op UNION SELECT DISTINCT 'xnnpack::' || delegate_node.op"        \
    " FROM delegate_graph AS g JOIN delegate_node ON graph_id = g.id"                  \
    " WHERE format = 'xnnpack'"

/* Two tables about method ?1: `called`, of op and how many nodes call it, where a call
 * of a delegate that cannot be opened is one of "delegate <backend>"; and `sums`, one
 * row of how many nodes there are, and how many can be run where. */
#define DG_SQL_RUNNABLE                                                                \
    "WITH calls AS (SELECT op_id, count(*) AS n FROM node"                             \
    "  JOIN graph ON graph.id = graph_id WHERE method_id = ?1"                         \
    "  AND node.kind IN ('call_function', 'kernel_call') GROUP BY op_id),"             \
    " delegates AS (SELECT *, EXISTS (SELECT 1 FROM delegate_graph"                    \
    "   WHERE id = inside_id AND format = 'xnnpack') AS open FROM delegate"            \
    "  WHERE method_id = ?1 AND graph_id IS NULL),"                                    \
    " called AS MATERIALIZED (SELECT name AS op, n, counted, cpu, cuda FROM calls"     \
    "  JOIN op ON op.id = op_id JOIN runnable ON op = name WHERE counted"              \
    " UNION ALL SELECT 'xnnpack::' || i.op, count(*), 1, cpu, cuda FROM delegates"     \
    "  JOIN node ON node.delegate_id = delegates.id AND node.kind = 'delegate_call'"   \
    "  JOIN delegate_node AS i ON i.graph_id = inside_id"                              \
    "  JOIN runnable ON runnable.op = 'xnnpack::' || i.op WHERE open"                  \
    "  GROUP BY i.op"                                                                  \
    " UNION ALL SELECT 'delegate ' || coalesce(backend, 'without a name'), count(*),"  \
    "  1, 0, 0 FROM delegates JOIN node ON node.delegate_id = delegates.id"            \
    "   AND node.kind IN ('delegate_call', 'call_function')"                           \
    "  WHERE NOT open GROUP BY backend),"                                              \
    " sums AS (SELECT sum(n) AS nodes, sum(n * cpu) AS cpu, sum(n * cuda) AS cuda"     \
    "  FROM called HAVING count(*) > 0) "

#endif
