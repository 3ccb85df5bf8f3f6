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
    "   min(c.fqn) AS fqn, c.dtype, c.shape, c.nbytes, c.xxh3, c.found = 'no' AS lost" \
    "  FROM pair JOIN constant AS c ON c.artifact_id = pair.program"                   \
    " WHERE c.found <> 'trivial' AND c.xxh3 IS NOT NULL"                               \
    " GROUP BY pair.program, c.xxh3, c.nbytes),"                                       \
    "origin AS MATERIALIZED (SELECT c.id, c.fqn, c.xxh3, c.method_id, c.artifact_id"   \
    "  FROM constant AS c JOIN pair ON pair.program = c.artifact_id"                   \
    " WHERE c.found <> 'trivial'),"

/* Nodes that depend on what the user gives: no pass computes them ahead. */
#define MOVING                                                                         \
    "top AS (SELECT g.id, g.method_id, m.artifact_id FROM pair JOIN method AS m"       \
    "   ON m.artifact_id = pair.program JOIN \"graph\" AS g ON g.method_id = m.id"     \
    "  AND g.kind = 'method'),"                                                        \
    "entry AS MATERIALIZED (SELECT top.artifact_id, top.method_id, n.id AS node,"      \
    "   s.spec, s.target FROM top JOIN signature AS s ON s.graph_id = top.id"          \
    "   AND s.direction = 'input' JOIN node AS n ON n.graph_id = top.id"               \
    "   AND n.kind = 'placeholder' AND n.value_id = s.value_id),"                      \
    "moving (node) AS (SELECT node FROM entry WHERE spec = 'user_input'"               \
    "  UNION SELECT edge.dst FROM moving JOIN edge ON edge.src = moving.node),"

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

/* Who reads a weight; what only turns it over is seen through. */
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
    "used AS (SELECT origin.xxh3, origin.artifact_id,"                                 \
    "   min(n.kind = 'call_function' AND n.op_id IS NOT NULL"                          \
    "    AND n.id IN (SELECT node FROM moving)"                                        \
    "    AND n.id NOT IN (SELECT node FROM folded)) AS firm"                           \
    "  FROM reader JOIN origin ON origin.id = reader.weight JOIN node AS n"           \
    "    ON n.id = reader.node WHERE n.kind <> 'placeholder'"                          \
    "   AND coalesce(n.op_id, 0) NOT IN (SELECT id FROM turn)"                         \
    " GROUP BY origin.xxh3, origin.artifact_id),"

/* Weights that are lost, and what the files have of their size that is no weight of the
 * program. Lowering quantizes and folds vectors, and shrinks what it quantizes: only
 * where each lost matrix that it must keep has a tensor of its type and size in its
 * place are they of another checkpoint. */
#define PLACES                                                                         \
    "judged AS MATERIALIZED (SELECT weight.*, lost AND coalesce(firm, 0)"              \
    "    AND json_array_length(shape) > 1 AND fqn NOT IN (SELECT s.target"             \
    "     FROM signature AS s WHERE s.spec LIKE '%_mutation'"                          \
    "     AND s.target IS NOT NULL) AS due"                                            \
    "  FROM weight LEFT JOIN used ON used.xxh3 = weight.xxh3"                          \
    "   AND used.artifact_id = weight.program),"                                       \
    "tensor AS MATERIALIZED (SELECT file.program, c.dtype, c.nbytes, c.xxh3 FROM file" \
    "   JOIN constant AS c ON c.artifact_id = file.artifact"                           \
    "    AND c.kind IN ('constant', 'mutable')"                                        \
    "  UNION SELECT file.program, d.dtype, s.size_bytes, s.xxh3 FROM file"             \
    "   JOIN named_data AS d ON d.artifact_id = file.artifact JOIN segment AS s"       \
    "    ON s.artifact_id = d.artifact_id AND s.idx = d.segment_idx),"                 \
    "size AS (SELECT program, nbytes, sum(due) AS due, sum(NOT lost) AS there,"        \
    "   sum(lost AND NOT due AND json_array_length(shape) > 1)"                        \
    "    + (sum(lost AND json_array_length(shape) < 2) + 1) / 2 AS folded"             \
    "  FROM judged GROUP BY program, nbytes),"                                         \
    "place AS (SELECT size.*, (SELECT count(*) FROM tensor WHERE tensor.program ="     \
    "    size.program AND tensor.nbytes = size.nbytes AND (tensor.dtype IS NULL"       \
    "     OR tensor.dtype IN (SELECT dtype FROM judged WHERE due AND judged.nbytes ="  \
    "      size.nbytes))) >= due + there + folded AS taken FROM size WHERE due > 0),"  \
    "total AS (SELECT program, pte, count(*) AS n, sum(lost) AS lost, sum(due) AS due,"\
    "   min(iif(due, fqn, NULL)) AS fqn FROM judged GROUP BY program)"

/* Named data with the name, type and size of a weight, but neither its bytes nor its
 * elements in another order. */
const char dg_query_program_data[] =
    "WITH RECURSIVE " FILES WEIGHTS MOVING FOLDED USES PLACES
    ", named AS (SELECT d.artifact_id, d.key, s.xxh3 <> c.xxh3"
    "    AND (coalesce(c.found, 'no') = 'no' OR s.xxh3 IN (SELECT o.xxh3"
    "     FROM constant AS o WHERE o.artifact_id = file.program)) AS other"
    "  FROM file JOIN named_data AS d ON d.artifact_id = file.artifact"
    "  JOIN segment AS s ON s.artifact_id = d.artifact_id AND s.idx = d.segment_idx"
    "  JOIN constant AS c ON c.artifact_id = file.program AND c.fqn = d.key"
    "   AND c.nbytes = s.size_bytes AND c.dtype = d.dtype)"
    "SELECT artifact_id AS artifact, printf('%lld of the %lld weights that have a name,"
    " type and size of the program have other bytes: %s%s', sum(other), count(*),"
    "   min(iif(other, key, NULL)), iif(sum(other) > 1, ', ...', '')) AS message,"
    "   NULL AS severity FROM named GROUP BY artifact_id HAVING sum(other) > 0"
    " UNION ALL SELECT pte, printf('%lld of the %lld weights of the program are found;"
    " %lld that lowering keeps have other bytes of their type and size in their place:"
    " %s%s', n - lost, n, due, fqn, iif(due > 1, ', ...', '')), NULL FROM total"
    " WHERE due > 0 AND NOT EXISTS (SELECT 1 FROM place WHERE place.program ="
    "    total.program AND NOT taken) AND NOT EXISTS (SELECT 1 FROM named WHERE other)"
    " UNION ALL SELECT pte, iif(lost = n, printf('none of the %lld weights of the program"
    " is found: quantized, folded, or of another checkpoint', n),"
    " printf('%lld of the %lld weights of the program are found; %lld that lowering"
    " keeps are not: quantized, folded, or of another checkpoint: %s%s', n - lost, n,"
    " due, fqn, iif(due > 1, ', ...', ''))), 'note' FROM total"
    " WHERE (lost = n OR (due > 0 AND 2 * lost > n)) AND (due = 0 OR EXISTS (SELECT 1 FROM place WHERE"
    " place.program = total.program AND NOT taken)) AND NOT EXISTS (SELECT 1 FROM named"
    " WHERE other OR lost = n) AND EXISTS (SELECT 1 FROM tensor) AND (EXISTS (SELECT 1"
    " FROM file WHERE role = 'data') OR NOT EXISTS (SELECT 1 FROM value WHERE storage ="
    " 'external'))";

/* clang-format on */
