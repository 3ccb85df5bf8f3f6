/* Which device a delegate asks for, as SQL. */
#ifndef DG_GRAPH_DEVICE_SQL_H
#define DG_GRAPH_DEVICE_SQL_H

/* clang-format off */

/* What Python's strip() takes away, as far as anybody writes it. */
#define DG_SQL_SPACE "char(9, 10, 11, 12, 13, 28, 29, 30, 31, 32)"

/* Rows of a table of compile specs that count: the first target_device of each owner. */
#define DG_SQL_IS_TARGET(spec, table, owner)                                           \
    spec ".key = 'target_device' AND " spec ".value IS NOT NULL AND NOT EXISTS"        \
    " (SELECT 1 FROM " table " AS earlier WHERE earlier." owner " = " spec "." owner   \
    "   AND earlier.pos < " spec ".pos AND earlier.key = 'target_device'"              \
    "   AND earlier.value IS NOT NULL)"

/* asked: what specs say, each text once; those rows where `which` holds. raw is the
 * value as stored, text as ExecuTorch's pass compares it, type what stands before the
 * first colon, number what int() takes behind it, device cpu, cuda:1 or, where it is
 * none, NULL. */
#define DG_SQL_ASKED(specs, which)                                                     \
    "texts AS (SELECT value AS raw,"                                                   \
    "   lower(trim(CAST(value AS TEXT), " DG_SQL_SPACE ")) AS text FROM (" specs ")),"  \
    "parts AS (SELECT raw, text, iif(instr(text, ':'),"                                \
    "   substr(text, 1, instr(text, ':') - 1), text) AS type, iif(instr(text, ':'),"   \
    "   replace(trim(substr(text, instr(text, ':') + 1), " DG_SQL_SPACE "), '_', ''),"  \
    "   '0') AS number FROM texts),"                                                   \
    "asked AS MATERIALIZED (SELECT * FROM (SELECT *, CASE"                              \
    "  WHEN type NOT IN ('cpu', 'cuda') OR NOT (number GLOB '[0-9]*'"                  \
    "   OR number GLOB '[-+][0-9]*') OR substr(number, 2) GLOB '*[^0-9]*' THEN NULL"   \
    "  WHEN type = 'cpu' THEN 'cpu'"                                                   \
    "  ELSE printf('%s:%lld', type, CAST(number AS INTEGER)) END AS device FROM parts)" \
    "  WHERE " which ")"

#define DG_SQL_SPECS(table)                                                            \
    "SELECT DISTINCT value FROM " table " WHERE key = 'target_device'"                 \
    "   AND value IS NOT NULL"

/* wanted: delegates that ask for something. id, backend, device. */
#define DG_SQL_WANTED                                                                  \
    DG_SQL_ASKED(DG_SQL_SPECS("compile_spec"), "1") ","                                \
    "wanted AS MATERIALIZED (SELECT delegate.id, delegate.method_id, delegate.backend," \
    "   asked.device FROM asked CROSS JOIN compile_spec AS spec"                       \
    "  ON spec.value = asked.raw AND "                                                 \
    DG_SQL_IS_TARGET("spec", "compile_spec", "delegate_id")                            \
    "  JOIN delegate ON delegate.id = spec.delegate_id)"

/* crossings: of a .pte what its copies do; of a lowered program what the device pass
 * will insert when no copy is skipped. method_id, node_id, value_id, to_device, device,
 * nbytes. Of the method with id ?1. */
#define DG_SQL_CROSSINGS                                                               \
    DG_SQL_WANTED ","                                                                  \
    "own AS (SELECT id FROM \"graph\" WHERE method_id = ?1 AND path = ''),"            \
    "calls AS MATERIALIZED (SELECT node.id, wanted.device"                             \
    "  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM wanted WHERE method_id = ?1))"       \
    "  CROSS JOIN node CROSS JOIN wanted ON wanted.id = node.delegate_id"              \
    " WHERE node.graph_id IN own AND node.kind = 'call_function'),"                    \
    "items AS MATERIALIZED (SELECT node.id, node.value_id, calls.device FROM calls"    \
    "  CROSS JOIN edge ON edge.src = calls.id JOIN node ON node.id = edge.dst"         \
    "  JOIN op ON op.id = node.op_id AND op.name = '_operator.getitem'),"              \
    "crossings AS (SELECT op.name LIKE '%_h2d_copy.out' AS to_device,"                 \
    "   iif(op.name LIKE '%_h2d_copy.out', out.device, src.device) AS device,"         \
    "   src.nbytes, node.id AS node_id, src.id AS value_id"                            \
    "  FROM op CROSS JOIN node ON node.op_id = op.id AND node.kind = 'kernel_call'"    \
    "   AND node.graph_id IN own"                                                      \
    "  JOIN operand AS reads ON reads.node_id = node.id AND reads.pos = 0"             \
    "  JOIN operand AS writes ON writes.node_id = node.id AND writes.pos = 1"          \
    "  JOIN value AS src ON src.id = reads.value_id"                                   \
    "  JOIN value AS out ON out.id = writes.value_id"                                  \
    " WHERE op.name IN ('et_copy::_h2d_copy.out', 'et_copy::_d2h_copy.out')"           \
    " UNION ALL"                                                                       \
    " SELECT 1, calls.device, value.nbytes, calls.id, value.id FROM calls"             \
    "  CROSS JOIN edge ON edge.dst = calls.id"                                         \
    "  JOIN value ON value.id = edge.value_id AND value.kind = 'tensor'"               \
    "  LEFT JOIN items ON items.id = edge.src WHERE items.device IS NOT calls.device"  \
    " UNION ALL"                                                                       \
    " SELECT 0, items.device, value.nbytes, items.id, value.id FROM items"             \
    "  JOIN value ON value.id = items.value_id AND value.kind = 'tensor'"              \
    " WHERE EXISTS (SELECT 1 FROM edge LEFT JOIN calls ON calls.id = edge.dst"         \
    "  WHERE edge.src = items.id AND calls.device IS NOT items.device))"

/* clang-format on */

#endif
