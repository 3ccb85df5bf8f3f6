/* Graph breaks as SQL: what the host runs between two calls of delegates. */
#ifndef DG_REPORTS_BREAKS_SQL_H
#define DG_REPORTS_BREAKS_SQL_H

/* clang-format off */

/* stretch: for each call of a delegate that another follows in its graph, with host
 * calls between them: method, after, before and first (nodes), ops (the first four
 * operators), calls, flops. Of program ?1. */
#define DG_SQL_STRETCHES                                                               \
    "delegated AS MATERIALIZED (SELECT node.id, method.name AS method,"                \
    "   lead(node.id) OVER (PARTITION BY graph_id ORDER BY node.id) AS next"           \
    "  FROM method JOIN graph ON method_id = method.id AND path = ''"                  \
    "  JOIN node ON graph_id = graph.id LEFT JOIN op ON op.id = op_id"                 \
    "  WHERE artifact_id = ?1 AND (node.kind = 'delegate_call'"                        \
    "   OR (op.name = 'higher_order::executorch_call_delegate'"                        \
    "    AND node.kind IN ('call_function', 'kernel_call')))),"                        \
    "op_between AS (SELECT delegated.id AS after, next, method, coalesce(op.name, '')" \
    "   AS op, min(node.id) AS first, count(*) AS calls, total(flops) AS flops"        \
    "  FROM delegated CROSS JOIN node ON node.id > delegated.id AND node.id < next"    \
    "  LEFT JOIN op ON op.id = op_id LEFT JOIN cost ON node_id = node.id"              \
    "  WHERE node.kind IN ('call_function', 'kernel_call')"                            \
    "   AND op.name IS NOT '_operator.getitem' GROUP BY after, op),"                   \
    "stretch AS (SELECT method, after, next AS before, min(first) AS first,"           \
    "   group_concat(op, ', ') FILTER (WHERE nth <= 4)"                                \
    "   || iif(count(*) > 4, ', ...', '') AS ops, sum(calls) AS calls,"                \
    "   total(flops) AS flops FROM (SELECT *, row_number() OVER (PARTITION BY after"   \
    "    ORDER BY first) AS nth FROM op_between ORDER BY after, first)"                \
    "  GROUP BY after)"

/* A fact: how many there are. */
#define DG_SQL_BREAKS_IN_ALL                                                           \
    "WITH " DG_SQL_STRETCHES " SELECT 'Graph breaks', printf('%d stretch%s between"    \
    " delegates, %d call%s on the host', count(*), iif(count(*) = 1, '', 'es'),"       \
    " sum(calls), iif(sum(calls) = 1, '', 's')), NULL FROM stretch HAVING count(*) > 0"

/* A table: stretches with the same operators are one row. */
#define DG_SQL_BREAKS                                                                  \
    "WITH " DG_SQL_STRETCHES ", merged AS (SELECT ops, method, count(*) AS places,"    \
    "   sum(calls) AS calls, CAST(total(flops) AS INTEGER) AS flops,"                  \
    "   min(first) AS first,"                                                          \
    "   after, before FROM stretch GROUP BY method, ops)"                              \
    " SELECT ops AS \"Operators:code\", method AS \"Method:code\","                    \
    " places AS \"Places:count\", calls AS \"Calls:count\","                           \
    " flops AS \"FLOPs:count\", a.name AS \"First:node\", b.name AS \"After:node\","   \
    " c.name AS \"Before:node\" FROM merged JOIN node AS a ON a.id = first"            \
    " JOIN node AS b ON b.id = after JOIN node AS c ON c.id = before"                  \
    " ORDER BY flops DESC, calls DESC, first"

#endif
