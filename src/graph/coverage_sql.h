/* SQL for how much of a method delegates run, where table call_sum is filled. */
#ifndef DG_GRAPH_COVERAGE_SQL_H
#define DG_GRAPH_COVERAGE_SQL_H

#include "graph/pair_sql.h"

/* A table of the graphs of control flow whose operator is in `planned`, a table of
 * node_id. */
#define DG_PLANNED_BRANCHES                                                            \
    "planned_branches AS MATERIALIZED (SELECT inside.id AS graph_id, node_id FROM"     \
    "  planned CROSS JOIN edge ON dst = node_id"                                       \
    "  CROSS JOIN node ON node.id = src AND node.kind = 'get_attr'"                    \
    "  CROSS JOIN graph AS home ON home.id = node.graph_id AND home.path = ''"         \
    "  CROSS JOIN graph AS inside ON inside.kind = 'branch'"                           \
    "   AND inside.method_id = home.method_id AND node.target ="                       \
    "    substr(inside.path, 1, instr(inside.path || '.', '.') - 1)"                   \
    "  WHERE EXISTS (SELECT 1 FROM graph WHERE kind = 'branch')),"

/* A sum over rows of call_sum, as a whole number. */
#define DG_SQL_SUM(what) "CAST(total(" what ") AS INTEGER)"

/* One row of sums over the calls of the methods that `which` chooses, "= ?1" or "IN
 * (...)"; none where they have no costs. Where what a delegate of a .pte computes is not
 * known, FLOPs and bytes are NULL. It is materialized, or preparing it would put what a
 * column is in the place of each use. */
#define DG_COVERAGE_OF(which)                                                          \
    "WITH call AS (SELECT *, inside OR calls_delegate AS delegated FROM call_sum"      \
    "  WHERE costed AND method_id " which "),"                                         \
    " counted AS (SELECT " DG_SQL_SUM("ops") " AS ops, " DG_SQL_SUM(                   \
        "ops * delegated") " AS delegated_ops, " DG_SQL_SUM("flops") " AS all_flops, " \
    DG_SQL_SUM("flops * delegated") " AS those_flops, " DG_SQL_SUM("unknown_flops")    \
    " AS unknown_flops, " DG_SQL_SUM("bytes") " AS all_bytes, "                        \
    DG_SQL_SUM("bytes * delegated") " AS those_bytes,"                                 \
    "  max(kind = 'delegate_call' AND (unknown_flops > 0 OR bytes IS NULL)) AS opaque" \
    "  FROM call HAVING count(*) > 0),"                                                \
    " coverage AS MATERIALIZED (SELECT ops, delegated_ops, unknown_flops,"             \
    "  iif(opaque, NULL, all_flops) AS flops,"                                         \
    "  iif(opaque, NULL, those_flops) AS delegated_flops,"                             \
    "  iif(opaque, NULL, all_bytes) AS bytes,"                                         \
    "  iif(opaque, NULL, those_bytes) AS delegated_bytes FROM counted)"

/* Of method ?1. */
#define DG_COVERAGE_SQL DG_COVERAGE_OF("= ?1")

/* One row about the host's side of a .pte: instructions, those that only cast a scalar,
 * FLOPs, delegates, and the same in words. */
#define DG_HOST_OF(which)                                                              \
    " host_sums AS (SELECT " DG_SQL_SUM("calls") " AS calls, " DG_SQL_SUM(             \
        "calls * casts") " AS casts, " DG_SQL_SUM("flops") " AS host_flops,"           \
    "  (SELECT count(*) FROM delegate WHERE method_id " which ") AS delegates"         \
    " FROM call_sum WHERE kind = 'kernel_call' AND costed AND method_id " which "),"   \
    " host AS (SELECT *, printf('%lld delegate%s; %s host call%s%s', delegates,"       \
    "  iif(delegates = 1, '', 's'), iif(calls, calls, 'no'), iif(calls = 1, '', 's')," \
    "  CASE WHEN casts = 0 THEN '' WHEN casts < calls THEN printf("                    \
    "   ', %lld of them %s', casts, iif(casts = 1, 'a cast of a scalar',"              \
    "   'casts of scalars'))"                                                          \
    "   WHEN calls = 1 THEN ' is a cast of a scalar'"                                  \
    "   ELSE ' are casts of scalars' END) AS words"                                    \
    "  FROM host_sums)"

