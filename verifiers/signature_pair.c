/* A .pte against the program that it was made from: check --program. */
#include "verifiers/pair.h"

#include "graph/pair_sql.h"

#define PAIRED "paired AS (" DG_SQL_PAIRED ")"

/* A .pte has no strings and no symbols: they become None and some number; which one,
 * instructions decide. */
#define KIND(kind)                                                                     \
    "CASE WHEN " kind " LIKE 'sym_%' THEN 'number' WHEN " kind " = 'double' THEN"      \
    " 'float' WHEN " kind " IN ('string', 'null') THEN 'none' ELSE " kind " END"

/* What the user gives and gets, numbered. A written input is an output of the .pte,
 * too. */
#define WANT                                                                           \
    "want AS (SELECT pte_method, pte_graph, s.graph_id AS graph, s.direction,"         \
    "   row_number() OVER (PARTITION BY s.graph_id, s.direction ORDER BY s.pos) - 1"   \
    "   AS pos, coalesce(s.name, s.literal, 'None') AS name, " KIND(                   \
        "s.kind") " AS"                                                                \
                  "   kind, v.dtype, v.shape, s.literal"                               \
                  "  FROM paired JOIN signature AS s ON s.graph_id = paired.graph"     \
                  "  LEFT JOIN value AS v ON v.id = s.value_id"                        \
                  " WHERE s.spec IN ('user_input', 'user_output', "                    \
                  "'user_input_mutation',"                                             \
                  "   'loss_output'))"

#define GOT                                                                            \
    "got AS (SELECT s.graph_id AS pte_graph, s.direction, s.pos, " KIND(               \
        "s.kind") "   AS kind, v.dtype, v.shape, s.literal, v.id AS value"             \
                  "  FROM paired JOIN signature AS s ON s.graph_id = pte_graph"        \
                  "  LEFT JOIN value AS v ON v.id = s.value_id)"

/* clang-format off */

/* More outputs than the user gets are inputs that a program writes without saying so
 * (not decomposed yet), or what a training pass adds: the user's are the last. */
#define SIDES                                                                          \
    "sides AS (SELECT w.pte_method, w.pte_graph, w.direction, w.n AS wants,"           \
    "   coalesce(g.n, 0) AS gives FROM (SELECT pte_method, pte_graph, direction,"      \
    "   count(*) AS n FROM want GROUP BY 1, 2, 3) AS w LEFT JOIN (SELECT pte_graph,"   \
    "   direction, count(*) AS n FROM got GROUP BY 1, 2) AS g"                         \
    "   USING (pte_graph, direction))"

/* Sizes that differ: fixed ones, and upper bounds of symbols. */
#define SIZES                                                                          \
    "(SELECT group_concat(printf('%s %s in dimension %lld, not %s',"                         \
    "   iif(w.type = 'integer', 'has size', 'holds at most'), g.value, w.key,"          \
    "   coalesce(r.max, w.value)), ', and ') FROM json_each(want.shape) AS w"              \
    "  JOIN json_each(got.shape) AS g ON g.key = w.key LEFT JOIN range_constraint"     \
    "   AS r ON r.graph_id = want.graph AND r.symbol = w.value"                        \
    " WHERE g.value <> CASE w.type WHEN 'integer' THEN w.value"                        \
    "   ELSE coalesce(r.max, g.value) END)"

/* exir.save of 1.5.1 confuses the results of delegates that keep a buffer to
 * themselves: what a lowered program says of its outputs may be wrong. */
