/* What instructions do with tensors on devices: queries of device.c. */
#include "store/lists.h"
#include "verifiers/device_parts.h"

/* clang-format off */

/* Calls of delegates of methods where anything is on a device, and the tensors that
 * they touch, those inside of lists included. Values of a graph have consecutive ids. */
#define TOUCHED                                                                        \
    AWAY "," DG_SQL_WANTED ","                                                         \
    "called AS MATERIALIZED (SELECT node.id, node.name, node.delegate_id,"             \
    "   delegate.backend, delegate.idx, iif(spec.id IS NULL, 'cpu', spec.device)"      \
    "    AS device"                                                                    \
    "  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM wanted WHERE device <> 'cpu')"       \
    "    OR EXISTS (SELECT 1 FROM away))"                                              \
    "  CROSS JOIN node CROSS JOIN delegate ON delegate.id = node.delegate_id"          \
    "  LEFT JOIN wanted AS spec ON spec.id = node.delegate_id"                         \
    " WHERE node.kind = 'delegate_call'),"                                             \
    "touched AS (SELECT called.id AS node, v.id AS value, v.idx, v.device"             \
    "  FROM called CROSS JOIN operand AS o ON o.node_id = called.id"                   \
    "  CROSS JOIN value AS v ON v.id = o.value_id"                                     \
    " UNION"                                                                           \
    " SELECT called.id, v.id, v.idx, v.device"                                         \
    "  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM called) AND " DG_SQL_LISTS_BOUNDED ")" \
    "  CROSS JOIN called CROSS JOIN operand AS o ON o.node_id = called.id"             \
    "  CROSS JOIN value AS list ON list.id = o.value_id"                               \
    "  CROSS JOIN json_each(list.items) AS item"                                       \
    "  CROSS JOIN value AS v ON v.id = list.id - list.idx + item.value"                \
    " WHERE +list.kind IN ('tensor_list', 'optional_tensor_list')"                     \
    "   AND json_valid(list.items) AND +v.graph_id = list.graph_id)"

/* Only tensors have a device. */
const char dg_query_delegate_io_device[] =
    "WITH " TOUCHED
    "SELECT node, value, printf('value %lld is on %s, delegate %lld (%s) works on %s',"
    "   touched.idx, touched.device, called.idx,"
    "   coalesce(called.backend, 'no backend'), called.device) AS message"
    "  FROM touched JOIN called ON called.id = touched.node"
    " WHERE touched.device IS NOT NULL AND called.device IS NOT NULL"
    "   AND touched.device <> called.device ORDER BY node, value";

/* An edge leads from the last writer. */
const char dg_query_direct_cross_device[] =
    "WITH " TOUCHED
    "SELECT reader.id AS node, edge.value_id AS value,"
    "   printf('value %lld goes from %s (%s on %s) to %s (%s on %s) directly',"
    "    value.idx, writer.name, coalesce(writer.backend, 'no backend'),"
    "    writer.device, reader.name, coalesce(reader.backend, 'no backend'),"
    "    reader.device) AS message, json_array(writer.name, reader.name) AS witness"
    "  FROM called AS writer CROSS JOIN edge ON edge.src = writer.id"
    "  JOIN called AS reader ON reader.id = edge.dst"
    "  LEFT JOIN value ON value.id = edge.value_id"
    " WHERE writer.device <> reader.device AND writer.device <> 'cpu'"
    "   AND reader.device <> 'cpu' ORDER BY reader.id, edge.pos";

/* The instructions that name a tensor on a device, or a list that holds it. */
#define NAMING                                                                         \
    AWAY ","                                                                           \
    "naming AS (SELECT o.node_id, away.* FROM away CROSS JOIN operand AS o"            \
    "   ON o.value_id = away.id"                                                       \
    " UNION SELECT o.node_id, away.*"                                                  \
    "  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM away) AND " DG_SQL_LISTS_BOUNDED ")"  \
    "  CROSS JOIN value AS list"                                                       \
    "  CROSS JOIN json_each(list.items) AS item"                                       \
    "  CROSS JOIN away ON away.id = list.id - list.idx + item.value"                   \
    "   AND away.graph_id = list.graph_id"                                             \
    "  CROSS JOIN operand AS o ON o.value_id = list.id"                                \
    " WHERE list.kind IN ('tensor_list', 'optional_tensor_list')"                      \
    "   AND json_valid(list.items))"

/* Some operators look at the shape only. A tensor marked for a device but planned into
 * host memory is what older exporters write, and works. */
const char dg_query_host_op_on_cpu[] =
    "WITH " NAMING
    "SELECT node_id AS node, naming.id AS value,"
    "   iif(arena.device = 'cpu', 'warning', 'error') AS severity,"
    "   printf('%s reads or writes value %lld, which is on %s%s',"
    "    coalesce(op.name, 'an unknown operator'), naming.idx, naming.device,"
    "    iif(arena.device = 'cpu', ' but planned into host memory', '')) AS message"
    "  FROM naming CROSS JOIN node ON node.id = node_id AND +node.kind = 'kernel_call'"
    "  LEFT JOIN op ON op.id = node.op_id"
    "  LEFT JOIN arena ON arena.method_id = naming.method_id"
    "   AND arena.idx = naming.mem_id"
    " WHERE op.name IS NULL OR (op.namespace <> 'et_copy' AND op.name NOT IN"
    "    ('aten::sym_size.int', 'aten::sym_stride.int', 'aten::sym_numel',"
    "     'executorch_prim::et_view.default'))"
    " ORDER BY node_id, naming.id";

const char dg_query_predicate_host[] =
    "WITH " AWAY
    "SELECT node.id AS node, away.id AS value, printf('jumps if value %lld is false,"
    " and it is on %s', away.idx, away.device) AS message"
    "  FROM away CROSS JOIN operand AS o ON o.value_id = away.id"
    "  CROSS JOIN node ON node.id = o.node_id AND +node.kind = 'jump_false_call'"
    " ORDER BY node.id";

/* clang-format on */
