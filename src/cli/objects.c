/* What show can show, as queries. */
#include "cli/objects.h"

#include "graph/library_sql.h"

#define PLACE "method.name AS method, graph.path AS graph"
#define NEIGHBOUR                                                                      \
    "node.name, node.kind, coalesce(op.name, node.target) AS target, value.dtype,"     \
    " value.shape AS \"shape:json\""
#define NEIGHBOUR_FACTS                                                                \
    " LEFT JOIN op ON op.id = node.op_id LEFT JOIN value ON value.id = edge.value_id"

static const char node_sql[] =
    "SELECT node.id, " PLACE ", node.idx AS \"index\", node.name, node.kind,"
    " op.name AS op, '(' || op.args || ') -> (' || op.returns || ')' AS schema,"
    " delegate.backend, delegate.idx AS delegate, node.target, node.jump,"
    " value.dtype, value.shape AS \"shape:json\", value.strides AS \"strides:json\","
    " value.device, value.nbytes, module.fqn AS module, module.type AS module_type,"
    " node.args AS \"args:json\", node.custom AS \"custom:json\", debug_handle,"
    " node.meta AS \"meta:json\" FROM node"
    " JOIN graph ON graph.id = node.graph_id JOIN method ON method.id = graph.method_id"
    " LEFT JOIN op ON op.id = node.op_id LEFT JOIN value ON value.id = node.value_id"
    " LEFT JOIN delegate ON delegate.id = node.delegate_id"
    " LEFT JOIN module ON module.id = node.module_id WHERE node.id = ?1";

static const char operands_sql[] =
    "SELECT pos, access, value_idx AS value, value.name, value.kind, dtype,"
    " shape AS \"shape:json\", device, coalesce(value.scalar, value.items) AS content"
    " FROM operand LEFT JOIN value ON value.id = operand.value_id"
    " WHERE operand.node_id = ?1 ORDER BY pos";

static const char value_sql[] =
    "SELECT value.id, " PLACE ", value.idx AS \"index\", value.name, value.kind, dtype,"
    " shape AS \"shape:json\", strides AS \"strides:json\","
    " dim_order AS \"dim_order:json\", device, nbytes, storage, dynamism,"
    " mem_id AS arena, mem_offset, data_index, requires_grad, storage_offset, layout,"
    " scalar, items AS \"items:json\" FROM value"
    " JOIN graph ON graph.id = value.graph_id JOIN method ON method.id = "
    "graph.method_id"
    " WHERE value.id = ?1";

static const char delegate_sql[] =
    "SELECT delegate.id, method.name AS method, delegate.idx AS \"index\", "
    "delegate.name,"
    " backend, location, blob_index, blob_offset, blob_bytes, blob_sha256, blob_xxh3,"
    " graph.path AS lowered_from FROM delegate"
    " JOIN method ON method.id = delegate.method_id"
    " LEFT JOIN graph ON graph.id = delegate.graph_id WHERE delegate.id = ?1";

/* By its own name, or behind that of a call: "op_3/Conv2d_1", as `run` tells of it. */
static const char find_inside_sql[] =
    "SELECT id FROM delegate_node WHERE name = ?1 UNION"
    " SELECT inner_node.id FROM node JOIN delegate ON delegate.id = delegate_id"
    "  JOIN delegate_node AS inner_node ON inner_node.graph_id = inside_id"
    "  WHERE node.name = substr(?1, 1, instr(?1, '/') - 1)"
    "   AND inner_node.name = substr(?1, instr(?1, '/') + 1)"
    " UNION SELECT n.id FROM delegate_graph AS g JOIN delegate_node AS n"
    "  ON n.graph_id = g.id WHERE g.path || '/' || n.name = ?1 ORDER BY 1";

static const char inside_sql[] =
    "SELECT n.id, method.name AS method, g.path AS graph, n.idx AS \"index\", n.name, "
    "op,"
    " nullif(args, '{}') AS \"args:json\", nullif(flags, 0) AS flags, output_min,"
    " output_max, nullif(debug_handle, 65535) AS debug_handle FROM delegate_node AS n"
    " JOIN delegate_graph AS g ON g.id = n.graph_id"
    " JOIN method ON method.id = g.method_id WHERE n.id = ?1";

