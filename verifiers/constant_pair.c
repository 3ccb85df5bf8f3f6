/* Constants of a .pte against those of the program that it was made from. */
#include "verifiers/pair.h"

/* clang-format off */

#define FILES                                                                          \
    "pair AS (SELECT id AS program, companion_of AS pte FROM artifact"                 \
    "   WHERE role = 'program'),"                                                      \
    "file AS (SELECT pair.program, a.id AS artifact, a.role FROM pair"                 \
    "  JOIN artifact AS a ON a.id = pair.pte OR (a.companion_of = pair.pte"            \
    "   AND a.role = 'data')),"

/* What can be looked for: neither short nor of equal elements. Tied weights are one. */
#define WEIGHTS                                                                        \
    "weight AS MATERIALIZED (SELECT pair.program, pair.pte, min(c.id) AS id,"          \
    "   min(c.fqn) AS fqn, c.dtype, json_array_length(c.shape) > 1 AS matrix,"         \
    "   c.nbytes, c.xxh3, c.found, c.found IN ('no', 'other', 'uniform') AS lost"      \
    "  FROM pair JOIN constant AS c ON c.artifact_id = pair.program"                   \
    " WHERE c.found <> 'trivial' AND c.xxh3 IS NOT NULL"                               \
    " GROUP BY pair.program, c.xxh3, c.nbytes, c.dtype),"                              \
    "origin AS MATERIALIZED (SELECT c.id, c.fqn, c.xxh3, c.method_id, c.artifact_id"   \
    "  FROM constant AS c JOIN pair ON pair.program = c.artifact_id"                   \
    " WHERE c.found <> 'trivial'),"

/* Nodes that depend on what the user gives: no pass computes them ahead. And those that
 * an output depends on: others go, and their weights with them. */
#define MOVING                                                                         \
    "top AS (SELECT g.id, g.method_id, m.artifact_id FROM pair JOIN method AS m"       \
    "   ON m.artifact_id = pair.program JOIN \"graph\" AS g ON g.method_id = m.id"     \
    "  AND g.kind IN ('method', 'lowered')),"                                          \
    "entry AS MATERIALIZED (SELECT top.artifact_id, top.method_id, n.id AS node,"      \
    "   s.spec, s.target FROM top JOIN signature AS s ON s.graph_id = top.id"          \
    "   AND s.direction = 'input' JOIN node AS n ON n.graph_id = top.id"               \
    "   AND n.kind = 'placeholder' AND n.value_id = s.value_id),"                      \
    "moving (node) AS (SELECT node FROM entry WHERE spec = 'user_input'"               \
    "  UNION SELECT edge.dst FROM moving JOIN edge ON edge.src = moving.node),"        \
    "live (node) AS (SELECT n.id FROM top JOIN node AS n ON n.graph_id = top.id"       \
    "   AND n.kind = 'output'"                                                         \
    "  UNION SELECT edge.src FROM live JOIN edge ON edge.dst = live.node),"

/* Batch norms and the two nodes ahead of one: their weights are folded into others,
 * unless the .pte still has all batch norms. */
#define FOLDED                                                                         \
    "norm AS MATERIALIZED (SELECT n.id FROM op CROSS JOIN node AS n ON n.op_id = op.id"      \
    "   AND op.name LIKE '%batch_norm%' JOIN \"graph\" AS g ON g.id = n.graph_id"      \
    "  JOIN method AS m ON m.id = g.method_id JOIN pair ON pair.program ="             \
    "   m.artifact_id),"                                                               \
    "kept AS (SELECT count(*) AS n FROM op CROSS JOIN node AS n ON n.op_id = op.id"          \
    "   AND n.kind = 'kernel_call' AND op.name LIKE '%batch_norm%'),"                  \
    "folded (node, hops) AS (SELECT id, 0 FROM norm"                                   \
    "   WHERE (SELECT count(*) FROM norm) > (SELECT n FROM kept)"                      \
    "  UNION SELECT edge.src, hops + 1 FROM folded JOIN edge ON edge.dst = node"       \
    "  WHERE hops < 2),"

/* Who reads a weight; what only turns it over is seen through. A bias beside quantized
 * operands is quantized, too, into as many bytes. */
