/* SQL that rules of several families share. */
#ifndef DG_VERIFIERS_SQL_H
#define DG_VERIFIERS_SQL_H

/* clang-format off */

/* The first few of a group, by their `number` in it, and how many more there are. */
#define DG_FIRST(what)                                                                 \
    "group_concat(" what ", ', ') FILTER (WHERE number <= 5)"                          \
    " || iif(count(*) > 5, printf(' and %lld more', count(*) - 5), '')"

/* The rows of part_run that rules are about. */
#define DG_NEWEST_PLANS "(SELECT max(id) FROM part_run GROUP BY artifact_id)"

/* Whether the command line says that ATen programs will be lowered (--for). */
#define DG_TO_BE_LOWERED "EXISTS (SELECT 1 FROM setting WHERE name = 'for')"

/* Whether `g` is the graph that a delegate was made from, graph `l`, or one in it. */
#define DG_IS_IN_LOWERED                                                               \
    "(l.kind = 'lowered' AND l.method_id = g.method_id AND (l.id = g.id"               \
    " OR substr(g.path, 1, length(l.path) + 1) = l.path || '.'))"

/* The default overload may be named or not. */
#define DG_PLAIN_OP(name)                                                              \
    "iif(" name " GLOB '*.default', substr(" name ", 1, length(" name ") - 8), " name ")"

/* Calls of the operators that `bad` (method_id, idx) lists; scans nothing for none. */
#define DG_CALLS_OF_BAD                                                                \
    " FROM (SELECT 1 FROM bad LIMIT 1) CROSS JOIN node"                                \
    "  CROSS JOIN \"graph\" AS g ON g.id = node.graph_id"                              \
    "  CROSS JOIN bad ON bad.method_id = g.method_id AND bad.idx = node.op_index"      \
    " WHERE node.kind = 'kernel_call' GROUP BY bad.method_id, bad.idx ORDER BY 1"

/* clang-format on */

#endif
