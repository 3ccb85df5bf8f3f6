/* What the operators of a program may be: queries of graph.c. */
#include "verifiers/graph_parts.h"

/* Python functions that torch's own verifier lets pass (torch/_export/verifier.py). */
#define ALLOWED                                                                        \
    "'_operator.getitem', '_operator.add', '_operator.mul', '_operator.sub',"          \
    "'_operator.truediv', '_operator.ge', '_operator.le', '_operator.gt',"             \
    "'_operator.lt', '_operator.eq', '_operator.ne', '_operator.floordiv',"            \
    "'_operator.mod', '_operator.and_', '_operator.or_', '_operator.not_',"            \
    "'_operator.pow', '_operator.neg', '_operator.abs', '_operator.lshift',"           \
    "'_operator.rshift', 'math.ceil', 'math.floor', 'math.trunc', 'builtins.round',"   \
    "'round'"

/* Whether the file was written by the torch whose operators are known here. */
#define KNOWN_TORCH "json_extract(a.version, '$.torch') GLOB '2.13.*'"

/* First calls of no operator at all; then operators that `aten` does not have; then
 * Python functions. */
const char dg_query_op_kind[] =
    "SELECT min(node.id) AS node, 'error' AS severity,"
    "   printf('%lld calls have no target', count(*)) AS message"
    "  FROM node WHERE kind = 'call_function' AND op_id IS NULL"
    " GROUP BY graph_id"
    " UNION ALL SELECT min(node.id), iif(" KNOWN_TORCH ", 'error', 'warning'),"
    "   printf('%s is no operator of PyTorch 2.13; %lld calls', op.name, count(*))"
    "  FROM op JOIN node ON op_id = op.id JOIN \"graph\" AS g ON g.id = graph_id"
    "  JOIN method AS m ON m.id = g.method_id JOIN artifact AS a ON a.id = artifact_id"
    " WHERE op.namespace = 'aten' AND op.args IS NULL GROUP BY op.id"
    " UNION ALL SELECT min(node.id), iif(op.name LIKE 'torch.%' OR"
    "   op.name LIKE 'executorch.%' OR op.name LIKE 'memory.%', 'warning', 'error'),"
    "   printf('%s is a Python function; %lld calls', op.name, count(*))"
    "  FROM op JOIN node ON op_id = op.id"
    " WHERE node.kind = 'call_function' AND instr(op.name, '::') = 0"
    "   AND op.name NOT LIKE '#%' AND op.name NOT LIKE 'torch.%'"
    "   AND op.name NOT LIKE 'executorch.%' AND op.name NOT LIKE 'memory.%'"
    "   AND op.name NOT IN (" ALLOWED ") GROUP BY op.id ORDER BY 1";

/* The dialect is not kept: a TRAINING program may mutate. */
const char dg_query_op_functional[] =
    "SELECT node.id AS node, 'note' AS severity,"
    "   printf('%s writes one of its arguments', op.name) AS message"
    "  FROM op JOIN node ON op_id = op.id JOIN \"graph\" AS g ON g.id = graph_id"
    "  JOIN method AS m ON m.id = g.method_id AND ir = 'aten'"
    " WHERE flags & (1 << 5) AND op.namespace <> 'higher_order' ORDER BY node.id";

const char dg_query_op_opaque[] =
    "SELECT min(node.id) AS node, printf('%s has no schema here: its %lld calls are"
    " opaque', op.name, count(*)) AS message"
    "  FROM op JOIN node ON op_id = op.id"
    " WHERE op.args IS NULL AND instr(op.name, '::') > 0 AND op.namespace <> 'aten'"
    "   AND op.namespace <> 'higher_order' GROUP BY op.id ORDER BY 1";

const char dg_query_edge_op[] =
    "SELECT min(node.id) AS node, 'warning' AS severity, printf('%s is not in the core"
    " set; %lld calls', op.name, count(*)) AS message"
    "  FROM op JOIN node ON op_id = op.id JOIN \"graph\" AS g ON g.id = graph_id"
    "  JOIN method AS m ON m.id = g.method_id AND ir = 'edge'"
    " WHERE g.kind <> 'lowered' AND op.namespace = 'aten' AND op.args IS NOT NULL"
    "   AND NOT flags & ((1 << 0) | (1 << 8)) AND op.name NOT IN "
    "('aten::mkldnn_rnn_layer',"
    "    'aten::_upsample_bilinear2d_aa', 'aten::quantize_per_tensor',"
    "    'aten::dequantize.self', 'aten::max', 'aten::min', 'aten::full_like',"
    "    'aten::copy_', 'aten::mkldnn_rnn_layer.default', 'aten::max.default',"
    "    'aten::_upsample_bilinear2d_aa.default', 'aten::quantize_per_tensor.default',"
    "    'aten::min.default', 'aten::full_like.default', 'aten::copy_.default')"
    "   AND op.name NOT LIKE 'aten::sym_%' AND op.name NOT LIKE 'aten::_assert_%'"
    "   AND op.name NOT LIKE 'aten::item%' AND op.name NOT LIKE '%_local_scalar_dense%'"
    " GROUP BY op.id ORDER BY 1";

const char dg_query_dim_order_mode[] =
    "WITH ordered AS MATERIALIZED (SELECT DISTINCT graph_id FROM node WHERE op_id IN"
    "  (SELECT id FROM op WHERE namespace = 'dim_order_ops'))"
    "SELECT min(node.id) AS node, 'warning' AS severity, printf('%s stands beside"
    " operators of dim_order_ops; %lld calls', op.name, count(*)) AS message"
    "  FROM ordered CROSS JOIN \"graph\" AS g ON g.id = ordered.graph_id"
    "  JOIN method AS m ON m.id = g.method_id AND ir = 'edge'"
    "  CROSS JOIN node ON node.graph_id = g.id CROSS JOIN op ON op.id = op_id"
    " WHERE op.name IN ('aten::_to_copy', 'aten::_to_copy.default',"
    "    'aten::empty.memory_format', 'aten::clone', 'aten::clone.default')"
    " GROUP BY op.id, node.graph_id ORDER BY 1";

/* Kernels that ask for one dim order, and give up when they see two. Tensors of one
 * element per row can be both. */
const char dg_query_dim_order[] =
    "SELECT n.id AS node, a.id AS value, printf('%s gets value %lld with dim order %s"
    " and value %lld with %s', op.name, a.idx, a.dim_order, b.idx, b.dim_order)"
    " AS message FROM op JOIN node AS n ON n.op_id = op.id"
    "  JOIN operand AS x ON x.node_id = n.id AND x.pos = 0"
    "  JOIN value AS a ON a.id = x.value_id AND a.kind = 'tensor'"
    "  JOIN operand AS y ON y.node_id = n.id AND y.access = 'write'"
    "  JOIN value AS b ON b.id = y.value_id AND b.kind = 'tensor'"
    " WHERE n.kind = 'kernel_call' AND (op.flags & (1 << 2) OR op.name IN"
    "    ('aten::clone.out', 'aten::mean.out', 'aten::expand_copy.out'))"
    "   AND op.namespace = 'aten' AND a.dim_order <> b.dim_order"
    "   AND json_array_length(a.dim_order) = json_array_length(b.dim_order)"
    "   AND a.shape NOT LIKE '[1,%' AND a.shape NOT LIKE '%,1]'"
    "   AND a.shape NOT LIKE '%,1,%' AND a.shape = b.shape"
    " GROUP BY n.id ORDER BY n.id";