static const char inside_operands_sql[] =
    "SELECT o.name, access, v.idx AS value, v.name AS value_name, v.datatype, v.shape "
    "AS \"shape:json\","
    " v.nbytes, v.external_id AS operand_of_call, made.name AS made_by, c.key,"
    " v.quantization AS \"quantization:json\" FROM delegate_operand AS o"
    " LEFT JOIN delegate_value AS v ON v.id = o.value_id"
    " LEFT JOIN delegate_constant AS c ON c.graph_id = v.graph_id"
    "  AND c.idx = v.constant_idx"
    " LEFT JOIN delegate_node AS made ON made.id = v.node_id AND access = 'read'"
    " WHERE o.node_id = ?1 ORDER BY pos";

static const char constant_sql[] =
    "SELECT constant.id, method.name AS method, constant.idx AS \"index\", fqn,"
    " constant.kind, dtype, shape AS \"shape:json\", strides AS \"strides:json\","
    " storage_offset, segment.name AS segment, constant.file_offset, nbytes,"
    " constant.sha256, constant.xxh3 FROM constant"
    " LEFT JOIN method ON method.id = constant.method_id"
    " LEFT JOIN segment ON segment.id = segment_id WHERE constant.id = ?1";

/* Nodes inside of delegates that read what lies there under a key, or its scales. */
static const char read_by_sql[] =
    "SELECT DISTINCT g.path AS graph, node.name AS node, node.op, o.name AS operand,"
    " iif(v.constant_idx = c.idx, 'values', 'scales') AS has, v.datatype,"
    " v.shape AS \"shape:json\" FROM segment AS s"
    " JOIN named_data AS n ON n.artifact_id = s.artifact_id AND n.segment_idx = s.idx"
    " JOIN delegate_constant AS c ON c.key = n.key"
    " JOIN delegate_graph AS g ON g.id = c.graph_id"
    " JOIN method AS m ON m.id = g.method_id JOIN artifact AS a ON a.id = s.artifact_id"
    "  AND m.artifact_id = coalesce(a.companion_of, a.id)"
    " JOIN delegate_value AS v ON v.graph_id = g.id AND c.idx IN (v.constant_idx,"
    "  json_extract(v.quantization, '$.scale_constant'))"
    " JOIN delegate_operand AS o ON o.value_id = v.id AND access = 'read'"
    " JOIN delegate_node AS node ON node.id = o.node_id WHERE s.id = ?1"
    " ORDER BY node.id, o.pos";

static const char finding_sql[] =
    "SELECT finding.id, rule, severity, " PLACE ", node.name AS node,"
    " coalesce(value.name, value.idx) AS value, message, witness AS \"witness:json\","
    " fingerprint FROM finding"
    " LEFT JOIN method ON method.id = finding.method_id"
    " LEFT JOIN graph ON graph.id = finding.graph_id"
    " LEFT JOIN node ON node.id = finding.node_id"
    " LEFT JOIN value ON value.id = finding.value_id WHERE finding.id = ?1";

#define SIGNATURE(wanted)                                                              \
    "SELECT pos, signature.name, signature.kind, dtype, shape AS \"shape:json\","      \
    " device, spec, signature.target, planned AS \"planned:bool\" FROM signature"      \
    " LEFT JOIN value ON value.id = value_id WHERE signature.graph_id ="               \
    " (SELECT id FROM graph WHERE method_id = ?1 AND path = '')"                       \
    " AND direction = '" wanted "' ORDER BY pos"

