/* Control flow that the host runs, and what decides it inside of CUDA delegates. */
#include "verifiers/control_flow_parts.h"
#include "verifiers/sql.h"

/* clang-format off */

/* Calls that the host will run as far as the file and the newest plan tell: of edge
 * programs, and of ATen programs that are about to be lowered. What a delegate was
 * lowered from is not the host's. `which` chooses among the operators first, so that
 * nothing is scanned for none. */
#define HOST_CALLS(which)                                                              \
    " FROM (SELECT 1 FROM op WHERE namespace = 'higher_order' AND " which " LIMIT 1)"  \
    "  CROSS JOIN node CROSS JOIN (SELECT id, name FROM op"                            \
    "   WHERE namespace = 'higher_order' AND " which ") AS op ON op.id = node.op_id"   \
    "  CROSS JOIN \"graph\" AS g ON g.id = graph_id"                                   \
    "  CROSS JOIN method AS m ON m.id = g.method_id AND (m.ir = 'edge'"                \
    "   OR m.ir = 'aten' AND " DG_TO_BE_LOWERED ")"                                    \
    " WHERE NOT EXISTS (SELECT 1 FROM \"graph\" AS l WHERE " DG_IS_IN_LOWERED ")"      \
    "  AND NOT EXISTS (SELECT 1 FROM part_run WHERE artifact_id = m.artifact_id)"

/* Without a plan, whoever is about to lower the program runs all of it on the host. */
#define SEVERITY " iif(" DG_TO_BE_LOWERED ", 'error', 'warning') AS severity"

/* Decomposition takes away other calls of graphs that ATen programs have. */
const char dg_query_op_emittable[] =
    "SELECT node.id AS node," SEVERITY ", printf('%s is no control flow that ExecuTorch"
    " runs', op.name) AS message" HOST_CALLS(
    "name NOT IN ('higher_order::cond', 'higher_order::map_impl', 'higher_order::scan',"
    "  'higher_order::executorch_call_delegate')")
    "  AND (op.name LIKE 'higher_order::while_loop%' OR m.ir = 'edge')"
    " ORDER BY node.id";

const char dg_query_map_arity[] =
    "SELECT node.id AS node," SEVERITY ", printf('%s goes over %lld tensors', node.name,"
    "  json_array_length(args, '$[' || at || '].tensors')) AS message FROM (SELECT"
    "  node.*, iif(op.name = 'higher_order::scan', 2, 1) AS at, op.name AS op" HOST_CALLS(
    "name IN ('higher_order::map_impl', 'higher_order::scan')")
    "   AND json_valid(node.args)) AS node"
    " WHERE iif(op = 'higher_order::scan',"
    "  json_array_length(args, '$[2].tensors') = 0,"
    "  json_array_length(args, '$[1].tensors') <> 1) ORDER BY node.id";

/* The CUDA backend moves a predicate to the host if it is no part of the state dict. */
const char dg_query_predicate_device[] =
    "WITH cond AS MATERIALIZED (SELECT node.id, node.name, node.graph_id, s.name AS flag,"
    "   signature.target FROM (SELECT id FROM op WHERE name = 'higher_order::cond') AS op"
    "  CROSS JOIN node ON node.op_id = op.id"
    "  CROSS JOIN edge ON edge.dst = node.id AND edge.pos = 0"
    "  CROSS JOIN node AS s ON s.id = edge.src AND s.kind = 'placeholder'"
    "  CROSS JOIN signature ON signature.graph_id = node.graph_id"
    "   AND direction = 'input' AND signature.name = s.name AND spec = 'buffer'"
    "   AND persistent)"
    "SELECT cond.id AS node, printf('%s decides by %s, a buffer of the state dict (%s)',"
    "   name, flag, target) AS message, json_array(flag, name) AS witness FROM cond"
    " WHERE graph_id IN (SELECT graph_id FROM delegate WHERE backend = 'CudaBackend')"
    "  OR EXISTS (SELECT 1 FROM partition_node JOIN partition"
    "    ON partition.id = partition_id AND backend = 'CudaBackend'"
    "    AND part_run_id IN " DG_NEWEST_PLANS
    "    WHERE node_id = cond.id) ORDER BY cond.id";

/* clang-format on */
