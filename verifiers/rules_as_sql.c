/* What C finds faster, as SQL: `./dev agree` holds one to the other. Messages are C's.
 */
#include "verifiers/rules_as_sql.h"

/* clang-format off */

#define FIND(severity) "SELECT v.id AS value, " severity " AS severity, '' AS message"
#define VALUES                                                                         \
    "  FROM value AS v JOIN \"graph\" AS g ON g.id = v.graph_id"                       \
    "  JOIN method AS m ON m.id = g.method_id AND m.ir = 'pte'"
#define TENSOR FIND("NULL") VALUES " WHERE v.kind = 'tensor' AND v.shape IS NOT NULL AND "

#define RANK "json_array_length(shape)"
#define ORDERED RANK " = json_array_length(dim_order) AND " RANK " <= 16 AND "
#define PERMUTED                                                                       \
    "(SELECT count(DISTINCT value) FROM json_each(dim_order)"                          \
    "  WHERE value BETWEEN 0 AND " RANK " - 1) = " RANK

const char dg_sql_rank[] = TENSOR RANK " > 16";
const char dg_sql_order_length[] =
    TENSOR "coalesce(json_array_length(dim_order), -1) <> " RANK;
const char dg_sql_order_permutation[] = TENSOR ORDERED "NOT " PERMUTED;
const char dg_sql_order_canonical[] =
    FIND("iif(v.id IN (SELECT value_id FROM operand WHERE access = 'write'), 'note', NULL)")
    VALUES " WHERE v.kind = 'tensor' AND " ORDERED PERMUTED
    "   AND dim_order NOT IN ('[0,2,3,1]', '[0,2,3,4,1]')"
    "   AND EXISTS (SELECT 1 FROM json_each(dim_order) WHERE key <> value)";

const char dg_sql_storage_offset[] = TENSOR "storage_offset <> 0";
const char dg_sql_dynamism[] = TENSOR "dynamism NOT IN ('static', 'bounded')";
const char dg_sql_layout[] = TENSOR "layout <> 'strided'";

const char dg_sql_list_present[] =
    FIND("NULL") VALUES " WHERE (instr(v.kind, 'list') AND items IS NULL)"
    "  OR (v.kind = 'string' AND scalar IS NULL)";

#define ITEMS                                                                          \
    FIND("NULL") VALUES "  JOIN json_each(v.items) AS j LEFT JOIN value AS item"       \
    "  ON item.graph_id = v.graph_id AND item.idx = j.value"

const char dg_sql_int_item[] =
    ITEMS " WHERE v.kind = 'int_list' AND item.kind IS NOT 'int'";
const char dg_sql_tensor_item[] =
    ITEMS " WHERE v.kind = 'tensor_list' AND item.kind IS NOT 'tensor'";
const char dg_sql_optional_item[] =
    ITEMS " WHERE v.kind = 'optional_tensor_list' AND j.value <> -1"
    "   AND coalesce(item.kind, '') NOT IN ('tensor', 'null')";
const char dg_sql_forward_ref[] =
    ITEMS " WHERE item.idx > v.idx AND (item.kind = 'tensor' AND v.kind = 'tensor_list'"
    "   OR item.kind IN ('tensor', 'null') AND v.kind = 'optional_tensor_list')";

#define ARENA                                                                          \
    " LEFT JOIN arena AS a ON a.method_id = m.id AND a.idx = v.mem_id AND a.idx > 0"   \
    " WHERE v.mem_id IS NOT NULL AND "

const char dg_sql_arena_ids[] = FIND("NULL") VALUES ARENA "a.idx IS NULL";
const char dg_sql_extents[] =
    FIND("NULL") VALUES ARENA "a.idx AND v.nbytes IS NOT NULL"
    "   AND coalesce(mem_offset, -1) NOT BETWEEN 0 AND a.size_bytes - v.nbytes";
const char dg_sql_alignment[] =
    "SELECT min(v.id) AS value, '' AS message" VALUES ARENA
    "a.idx AND coalesce(mem_offset, -1) & 15 GROUP BY g.id, a.idx";
const char dg_sql_far_offsets[] =
    "SELECT min(v.id) AS value, iif(a.size_bytes >= mem_offset, 'note', NULL)"
    "  AS severity, '' AS message" VALUES ARENA
    "a.idx AND mem_offset >= 1 << 32 GROUP BY g.id, a.idx";

/* Nodes with a tag of the newest plan that stands for a delegate. */
#define TAGGED                                                                         \
    "tagged AS (SELECT n.id, n.graph_id, n.kind, n.name, p.id AS tag, p.backend"       \
    "  FROM partition AS p JOIN partition_node AS pn ON pn.partition_id = p.id"        \
    "  JOIN node AS n ON n.id = pn.node_id WHERE p.declared IS NOT 0"                  \
    "   AND p.part_run_id IN (SELECT max(id) FROM part_run GROUP BY artifact_id))"

const char dg_sql_output_untagged[] =
    "WITH " TAGGED "SELECT id AS node, '' AS message FROM tagged WHERE kind = 'output'";
const char dg_sql_inputs_untagged[] =
    "WITH " TAGGED "SELECT id AS node, '' AS message FROM tagged"
    " WHERE kind = 'placeholder' AND NOT EXISTS (SELECT 1 FROM signature AS s"
    "  WHERE s.graph_id = tagged.graph_id AND s.name = tagged.name"
    "   AND direction = 'input' AND spec IN ('parameter', 'buffer', 'constant_tensor'))";
const char dg_sql_output_used_inside[] =
    "WITH " TAGGED "SELECT t.id AS node, '' AS message FROM tagged AS t"
    "  JOIN edge ON edge.src = t.id LEFT JOIN tagged AS u ON u.id = edge.dst"
    " WHERE t.backend = 'NeutronBackend' AND t.kind = 'call_function' GROUP BY t.id"
    " HAVING max(u.tag IS t.tag) AND max(u.tag IS NOT t.tag)";

/* clang-format on */
