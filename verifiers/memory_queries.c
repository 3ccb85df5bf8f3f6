/* Rules about memory plans that are queries. */
#include "verifiers/memory_parts.h"

/* clang-format off */

const char dg_memory_sql_reserved_zero[] =
    "SELECT method_id AS method, printf('arena %lld has %lld bytes', idx, size_bytes)"
    " AS message, iif(size_bytes < 0, 'error', 'warning') AS severity FROM arena"
    " WHERE (idx = 0 AND size_bytes <> 0) OR size_bytes < 0 ORDER BY method_id, idx";

const char dg_memory_sql_device_arena[] =
    "SELECT min(v.id) AS value, printf('arena %lld is on %s, and %lld tensors of the"
    " host lie in it; the first is value %lld', arena.idx, arena.device, count(*),"
    " v.idx) AS message"
    "  FROM arena CROSS JOIN \"graph\" AS g ON g.method_id = arena.method_id"
    " CROSS JOIN value AS v ON v.graph_id = g.id AND v.mem_id = arena.idx"
    " WHERE arena.device NOT GLOB 'cpu*' AND v.device GLOB 'cpu*'"
    "   AND EXISTS (SELECT 1 FROM node WHERE graph_id = g.id"
    "    AND kind = 'jump_false_call' AND " DG_RARE("node") ")"
    " GROUP BY arena.method_id, arena.idx ORDER BY 1";

/* Inputs and outputs that a caller gives memory to, or the plan. An output that is an
 * input or a buffer is no other tensor. */
#define ENDS                                                                           \
    "ends AS MATERIALIZED (SELECT g.method_id, s.direction, s.pos, v.idx, v.storage, v.id,"         \
    "   v.mem_id IS NOT NULL AS planned FROM method AS m"                              \
    "  JOIN \"graph\" AS g ON g.method_id = m.id"                                      \
    "  JOIN signature AS s ON s.graph_id = g.id JOIN value AS v ON v.id = s.value_id"  \
    " WHERE m.ir = 'pte' AND v.kind = 'tensor' AND v.storage IN ('planned', 'runtime')" \
    "   AND v.name IS NULL AND (s.direction = 'input' OR s.value_id NOT IN"            \
    "    (SELECT value_id FROM signature WHERE direction = 'input'"                    \
    "      AND value_id IS NOT NULL)))"

const char dg_memory_sql_io_all_or_none[] =
    "WITH " ENDS ","
    "numbered AS (SELECT *, row_number() OVER (PARTITION BY method_id, direction,"
    "   planned ORDER BY pos) AS number FROM ends),"
    "taken AS MATERIALIZED (SELECT id, idx, method_id, min(pos) AS pos FROM ends"
    "  WHERE direction = 'input' AND NOT planned GROUP BY id)"
    " SELECT method_id AS method, min(iif(planned, NULL, id)) AS value,"
    " printf('%lld of %lld tensor %ss have planned memory (%s); %s has none',"
    "  sum(planned), count(*), direction,"
    "  group_concat(pos) FILTER (WHERE planned AND number <= 8),"
    "  min(iif(planned, NULL, pos))) AS message"
    "  FROM numbered GROUP BY method_id, direction"
    " HAVING sum(planned) BETWEEN 1 AND count(*) - 1"
    " UNION ALL SELECT method_id, id, printf('output %lld is input %lld, value"
    " %lld, and has no planned memory: a buffer handed in for the one replaces that of"
    " the other', o.pos, taken.pos, idx)"
    "  FROM signature AS o CROSS JOIN taken ON taken.id = o.value_id"
    "  WHERE o.direction = 'output' ORDER BY 1, 3";

const char dg_memory_sql_planned_output[] =
    "WITH " ENDS " SELECT method_id AS method, min(iif(direction = 'output', id, NULL))"
    " AS value, printf('the caller gives memory to %lld inputs, and the plan to %lld"
    " outputs', sum(direction = 'input'), sum(direction = 'output')) AS message"
    "  FROM ends WHERE planned = (direction = 'output') GROUP BY method_id"
    " HAVING sum(direction = 'input') > 0 AND sum(direction = 'output') > 0 ORDER BY 1";

const char dg_memory_sql_caller_buffers[] =
    /* What is named, is read, and is written by no method, is no buffer: it was a
     * constant of another file, and says so no more. */
    "WITH named AS MATERIALIZED (SELECT v.*, m.artifact_id FROM value AS v"
    "  CROSS JOIN \"graph\" AS g ON g.id = v.graph_id"
    "  CROSS JOIN method AS m ON m.id = g.method_id AND m.ir = 'pte'"
    "  WHERE v.storage = 'runtime' AND v.kind = 'tensor' AND v.name IS NOT NULL"
    "   AND NOT EXISTS (SELECT 1 FROM signature AS s WHERE s.graph_id = g.id"
    "    AND s.direction = 'input' AND s.value_id = v.id)),"
    "used AS MATERIALIZED (SELECT named.artifact_id, named.name,"
    "   max(o.access <> 'read' OR n.kind <> 'kernel_call' OR op.args IS NULL) AS changes"
    "  FROM (SELECT 1 FROM named LIMIT 1) CROSS JOIN operand AS o"
    "  CROSS JOIN named ON named.id = o.value_id JOIN node AS n ON n.id = o.node_id"
    "  LEFT JOIN op ON op.id = n.op_id GROUP BY 1, 2)"
    "SELECT id AS value, iif(changes = 0, 'error', 'note') AS severity,"
    "   printf('buffer %s, value %lld, has a name and no memory%s: the caller must give"
    " it %lld bytes', quote(name), idx, iif(changes = 0, ', and is read and never"
    " written', ''), nbytes) AS message"
    "  FROM named LEFT JOIN used USING (artifact_id, name) ORDER BY id";