const char dg_query_user_io_stable[] =
    "WITH " PAIRED "," WANT "," GOT "," SIDES ","
    "matched AS (SELECT want.pte_method, want.direction, want.pos, want.name,"
    "   got.value, CASE WHEN want.kind <> got.kind AND NOT (want.kind = 'number'"
    "    AND got.kind IN ('int', 'float', 'bool')) THEN printf('is a %s, not a %s',"
    "    got.kind, want.kind) WHEN want.dtype <> got.dtype THEN printf('is %s, not %s',"
    "    got.dtype, want.dtype) WHEN want.shape = got.shape THEN NULL"
    "    WHEN json_array_length(want.shape) <> json_array_length(got.shape) THEN"
    "    printf('has shape %s, not %s', got.shape, want.shape)"
    "    WHEN want.kind = 'tensor' THEN " SIZES
    "    WHEN want.literal <> got.literal THEN printf('is %s, not %s', got.literal,"
    "     want.literal) END AS differs,"
    "   want.dtype IN ('f32', 'f16', 'bf16') AND got.dtype IN ('i8', 'u8', 'i16',"
    "    'u16') AS quantized, want.direction = 'output' AND EXISTS (SELECT 1 FROM"
    "    delegate JOIN \"graph\" AS g ON g.method_id = delegate.method_id"
    "    WHERE g.id = want.graph) AS lowered"
    "  FROM want JOIN sides USING (pte_graph, direction) JOIN got"
    "    ON got.pte_graph = want.pte_graph AND got.direction = want.direction"
    "   AND got.pos = want.pos + iif(want.direction = 'output' AND gives > wants,"
    "    gives - wants, 0))"
    "SELECT pte_method AS method, NULL AS value, iif(gives > wants AND direction ="
    "   'output', 'warning', 'error') AS severity, printf('the .pte has %lld %ss, the"
    " program has %lld', gives, direction, wants) AS message"
    "  FROM sides WHERE gives <> wants AND (direction = 'input' OR gives < wants OR"
    "   NOT EXISTS (SELECT 1 FROM paired WHERE paired.pte_method = sides.pte_method"
    "    AND ir = 'aten'))"
    " UNION ALL SELECT pte_method, value, iif(quantized OR lowered OR differs LIKE 'holds at most%',"
    "    'warning', 'error'),"
    "   printf('%s %lld, %s of the program, %s%s', direction, pos, name, differs,"
    "    iif(quantized, ': right if inputs and outputs were quantized on purpose', ''))"
    "  FROM matched WHERE differs IS NOT NULL";

/* A buffer has no name in most .pte files: what is written in place and is no input
 * counts as one, by type and shape. A delegate may keep buffers to itself. */
const char dg_query_mutation_written_back[] =
    "WITH " PAIRED ","
    "host AS (SELECT * FROM paired WHERE NOT EXISTS (SELECT 1 FROM delegate"
    "   WHERE delegate.method_id = pte_method)),"
    "written AS (SELECT DISTINCT pte_graph, v.id, v.dtype, v.shape, s.pos AS input"
    "  FROM host JOIN value AS v ON v.graph_id = pte_graph AND v.kind = 'tensor'"
    "  JOIN operand AS o ON o.value_id = v.id AND o.access = 'both'"
    "  LEFT JOIN signature AS s ON s.graph_id = pte_graph AND s.direction = 'input'"
    "   AND s.value_id = v.id),"
    "wanted AS (SELECT host.*, s.target, v.dtype, v.shape, count(*) AS n FROM host"
    "  JOIN signature AS s ON s.graph_id = host.graph AND s.spec = 'buffer_mutation'"
    "  JOIN value AS v ON v.id = s.value_id GROUP BY host.graph, v.dtype, v.shape)"
    "SELECT pte_method AS method, printf('the program writes %lld buffer%s of type %s"
    " and shape %s (%s%s), the .pte writes %lld in place', n, iif(n > 1, 's', ''),"
    " dtype, shape, target, iif(n > 1, ', ...', ''), (SELECT count(*) FROM written AS w"
    "   WHERE w.pte_graph = wanted.pte_graph AND input IS NULL AND w.dtype ="
    "    wanted.dtype AND w.shape = wanted.shape)) AS message"
    "  FROM wanted WHERE n > (SELECT count(*) FROM written AS w"
    "   WHERE w.pte_graph = wanted.pte_graph AND input IS NULL AND w.dtype ="
    "    wanted.dtype AND w.shape = wanted.shape)"
    " UNION ALL SELECT pte_method, printf('the program writes its input %lld, %s; no"
    " instruction of the .pte does', i.pos, o.target)"
    "  FROM host JOIN signature AS o ON o.graph_id = host.graph"
    "   AND o.spec = 'user_input_mutation' JOIN (SELECT graph_id, name, row_number()"
    "    OVER (PARTITION BY graph_id ORDER BY pos) - 1 AS pos FROM signature"
    "    WHERE direction = 'input' AND spec = 'user_input') AS i"
    "    ON i.graph_id = host.graph AND i.name = o.target"
    " WHERE NOT EXISTS (SELECT 1 FROM written AS w WHERE w.pte_graph = host.pte_graph"
    "   AND w.input = i.pos)";

/* clang-format on */