#define USES                                                                           \
    "turn AS (SELECT id FROM op WHERE name GLOB '*::permute*' OR name GLOB '*::t.*'"   \
    "   OR name GLOB '*::t_copy.*' OR name GLOB '*::transpose*' OR name GLOB '*::view*'" \
    "   OR name GLOB '*::unsqueeze*' OR name GLOB '*::squeeze*'"                        \
    "   OR name GLOB '*::reshape*' OR name GLOB '*::clone*'),"                         \
    "reader (weight, node) AS (SELECT origin.id, entry.node FROM origin JOIN entry"    \
    "   ON entry.target = origin.fqn AND entry.artifact_id = origin.artifact_id"      \
    "   AND (entry.method_id = origin.method_id OR origin.method_id IS NULL)"          \
    "  UNION SELECT reader.weight, edge.dst FROM reader JOIN node AS n"                \
    "    ON n.id = reader.node JOIN edge ON edge.src = n.id"                           \
    "   WHERE n.kind = 'placeholder' OR n.op_id IN (SELECT id FROM turn)),"            \
    "quantized (node) AS (SELECT n.id FROM op CROSS JOIN node AS n ON n.op_id = op.id" \
    "   WHERE op.name GLOB '*::dequantize*' UNION SELECT edge.dst FROM quantized"      \
    "   JOIN node AS n ON n.id = quantized.node JOIN op ON op.id = n.op_id"            \
    "   JOIN edge ON edge.src = n.id WHERE op.name GLOB '*::dequantize*'"              \
    "    OR op.id IN (SELECT id FROM turn)),"                                          \
    "used AS (SELECT origin.xxh3, origin.artifact_id,"                                 \
    "   max(n.id IN (SELECT node FROM folded)) AS folded,"                             \
    "   min(n.kind = 'call_function' AND n.op_id IS NOT NULL"                          \
    "    AND n.id IN (SELECT node FROM moving)"                                        \
    "    AND n.id NOT IN (SELECT node FROM folded UNION ALL SELECT node FROM quantized))" \
    "   AS firm"                           \
    "  FROM reader JOIN origin ON origin.id = reader.weight JOIN node AS n"            \
    "    ON n.id = reader.node WHERE n.kind <> 'placeholder'"                          \
    "   AND n.id IN (SELECT node FROM live)"                                           \
    "   AND coalesce(n.op_id, 0) NOT IN (SELECT id FROM turn)"                         \
    " GROUP BY origin.xxh3, origin.artifact_id),"

/* Buffers that are written, at once or through a view: no .pte keeps what they begin
 * with, unless a pass is asked to. */
#define WRITTEN                                                                        \
    "view AS (SELECT id FROM turn UNION ALL SELECT id FROM op WHERE name GLOB"         \
    "   '*::slice*' OR name GLOB '*::select*' OR name GLOB '*::narrow*'),"             \
    "base (weight, node) AS (SELECT origin.id, entry.node FROM origin JOIN entry"      \
    "   ON entry.target = origin.fqn AND entry.artifact_id = origin.artifact_id"       \
    "  UNION SELECT base.weight, edge.dst FROM base JOIN node AS n ON n.id = base.node" \
    "   JOIN edge ON edge.src = n.id AND edge.pos = 0"                                 \
    "   WHERE n.kind = 'placeholder' OR n.op_id IN (SELECT id FROM view)),"            \
    "written AS MATERIALIZED (SELECT origin.xxh3 FROM origin JOIN signature AS s"      \
    "   ON s.target = origin.fqn AND s.spec LIKE '%_mutation' UNION"                   \
    "  SELECT origin.xxh3 FROM base JOIN node AS n ON n.id = base.node JOIN op"        \
    "   ON op.id = n.op_id JOIN origin ON origin.id = base.weight"                     \
    "   WHERE op.flags & 96 = 32),"

/* XNNPACK stores f16 weights as f32, which have the size of others.
 * Quantization shrinks matrices, and leaves vectors of the size of others: where each
 * type and size that lost one has a tensor that is no weight of the program, nothing
 * shrank, for the largest would have none. Then what lowering must keep, and is lost, was
 * replaced; matrices that it need not keep have theirs first. */
