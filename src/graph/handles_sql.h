/* SQL about what ETRecords say: which nodes of an edge program instructions are. */
#ifndef DG_GRAPH_HANDLES_SQL_H
#define DG_GRAPH_HANDLES_SQL_H

/* "aten::add" of "aten::add_.out": what lowering keeps of an operator. */
#define DG_SQL_STEM(op)                                                                \
    "rtrim(substr(" op ", 1, instr(" op " || '.', '.') - 1), '_')"

/* Tables for WITH. told(method, record, record_method, instruction, node, kind, op,
 * other, other_op): a row for each node `other` of a record that an instruction of
 * `method` came from; node NULL: the method has no such instruction. Instructions of a
 * method have consecutive ids, and so is its graph read.
 * other_op(node): kernel calls of another operator than all nodes that they are said to
 * come from, though lowering would have kept those: they are of the core set, or the .pte
 * calls them elsewhere.
 * other_size(node), compared(n): the last instructions of what became of a node, and those
 * among them that give other numbers of bytes than it. Decomposing leaves the size of the
 * result as it was. Of a record of another build there are many.
 * other_build(record_method): what was recorded of another build, by any of these.
 * came(node, kind, other, debug_handle): what is believed of all that was told. */
#define DG_SQL_HANDLES                                                                 \
    "first AS MATERIALIZED (SELECT method.id AS method, method.artifact_id AS program," \
    "   method.name, min(node.id) AS id, count(*) AS n FROM method"                    \
    "   JOIN \"graph\" AS g ON g.method_id = method.id AND g.kind = 'method'"          \
    "   JOIN node ON node.graph_id = g.id WHERE method.ir = 'pte'"                     \
    "    AND EXISTS (SELECT 1 FROM instruction_handle) GROUP BY method.id),"           \
    "kept AS MATERIALIZED (SELECT DISTINCT h.method_id AS method, made.name,"          \
    "   a.companion_of AS program, instruction, debug_handle"                          \
    "  FROM instruction_handle AS h JOIN method AS made ON made.id = h.method_id"      \
    "  JOIN artifact AS a ON a.id = made.artifact_id AND a.role = 'program'"           \
    "  WHERE part IS NULL),"                                                           \
    "record AS MATERIALIZED (SELECT g.method_id AS method, node.debug_handle, node.id," \
    "   op.name AS op, op.flags & 1 AS core, iif(dynamism IS NULL AND instr(shape, '\"') = 0," \
    "   nbytes, NULL) AS nbytes FROM \"graph\" AS g JOIN node ON node.graph_id = g.id" \
    "   LEFT JOIN value ON value.id = value_id"                                        \
    "   LEFT JOIN op ON op.id = op_id WHERE node.debug_handle IS NOT NULL"             \
    "    AND g.method_id IN (SELECT method FROM kept)),"                               \
    "told AS MATERIALIZED (SELECT first.method, kept.method AS record_method,"         \
    "   kept.instruction, node.id AS node, node.kind, op.name AS op,"                  \
    "   record.id AS other, record.op AS other_op, core, kept.debug_handle,"           \
    "   record.nbytes"                                                                 \
    "  FROM kept JOIN first ON first.program = kept.program AND first.name = kept.name" \
    "  LEFT JOIN node ON node.id = first.id + kept.instruction"                        \
    "   AND kept.instruction < first.n LEFT JOIN op ON op.id = node.op_id"             \
    "  LEFT JOIN record ON record.method = kept.method"                                \
    "   AND record.debug_handle = kept.debug_handle),"                                 \
    "called AS MATERIALIZED (SELECT DISTINCT " DG_SQL_STEM("op") " AS stem FROM told"  \
    "  WHERE kind = 'kernel_call'),"                                                   \
    "other_op AS MATERIALIZED (SELECT node FROM told WHERE kind = 'kernel_call'"       \
    "   AND op NOT GLOB 'executorch_prim::*' AND other_op NOT GLOB '_operator*'"        \
    "  GROUP BY node HAVING max(" DG_SQL_STEM("op") " = " DG_SQL_STEM("other_op") ") = 0" \
    "   AND min(core OR " DG_SQL_STEM("other_op") " IN (SELECT stem FROM called)) = 1),"  \
    "last AS MATERIALIZED (SELECT record_method, debug_handle, max(node) AS node,"     \
    "   max(other) AS other FROM told WHERE other IS NOT NULL"                         \
    "  GROUP BY record_method, debug_handle),"                                         \
    "sized AS MATERIALIZED (SELECT told.node, told.nbytes, value.nbytes AS own FROM last" \
    "   JOIN told ON told.node = last.node AND told.other = last.other"                \
    "    AND told.kind = 'kernel_call' AND told.nbytes IS NOT NULL"                    \
    "    AND told.other_op NOT GLOB '_operator*'"                                      \
    "   JOIN operand ON operand.node_id = told.node AND access <> 'read'"              \
    "   JOIN value ON value.id = operand.value_id AND value.kind = 'tensor'"           \
    "    AND value.dynamism = 'static'"                                                \
    "  GROUP BY told.node HAVING count(DISTINCT operand.value_id) = 1),"               \
    "compared AS MATERIALIZED (SELECT count(*) AS n FROM sized),"                      \
    "other_size AS MATERIALIZED (SELECT node FROM sized WHERE nbytes <> own),"         \
    "other_build AS MATERIALIZED (SELECT DISTINCT record_method FROM told"             \
    "  WHERE node IS NULL OR kind NOT IN ('kernel_call', 'delegate_call')"             \
    "   OR node IN (SELECT node FROM other_op) OR (SELECT count(*) > 1"                \
    "    AND 2 * count(*) > (SELECT n FROM compared) FROM other_size)),"               \
    "came AS MATERIALIZED (SELECT node, kind, other, debug_handle FROM told"           \
    "  WHERE node IS NOT NULL AND other IS NOT NULL"                                   \
    "   AND node NOT IN (SELECT node FROM other_size)"                                 \
    "   AND record_method NOT IN (SELECT record_method FROM other_build))"

#endif