/* Whether the costs of method ?1 are known. */
#define DG_SQL_HAS_COSTS                                                               \
    "EXISTS (SELECT 1 FROM call_sum WHERE costed AND method_id = ?1)"

/* 1234567 is 1.2 M. */
#define DG_SQL_ROUNDED(n)                                                              \
    "CASE WHEN " n " < 1000 THEN " n " WHEN " n " < 1e6 THEN printf('%.1f k', " n      \
    " / 1e3) WHEN " n " < 1e9 THEN printf('%.1f M', " n " / 1e6) WHEN " n              \
    " < 1e12 THEN printf('%.1f G', " n " / 1e9) WHEN " n                               \
    " IS NOT NULL THEN printf('%.1f T', " n " / 1e12) END"

#define DG_SQL_PERCENT(what, hedge)                                                    \
    "printf('%s%.1f %%', iif(exact OR delegated_" what " = " what ", '', '" hedge      \
    "'),"                                                                              \
    " 100.0 * delegated_" what " / " what ")"

/* One row where the program that a .pte was made from is given, and has costs: who runs
 * its ops. One that is not lowered knows of no delegate (`exact` is 0): what the host
 * of the .pte does not run is theirs. Decomposing makes several calls of an op, so that
 * more ops may be delegated; to_edge adds the casts of scalars to an ATen program.
 * `shares` says it in words. */
/* clang-format off */
#define DG_PROGRAM_SHARE_OF(which)                                                     \
    DG_COVERAGE_OF("IN (SELECT method FROM (" DG_SQL_PAIRED ")"                        \
                   " WHERE pte_method " which ")") "," DG_HOST_OF(which) ","           \
    " program AS (SELECT path, max(ir = 'aten') AS aten, max(EXISTS (SELECT 1 FROM"    \
    "   delegate WHERE method_id = method.id)) AS exact FROM artifact JOIN method"     \
    "   ON artifact_id = artifact.id WHERE role = 'program' GROUP BY artifact.id"      \
    "   LIMIT 1),"                                                                     \
    " share AS (SELECT path, exact, ops, flops, iif(exact, delegated_ops,"             \
    "   max(0, ops - calls + iif(aten, casts, 0))) AS delegated_ops,"                  \
    "  iif(exact, delegated_flops, max(0, flops - host_flops)) AS delegated_flops"     \
    "  FROM coverage JOIN host JOIN program),"                                         \
    " shares(what, percent, whole, share) AS (SELECT 'Ops',"                           \
    "  " DG_SQL_PERCENT("ops", "at least ") ","                                        \
    "  printf('%lld ops of %s', ops, path), 1.0 * delegated_ops / ops FROM share"      \
    "  UNION ALL SELECT 'FLOPs', " DG_SQL_PERCENT("flops", "about ") ","               \
    "  " DG_SQL_ROUNDED("flops") " || ' FLOPs', 1.0 * delegated_flops / flops"         \
    "  FROM share WHERE flops > 0)"
/* clang-format on */

/* What rules say of the .pte of method ?1 and the program that was given with it. */
#define DG_PAIR_FINDINGS                                                               \
    "finding WHERE rule IN ('signature/user-io-stable',"                               \
    " 'signature/mutation-written-back', 'constant/program-data')"                     \
    " AND EXISTS (SELECT 1 FROM artifact WHERE role = 'program')"                      \
    " AND (artifact_id IS NULL OR artifact_id IN (SELECT a.id FROM artifact AS a"      \
    "  JOIN method AS m ON m.artifact_id IN (a.id, a.companion_of)"                    \
    "  WHERE m.id = ?1)) ORDER BY finding.id"

#endif