const char dg_memory_sql_free_target[] =
    "WITH freed AS (SELECT n.id AS node, n.graph_id, o.value_idx, v.* FROM node AS n"
    "  JOIN operand AS o ON o.node_id = n.id LEFT JOIN value AS v ON v.id = o.value_id"
    " WHERE n.kind = 'free_call' AND " DG_RARE("n") ")"
    "SELECT node, id AS value, iif(again AND kind = 'tensor' AND dynamism ="
    "  'unbounded' AND direction IS NULL, 'warning', 'error') AS severity,"
    " printf('value %lld is freed, and it is %s', value_idx, CASE"
    "  WHEN kind IS NULL THEN 'none of the method' WHEN kind <> 'tensor' THEN 'of kind '"
    "  || kind WHEN dynamism <> 'unbounded' THEN 'of ' || CASE dynamism WHEN 'bounded'"
    "  THEN 'bounded' ELSE 'static' END || ' shape: its memory is not its own'"
    "  WHEN again THEN 'freed before' ELSE 'an ' || direction || ' of the method' END)"
    " AS message FROM (SELECT *, (SELECT direction FROM signature AS s"
    "   WHERE s.graph_id = freed.graph_id AND s.value_id = freed.id) AS direction,"
    "  row_number() OVER (PARTITION BY freed.id ORDER BY node) > 1 AS again FROM freed)"
    " WHERE kind IS NOT 'tensor' OR dynamism IS NOT 'unbounded' OR again"
    "    OR direction IS NOT NULL ORDER BY node";

/* Methods share the arenas behind the first: where one says otherwise, and the arenas
 * are of one size, sharing was meant. */
const char dg_memory_sql_shared_consistent[] =
    "WITH several AS (SELECT artifact_id FROM method WHERE ir = 'pte'"
    "   GROUP BY artifact_id HAVING count(*) > 1),"
    "start AS (SELECT artifact_id, min(id) - idx AS id FROM constant"
    "  WHERE kind = 'mutable' GROUP BY artifact_id),"
    "buffer AS (SELECT m.artifact_id, m.id AS method, m.name AS method_name, v.id,"
    "   v.name, mem_id, mem_offset, v.nbytes, v.dtype, arena.size_bytes, c.xxh3"
    "  FROM several CROSS JOIN method AS m ON m.artifact_id = several.artifact_id"
    "  CROSS JOIN \"graph\" AS g ON g.method_id = m.id"
    "  CROSS JOIN value AS v ON v.graph_id = g.id"
    "  CROSS JOIN arena ON arena.method_id = m.id AND arena.idx = mem_id"
    "  LEFT JOIN start ON start.artifact_id = m.artifact_id"
    "  LEFT JOIN constant AS c ON c.id = start.id + v.data_index"
    "   AND c.idx = v.data_index AND c.artifact_id = m.artifact_id"
    "   AND c.kind = 'mutable' AND v.storage = 'mutable'"
    " WHERE v.name IS NOT NULL AND mem_id > 1),"
    "first AS (SELECT *, min(method) FROM buffer GROUP BY artifact_id, name)"
    "SELECT b.id AS value, iif(b.size_bytes = first.size_bytes, 'error', 'warning') AS"
    "  severity, printf('buffer %s is %lld bytes of %s at byte %lld of arena %lld; in"
    " method %s it is %lld bytes of %s at byte %lld of arena %lld', b.name, b.nbytes,"
    "  b.dtype, b.mem_offset, b.mem_id, first.method_name, first.nbytes, first.dtype,"
    "  first.mem_offset, first.mem_id) AS message"
    "  FROM buffer AS b JOIN first USING (artifact_id, name)"
    " WHERE (b.mem_id, b.mem_offset, b.nbytes, b.dtype) IS NOT"
    "   (first.mem_id, first.mem_offset, first.nbytes, first.dtype)"
    " UNION ALL SELECT b.id, 'error', printf('buffer %s begins with other bytes than in"
    " method %s', b.name, first.method_name) FROM buffer AS b"
    "  JOIN first USING (artifact_id, name) WHERE b.mem_id = first.mem_id"
    "   AND b.mem_offset = first.mem_offset AND b.xxh3 <> first.xxh3 ORDER BY 1";

const char dg_memory_sql_xnnpack_padding[] =
    "SELECT min(n.id) AS node, v.id AS value, printf('value %lld ends at byte %lld of"
    " arena %lld, which has %lld bytes: %lld of 64 are left behind it', v.idx,"
    "  mem_offset + v.nbytes, mem_id, arena.size_bytes,"
    "  arena.size_bytes - mem_offset - v.nbytes) AS message"
    /* From the calls on: all of them may be of one delegate of many. */
    "  FROM node AS n CROSS JOIN delegate AS d ON d.id = n.delegate_id"
    " CROSS JOIN operand AS o ON o.node_id = n.id AND o.access <> 'write'"
    " CROSS JOIN value AS v ON v.id = o.value_id"
    " CROSS JOIN arena ON arena.method_id = d.method_id AND arena.idx = mem_id"
    " WHERE d.backend LIKE '%xnnpack%' AND n.kind = 'delegate_call' AND " DG_RARE("n")
    "   AND arena.size_bytes BETWEEN mem_offset + v.nbytes"
    "    AND mem_offset + v.nbytes + 63"
    " GROUP BY v.id ORDER BY 1, v.id";

/* clang-format on */