#define CLASSES                                                                        \
    "widening AS (SELECT artifact_id FROM delegate JOIN method"                        \
    "   ON method.id = method_id WHERE backend = 'XnnpackBackend'),"                   \
    "judged AS MATERIALIZED (SELECT weight.*, lost AND NOT written"                    \
    "    AND coalesce(firm, 0) AND NOT (dtype = 'f16' AND pte IN (SELECT * FROM widening))" \
    "    AS due, lost AND NOT written AND firm IS NOT NULL"                            \
    "    AND (matrix OR firm) AS open FROM (SELECT *, xxh3 IN (SELECT xxh3"            \
    "     FROM written) AS written FROM weight) AS weight"                             \
    "   LEFT JOIN used ON used.xxh3 = weight.xxh3"                          \
    "   AND used.artifact_id = weight.program),"                                       \
    "class AS (SELECT program, sum(open) AS open, sum(due) AS due,"                    \
    "   sum(found = 'other') > iif(sum(due) > 0, sum(lost AND NOT due AND matrix), 0)" \
    "    AS stands, max(found = 'uniform') AND NOT max(open AND matrix) AS uniform"    \
    "  FROM judged GROUP BY program, dtype, nbytes),"                                  \
    "proof AS MATERIALIZED (SELECT program, max(due AND stands) AND NOT"               \
    "   max(open AND NOT stands AND NOT uniform) AS other FROM class GROUP BY program),"\
    "total AS (SELECT program, pte, count(*) AS n, sum(lost) AS lost, sum(due) AS due,"\
    "   min(iif(due, fqn, NULL)) AS fqn, proof.other,"                                 \
    "   json_group_array(fqn) FILTER (WHERE due) AS names"                             \
    "  FROM (SELECT * FROM judged ORDER BY id) JOIN proof USING (program)"             \
    " WHERE EXISTS (SELECT 1 FROM file WHERE role = 'data')"                           \
    "   OR NOT EXISTS (SELECT 1 FROM value WHERE storage = 'external')"                \
    " GROUP BY program)"

/* Named data with the name, type and size of a weight, but neither its bytes nor its
 * elements in another order. */
const char dg_query_program_data[] =
    "WITH RECURSIVE " FILES WEIGHTS MOVING FOLDED USES WRITTEN CLASSES
    ", named AS (SELECT d.artifact_id, d.key, s.xxh3 <> c.xxh3"
    "    AND (coalesce(c.found, 'no') NOT IN ('whole', 'inside') OR s.xxh3 IN (SELECT o.xxh3"
    "     FROM constant AS o WHERE o.artifact_id = file.program))"
    "    AND c.xxh3 NOT IN (SELECT xxh3 FROM used WHERE folded UNION ALL SELECT xxh3"
    "     FROM written) AS other"
    "  FROM file JOIN named_data AS d ON d.artifact_id = file.artifact"
    "  JOIN segment AS s ON s.artifact_id = d.artifact_id AND s.idx = d.segment_idx"
    "  JOIN constant AS c ON c.artifact_id = file.program AND c.fqn = d.key"
    "   AND c.nbytes = s.size_bytes AND c.dtype = d.dtype)"
    "SELECT artifact_id AS artifact, printf('%lld of the %lld weights that have a name,"
    " type and size of the program have other bytes: %s%s', sum(other), count(*),"
    "   min(iif(other, key, NULL)), iif(sum(other) > 1, ', ...', '')) AS message,"
    "   NULL AS severity, json_group_array(key) FILTER (WHERE other) AS witness"
    "  FROM named GROUP BY artifact_id HAVING sum(other) > 0"
    " UNION ALL SELECT pte, printf('found %lld of %lld weights of the program; %lld that"
    " lowering keeps have other bytes of their type and size in their place: %s%s',"
    "   n - lost, n, due, fqn, iif(due > 1, ', ...', ''))"
    "   || iif(lost > due, printf('; %lld not judged', lost - due), ''), NULL, names"
    "  FROM total WHERE other"
    "   AND NOT EXISTS (SELECT 1 FROM named WHERE other)"
    " UNION ALL SELECT pte, printf('found %lld of %lld weights of the program; %lld not"
    " judged: quantized, folded, or of another checkpoint', n - lost, n, lost), 'note',"
    "   names FROM total WHERE (due > 0 OR lost = n) AND NOT other"
    "   AND NOT EXISTS (SELECT 1 FROM named WHERE other OR lost = n)"
    "   AND EXISTS (SELECT 1 FROM constant JOIN file ON artifact = artifact_id UNION ALL"
    "    SELECT 1 FROM named_data JOIN file ON artifact = artifact_id)";

/* clang-format on */