const struct dg_object dg_objects[] = {
    {"node",
     "SELECT id FROM node WHERE name = ?1 ORDER BY id",
     node_sql,
     {{"operands", operands_sql},
      {"inputs",
       "SELECT edge.pos, " NEIGHBOUR " FROM edge"
       " JOIN node ON node.id = src" NEIGHBOUR_FACTS " WHERE dst = ?1 ORDER BY pos"},
      {"users",
       "SELECT " NEIGHBOUR " FROM edge JOIN node ON node.id = dst" NEIGHBOUR_FACTS
       " WHERE src = ?1 GROUP BY dst ORDER BY dst"},
      {"stack", "SELECT file, line, function, code FROM frame WHERE trace_id ="
                " (SELECT trace_id FROM node WHERE id = ?1) ORDER BY pos"}}},
    {"value",
     "SELECT id FROM value WHERE name = ?1 ORDER BY id",
     value_sql,
     {{"used_by",
       "SELECT node.idx AS \"index\", node.name, access, op.name AS op FROM operand"
       " JOIN node ON node.id = node_id LEFT JOIN op ON op.id = node.op_id"
       " WHERE operand.value_id = ?1 ORDER BY node.id, pos"},
      {"made_by", "SELECT name, kind FROM node WHERE value_id = ?1 ORDER BY id"},
      {"signature",
       "SELECT direction, pos, name, spec, target FROM signature WHERE value_id = ?1"
       " ORDER BY direction, pos"}}},
    {"delegate",
     "SELECT id FROM delegate WHERE name = ?1 OR backend = ?1"
     " OR 'delegate_' || idx = ?1 ORDER BY id",
     delegate_sql,
     {{"compile_specs", "SELECT key, value FROM compile_spec WHERE delegate_id = ?1"
                        " ORDER BY pos"},
      {"nodes", "SELECT method.name AS method, node.name, node.kind FROM node"
                " JOIN graph ON graph.id = node.graph_id"
                " JOIN method ON method.id = graph.method_id WHERE delegate_id = ?1 "
                "ORDER BY node.id"},
      {"inside",
       "SELECT n.name, n.op, v.datatype, v.shape AS \"shape:json\" FROM delegate"
       " JOIN delegate_node AS n ON n.graph_id = inside_id LEFT JOIN delegate_value AS "
       "v"
       "  ON v.id = (SELECT value_id FROM delegate_operand WHERE node_id = n.id"
       "   AND access = 'write' ORDER BY pos LIMIT 1)"
       " WHERE delegate.id = ?1 ORDER BY n.id"}}},
    {"delegate_node",
     find_inside_sql,
     inside_sql,
     {{"operands", inside_operands_sql},
      {"users", "SELECT DISTINCT d.name, d.op FROM delegate_value AS v"
                " JOIN delegate_operand AS o ON o.value_id = v.id AND access = 'read'"
                " JOIN delegate_node AS d ON d.id = o.node_id WHERE v.node_id = ?1"
                " ORDER BY d.id"},
      {"called_by",
       "SELECT method.name AS method, node.name, node.kind FROM delegate_node AS n"
       " JOIN delegate ON inside_id = n.graph_id"
       " JOIN node ON node.delegate_id = delegate.id"
       " JOIN graph ON graph.id = node.graph_id"
       " JOIN method ON method.id = graph.method_id WHERE n.id = ?1 ORDER BY "
       "node.id"}}},
    {"op",
     "SELECT id FROM op WHERE name = ?1",
     "SELECT id, name, namespace, args, returns, flags & 1 <> 0 AS \"core:bool\","
     " flags & 2 <> 0 AS \"view:bool\", flags & 16 <> 0 AS \"portable:bool\","
     " flags & 32 <> 0 AS \"mutates:bool\" FROM op WHERE id = ?1",
     {{"calls",
       "SELECT " PLACE ", node.name FROM node JOIN graph ON graph.id = graph_id"
       " JOIN method ON method.id = method_id WHERE op_id = ?1 ORDER BY node.id"}}},
    {"library",
     "SELECT id FROM library WHERE name = ?1 OR soname = ?1"
     " OR name GLOB '*/*' AND substr(name, -length(?1) - 1) = '/' || ?1 ORDER BY id",
     "SELECT id, name, format, machine, soname, build_id, file_offset, nbytes, "
     DG_SQL_NEEDS("library.id") " AS \"needs:json\", " DG_SQL_GLIBC("library.id")
     " AS glibc, constants_bytes, weights_bytes, weights, meta AS \"meta:json\""
     " FROM library WHERE id = ?1",
     {{"symbols_of_the_runtime", "SELECT name FROM library_symbol AS s WHERE library_id"
                                 " = ?1 AND " DG_SQL_IS_SHIM("s") " ORDER BY name"},
      {"versions_needed", "SELECT file, name, nullif(weak, 0) AS weak FROM library_version"
                          " WHERE library_id = ?1 ORDER BY pos"},
      {"constants", "SELECT name, fqn, dtype, shape AS \"shape:json\", nbytes"
                    " FROM library_constant WHERE library_id = ?1 ORDER BY idx"},
      {"gpu_code",
       "SELECT code.name AS code, code.format, target, ptx, kernel.name AS kernel,"
       " registers, shared_bytes, stack_bytes FROM gpu_code AS code"
       " LEFT JOIN gpu_kernel AS kernel ON code_id = code.id WHERE library_id = ?1"
       " ORDER BY code.id, kernel.pos"}}},
    {"gpu_code",
     "SELECT id FROM gpu_code WHERE name = ?1 ORDER BY id",
     "SELECT gpu_code.id, library.name AS library, gpu_code.name, gpu_code.format,"
     " target, ptx, gpu_code.file_offset, gpu_code.nbytes,"
     " compressed AS \"compressed:bool\" FROM gpu_code LEFT JOIN library"
     " ON library.id = library_id WHERE gpu_code.id = ?1",
     {{"kernels", "SELECT name, registers, shared_bytes, stack_bytes FROM gpu_kernel"
                  " WHERE code_id = ?1 ORDER BY pos"}}},
    {"segment",
     "SELECT id FROM segment WHERE name = ?1 UNION SELECT s.id FROM named_data AS n"
     " JOIN segment AS s ON s.artifact_id = n.artifact_id AND s.idx = segment_idx"
     " WHERE key = ?1 ORDER BY 1",
     "SELECT id, idx AS \"index\", name, kind, offset, file_offset, size_bytes,"
     " stored_bytes, sha256, xxh3 FROM segment WHERE id = ?1",
     {{"constants",
       "SELECT fqn, kind, dtype, shape AS \"shape:json\", file_offset, nbytes"
       " FROM constant WHERE segment_id = ?1 ORDER BY id"},
      {"keys", "SELECT key, n.size_bytes, dtype, shape AS \"shape:json\" FROM segment"
               " JOIN named_data AS n ON n.artifact_id = segment.artifact_id"
               "  AND segment_idx = segment.idx WHERE segment.id = ?1 ORDER BY n.idx"},
      {"read_by", read_by_sql}}},
    {"constant",
     "SELECT id FROM constant WHERE fqn = ?1 ORDER BY id",
     constant_sql,
     {{0}}},
    {"module",
     "SELECT id FROM module WHERE fqn = ?1 AND fqn <> '' ORDER BY id",
     "SELECT id, fqn AS name, type FROM module WHERE id = ?1",
     {{"nodes",
       "SELECT " PLACE ", node.name, node.kind, op.name AS target FROM node"
       " JOIN graph ON graph.id = graph_id"
       " JOIN method ON method.id = method_id"
       " LEFT JOIN op ON op.id = op_id WHERE module_id = ?1 ORDER BY node.id"}}},
    {"method",
     "SELECT id FROM method WHERE name = ?1 ORDER BY id",
     "SELECT id, idx AS \"index\", name, ir, in_spec, out_spec FROM method"
     " WHERE id = ?1",
     {{"inputs", SIGNATURE("input")}, {"outputs", SIGNATURE("output")}}},
    {"finding",
     "SELECT id FROM finding WHERE rule = ?1 OR fingerprint = ?1 ORDER BY id",
     finding_sql,
     {{0}}},
    {0},
};

const char dg_object_names[] =
    "SELECT DISTINCT name FROM (SELECT name FROM node UNION ALL SELECT name FROM op"
    " UNION ALL SELECT name FROM value UNION ALL SELECT backend FROM delegate"
    " UNION ALL SELECT name FROM delegate_node"
    " UNION ALL SELECT name FROM library UNION ALL SELECT name FROM gpu_code"
    " UNION ALL SELECT name FROM delegate UNION ALL SELECT name FROM segment"
    " UNION ALL SELECT key FROM named_data UNION ALL SELECT fqn FROM constant"
    " UNION ALL SELECT name FROM method"
    " UNION ALL SELECT fqn FROM module UNION ALL SELECT rule FROM finding) WHERE name "
    "IS NOT NULL LIMIT 200000";
