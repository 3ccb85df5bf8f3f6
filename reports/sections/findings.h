/* SQL for findings, the most severe first. */
#ifndef DG_REPORTS_SECTIONS_FINDINGS_H
#define DG_REPORTS_SECTIONS_FINDINGS_H

#include "reports/sections/section.h"

/* Findings of artifact ?1 with the rows that they name. */
#define DG_FINDINGS                                                                    \
    " FROM finding LEFT JOIN method ON method.id = finding.method_id"                  \
    " LEFT JOIN graph ON graph.id = finding.graph_id"                                  \
    " LEFT JOIN node ON node.id = finding.node_id"                                     \
    " LEFT JOIN value ON value.id = finding.value_id WHERE " DG_OWN_FINDINGS

/* Without the last word: what decides between findings that are as severe. */
#define DG_WORST_FIRST                                                                 \
    " ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, "

/* "forward/true_graph_0", "forward, value 12"; NULL: the file as a whole. */
#define DG_FINDING_WHERE                                                               \
    "method.name || coalesce('/' || nullif(graph.path, ''), '')"                       \
    " || iif(node.id IS NULL, coalesce(', value ' || CASE method.ir WHEN 'pte'"        \
    " THEN value.idx ELSE coalesce(value.name, value.idx) END, ''), '')"

#define DG_IS_NOTE "severity = 'note'"
#define DG_IS_NO_NOTE "severity <> 'note'"

/* Rules that are broken by findings of which `which` holds, the most severe first: a
 * rule that a whole program breaks is one row, and its columns are those of its first
 * finding. */
#define DG_BROKEN_RULES(which)                                                         \
    "SELECT min(finding.id) AS \"First:finding\", severity AS \"Severity:severity\","  \
    " rule AS \"Rule:code\", count(*) AS \"Findings:count\", " DG_FINDING_WHERE        \
    " AS \"Where:code\", node.name AS \"Node:node\","                                  \
    " message AS \"What is wrong:text\"" DG_FINDINGS " AND " which                     \
    " GROUP BY rule, severity" DG_WORST_FIRST "1"

#endif
