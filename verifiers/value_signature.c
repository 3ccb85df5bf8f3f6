/* Queries about values that instructions, or the caller of a method, name. */
#include "verifiers/sql.h"
#include "verifiers/value_parts.h"

/* clang-format off */

/* Operands of some kinds of instructions that no value stands behind. */
#define OUT_OF_RANGE(kinds)                                                            \
    "SELECT n.id AS node, printf('operand %lld is value %lld; the method has %lld"     \
    " values', o.pos, o.value_idx, " DG_N_VALUES("n.graph_id") ") AS message"          \
    "  FROM operand AS o JOIN node AS n ON n.id = o.node_id"                           \
    " WHERE o.value_id IS NULL AND n.kind IN (" kinds ") ORDER BY o.node_id, o.pos"

/* What a method takes or gives; -1 is stored as an unsigned number. */
#define IN_SIGNATURE(direction)                                                        \
    "SELECT s.graph_id AS \"graph\", s.value_id AS value,"                             \
    "   printf('" direction " %lld is value %lld%s', s.pos,"                           \
    "    iif(s.value_idx = 4294967295, -1, s.value_idx), iif(v.id IS NULL,"            \
    "    printf('; the method has %lld values', " DG_N_VALUES("s.graph_id") "),"       \
    "    printf(', %s; expected a tensor, a number, a bool, a string or null',"        \
    "     " DG_A_KIND("v") "))) AS message"                                            \
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"                     \
    "  JOIN signature AS s ON s.graph_id = g.id LEFT JOIN value AS v ON v.id = s.value_id" \
    " WHERE method.ir = 'pte' AND s.direction = '" direction "' AND (v.id IS NULL"     \
    "   OR v.kind NOT IN ('tensor', 'int', 'bool', 'double', 'string', 'null',"        \
    "    'unknown')) ORDER BY s.graph_id, s.pos"

/* Inputs of a .pte with the values that they are. */
#define INPUTS                                                                         \
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"                     \
    "  JOIN signature AS s ON s.graph_id = g.id JOIN value AS v ON v.id = s.value_id"  \
    " WHERE method.ir = 'pte' AND s.direction = 'input'"

const char dg_query_value_input_constant[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('input %lld is value %lld, which is"
    " a constant of the %s', s.pos, v.idx, iif(v.storage = 'constant', 'file',"
    " 'named data')) AS message" INPUTS " AND v.storage IN ('constant', 'external')"
    " ORDER BY g.id, s.pos";

/* Setting the memory of an output replaces that of the constant. */
const char dg_query_value_output_external[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('output %lld is value %lld, which is"
    " a constant of the named data', s.pos, v.idx) AS message"
    "  FROM value AS v JOIN \"graph\" AS g ON g.id = v.graph_id"
    "  JOIN method ON method.id = g.method_id AND method.ir = 'pte'"
    "  JOIN signature AS s ON s.graph_id = g.id AND s.value_id = v.id"
    "   AND s.direction = 'output'"
    " WHERE v.storage = 'external' AND v.storage < 'n'"
    " ORDER BY g.id, s.pos";

/* The value has the constant's memory from then on. Who writes it last is looked for
 * once for a value, to which many moves may go. */
const char dg_query_value_move[] =
    "WITH moved AS MATERIALIZED (SELECT node.id AS node, c.idx AS constant,"
    "   v.id AS value, v.idx"
    "  FROM node CROSS JOIN operand AS f ON f.node_id = node.id AND f.pos = 0"
    "  CROSS JOIN value AS c ON c.id = f.value_id"
    "   AND c.storage IN ('constant', 'external')"
    "  CROSS JOIN operand AS t ON t.node_id = node.id AND t.pos = 1"
    "  CROSS JOIN value AS v ON v.id = t.value_id"
    " WHERE node.kind = 'move_call' AND " DG_RARE("node") "),"
    "last AS MATERIALIZED (SELECT to_value.value, max(n.id) AS node, n.name"
    "  FROM (SELECT DISTINCT value FROM moved) AS to_value"
    "  CROSS JOIN operand AS w ON w.value_id = to_value.value AND w.access <> 'read'"
    "  CROSS JOIN node AS n ON n.id = w.node_id"
    "   AND n.kind IN ('kernel_call', 'delegate_call') GROUP BY to_value.value)"
    "SELECT moved.node, moved.value, printf('moves value %lld, a constant, to"
    " value %lld, which %s writes', constant, idx, last.name) AS message"
    "  FROM moved JOIN last ON last.value = moved.value AND last.node > moved.node"
    " ORDER BY moved.node";

/* What is returned repeats what is written: it comes last. */
const char dg_query_value_constant_written[] =
    "SELECT n.id AS node, v.id AS value, printf('operand %lld, which it writes, is value"
    " %lld, a constant of the %s', min(w.pos), v.idx, iif(v.storage = 'constant', 'file',"
    " 'named data')) AS message"
    "  FROM value AS v CROSS JOIN operand AS w ON w.value_id = v.id AND w.access <> 'read'"
    "  CROSS JOIN node AS n ON n.id = w.node_id"
    "   AND n.kind IN ('kernel_call', 'delegate_call')"
    " WHERE v.storage IN ('constant', 'external') AND v.nbytes > 0"
    " GROUP BY n.id, v.id ORDER BY n.id";

const char dg_query_value_input_unique[] =
    "SELECT \"graph\", value, printf('inputs %s are all value %lld', " DG_FIRST("pos") ","
    " idx) AS message FROM (SELECT g.id AS \"graph\", v.id AS value, v.idx, s.pos,"
    "   row_number() OVER (PARTITION BY v.id ORDER BY s.pos) AS number" INPUTS ")"
    " GROUP BY value HAVING count(*) > 1 ORDER BY value";

const char dg_query_value_input_primitive[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('input %lld is value %lld, %s: %s',"
    " s.pos, v.idx, " DG_A_KIND("v") ", CASE v.kind WHEN 'bool' THEN iif(v.scalar, 'true',"
    "  'false') WHEN 'string' THEN json_quote(v.scalar) ELSE v.scalar END) AS message"
    INPUTS " AND v.kind IN ('int', 'bool', 'double', 'string') ORDER BY g.id, s.pos";

/* Where all but one dimension has one element, every order is the same. */
const char dg_query_value_input_layout[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('input %lld, sizes %s, must"
    " come in dim_order %s%s', s.pos, v.shape, v.dim_order,"
    " iif(v.dim_order IN ('[0,2,3,1]', '[0,2,3,4,1]'), ', channels last', '')) AS message"
    INPUTS " AND v.kind = 'tensor' AND json_array_length(v.dim_order) <= 16"
    "   AND EXISTS (SELECT 1"
    "   FROM json_each(v.dim_order) AS a JOIN json_each(v.dim_order) AS b"
    "   ON a.key < b.key AND a.value > b.value"
    "   AND v.shape ->> a.value <> 1 AND v.shape ->> b.value <> 1)"
    " ORDER BY g.id, s.pos";

const char dg_query_value_operand[] = OUT_OF_RANGE("'kernel_call', 'delegate_call'");
const char dg_query_value_other_operand[] = OUT_OF_RANGE("'move_call', 'jump_false_call', 'free_call'");
const char dg_query_value_input[] = IN_SIGNATURE("input");
const char dg_query_value_output[] = IN_SIGNATURE("output");

/* clang-format on */
