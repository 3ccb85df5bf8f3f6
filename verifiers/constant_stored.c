/* Parameters, buffers and constants as files hold them: queries of constant.c. */
#include "verifiers/constant_stored.h"

#include "verifiers/data_parts.h"
#include "verifiers/sql.h"

/* clang-format off */

/* Inputs of saved programs that are state; their values and where they come from. */
#define STATE                                                                          \
    "state AS (SELECT m.id AS method, m.ir, g.id AS graph, g.kind AS of, s.name,"      \
    "   s.target, v.id AS value, v.dtype, v.shape, v.device"                           \
    "  FROM method AS m CROSS JOIN \"graph\" AS g ON g.method_id = m.id"               \
    "  CROSS JOIN signature AS s ON s.graph_id = g.id AND s.direction = 'input'"       \
    "   AND s.spec IN ('parameter', 'buffer', 'constant_tensor')"                      \
    "  JOIN value AS v ON v.id = s.value_id WHERE m.ir <> 'pte')"

/* What the runtime and to_executorch know. */
#define SERIALIZABLE                                                                   \
    "('u8', 'i8', 'i16', 'i32', 'i64', 'f16', 'f32', 'f64', 'c32', 'c64', 'c128',"     \
    " 'bool', 'qint8', 'quint8', 'qint32', 'bf16', 'quint4x2', 'f8e5m2', 'f8e4m3fn',"  \
    " 'u16', 'u32')"

const char dg_query_dtype_serializable[] =
    "WITH " STATE
    "SELECT value, iif(ir = 'edge' OR " DG_TO_BE_LOWERED ", 'error', 'note') AS severity,"
    "   printf('%s is %s', target, dtype) AS message FROM state"
    "  WHERE of <> 'lowered' AND dtype NOT IN " SERIALIZABLE " ORDER BY value";

/* Delegates take what they own along; the rest must be on the host. */
const char dg_query_data_real[] =
    "WITH " STATE
    "SELECT value, iif(EXISTS (SELECT 1 FROM delegate WHERE method_id = state.method),"
    "   'error', 'warning') AS severity, printf('%s is on %s', target, device)"
    "   AS message FROM state WHERE of <> 'lowered' AND ir = 'edge'"
    "   AND device <> 'cpu' AND device NOT LIKE 'cpu:%' ORDER BY value";

const char dg_query_external_fqn[] =
    "SELECT v.id AS value, printf('value %lld is external and has no name', v.idx)"
    "   AS message " IN_FILE_OF_PTE "AND" HAS_KEY "AND coalesce(v.name, '') = ''"
    " ORDER BY v.id";

/* Constants in the program itself carry their size; so do those of archives. */
const char dg_query_constant_nbytes[] =
    "WITH " STATE ", " BASES("segment_id IS NULL AND kind IN ('reserved', 'constant')")
    "SELECT v.id AS value, iif(v.nbytes > c.nbytes, 'error', 'warning') AS severity,"
    "   printf('value %lld (%s %s) has %lld bytes, constant %lld has %lld', v.idx,"
    "    v.dtype, v.shape, v.nbytes, v.data_index, c.nbytes) AS message "
    PTE_VALUES "JOIN bases USING (artifact_id)"
    "  JOIN constant AS c ON " AT_BASE " AND c.segment_id IS NULL"
    "   AND c.kind = 'constant'"
    " WHERE" IN_FILE "AND v.storage = 'constant' AND v.nbytes <> c.nbytes"
    " UNION ALL "
    "SELECT value, 'error', printf('%s is %s %s in the graph, %s %s in the archive',"
    "   target, state.dtype, state.shape, c.dtype, c.shape)"
    "  FROM state JOIN constant AS c ON c.method_id = state.method AND c.fqn = target"
    " WHERE of = 'method' AND (state.dtype <> c.dtype OR state.shape <> c.shape)"
    "   AND state.shape NOT LIKE '%\"%'";

