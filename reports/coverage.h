/* SQL for how much of a method delegates run, where table cost is filled. */
#ifndef DG_REPORTS_COVERAGE_H
#define DG_REPORTS_COVERAGE_H

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

/* One row of sums over the calls of the methods that `which` chooses, "= ?1" or "IN
 * (...)"; none where they have no costs. What the delegates of a .pte compute is not
 * stored: there FLOPs and bytes are NULL. */
#define DG_COVERAGE_OF(which)                                                          \
    "WITH planned AS MATERIALIZED ("                                                   \
    " SELECT node_id FROM partition_node JOIN partition ON partition.id = "            \
    "partition_id"                                                                     \
    " WHERE part_run_id IN (SELECT max(id) FROM part_run GROUP BY "                    \
    "artifact_id))," DG_PLANNED_BRANCHES                                               \
    " call AS (SELECT flops, bytes, kind = 'delegate_call' AS opaque,"                 \
    "  delegate_id IS NOT NULL OR node_id IN planned OR graph_id IN"                   \
    "   (SELECT graph_id FROM delegate WHERE graph_id IS NOT NULL)"                    \
    "  OR graph_id IN (SELECT graph_id FROM planned_branches) AS delegated"            \
    "  FROM cost JOIN node ON node.id = node_id WHERE graph_id IN"                     \
    "   (SELECT id FROM graph WHERE method_id " which ")),"                            \
    " counted AS (SELECT count(*) AS ops, coalesce(sum(delegated), 0) AS "             \
    "delegated_ops,"                                                                   \
    "  CAST(total(flops) AS INTEGER) AS all_flops,"                                    \
    "  CAST(total(flops * delegated) AS INTEGER) AS those_flops,"                      \
    "  count(*) - count(flops) AS unknown_flops,"                                      \
    "  CAST(total(bytes) AS INTEGER) AS all_bytes,"                                    \
    "  CAST(total(bytes * delegated) AS INTEGER) AS those_bytes,"                      \
    "  coalesce(max(opaque), 0) AS opaque FROM call HAVING count(*) > 0),"             \
    " coverage AS (SELECT ops, delegated_ops, unknown_flops,"                          \
    "  iif(opaque, NULL, all_flops) AS flops,"                                         \
    "  iif(opaque, NULL, those_flops) AS delegated_flops,"                             \
    "  iif(opaque, NULL, all_bytes) AS bytes,"                                         \
    "  iif(opaque, NULL, those_bytes) AS delegated_bytes FROM counted)"

/* Of method ?1. */
#define DG_COVERAGE_SQL DG_COVERAGE_OF("= ?1")

#endif