/* Copies of a constant that lowering made. */
const char dg_query_copy_identical[] =
    "WITH copy AS (SELECT c.*, rtrim(fqn, '0123456789') AS stem FROM constant AS c"
    "   JOIN artifact AS a ON a.id = artifact_id AND a.kind = 'pt2'"
    "  WHERE fqn GLOB '*_copy_[0-9]*' AND rtrim(fqn, '0123456789') GLOB '*_copy_')"
    "SELECT copy.method_id AS method, printf('%s and %s hold different bytes', c.fqn,"
    "   copy.fqn) AS message FROM copy JOIN constant AS c"
    "    ON c.method_id = copy.method_id"
    "   AND c.fqn = substr(stem, 1, length(stem) - length('_copy_'))"
    " WHERE c.dtype IS copy.dtype AND c.shape IS copy.shape AND c.xxh3 <> copy.xxh3"
    " ORDER BY copy.id";

/* A placeholder that nobody reads, of a weight that a delegate has; a constant that no
 * kernel reads, with the bytes of a delegate's data: of few bytes that would be chance. */
const char dg_query_double_owned[] =
    "WITH " FILES ", " STATE ", " BASES("kind IN ('reserved', 'constant')") ","
    "owned AS MATERIALIZED (SELECT method, target, min(graph) AS graph FROM state"
    "  WHERE of = 'lowered' GROUP BY method, target),"
    "given AS MATERIALIZED (SELECT files.program, s.xxh3, s.size_bytes AS nbytes,"
    "   printf('segment %lld of %s', s.idx, files.name) AS name FROM files"
    "  JOIN segment AS s ON s.artifact_id = files.id"
    "   AND s.kind IN ('named_data', 'delegate') AND s.xxh3 IS NOT NULL"
    "  GROUP BY files.program, s.xxh3, s.size_bytes),"
    "listed AS MATERIALIZED (SELECT list.id - list.idx + j.value AS id"
    "  FROM value AS list JOIN json_each(list.items) AS j"
    "  WHERE list.kind IN ('tensor_list', 'optional_tensor_list')"
    "   AND json_valid(list.items)),"
    "twice AS MATERIALIZED (SELECT c.artifact_id, c.id, c.idx, c.fqn, c.dtype, c.shape,"
    "   c.nbytes, given.name FROM constant AS c JOIN given"
    "    ON given.program = c.artifact_id AND given.xxh3 = c.xxh3"
    "   AND given.nbytes = c.nbytes WHERE c.kind = 'constant' AND c.nbytes >= 64),"
    "user AS MATERIALIZED (SELECT c.id, max(EXISTS (SELECT 1 FROM operand AS o"
    "     JOIN node ON node.id = o.node_id AND node.kind <> 'delegate_call'"
    "     WHERE o.value_id = v.id) OR v.id IN (SELECT id FROM listed)"
    "    OR EXISTS (SELECT 1 FROM signature AS s WHERE s.graph_id = v.graph_id"
    "     AND s.value_id = v.id)) AS on_host "
    PTE_VALUES "JOIN bases USING (artifact_id) JOIN constant AS c ON " AT_BASE
    " WHERE" IN_FILE "AND v.storage = 'constant' AND c.id IN (SELECT id FROM twice)"
    "  GROUP BY c.id)"
    "SELECT artifact_id AS artifact, NULL AS value, printf('constant %lld (%s, %lld"
    " bytes) is read by no kernel, and %s has its bytes', idx,"
    "   coalesce(fqn, dtype || ' ' || shape), nbytes, name) AS message"
    "  FROM twice LEFT JOIN user USING (id) WHERE coalesce(on_host, 0) = 0"
    " UNION ALL "
    "SELECT NULL, state.value, printf('%s has no user, and %s has it, too',"
    "   state.target, \"graph\".path)"
    "  FROM owned CROSS JOIN state ON state.method = owned.method"
    "   AND state.target = owned.target AND of = 'method'"
    "  JOIN \"graph\" ON \"graph\".id = owned.graph"
    "  JOIN node ON node.value_id = state.value"
    " WHERE NOT EXISTS (SELECT 1 FROM edge WHERE edge.src = node.id)";

/* clang-format on */
