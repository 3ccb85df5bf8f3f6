/* What delegates of the CUDA and Metal backends are told, and what passes through them.
 */
#include "verifiers/cuda_parts.h"

/* clang-format off */

/* With keys in its blob, a delegate needs its method's name for messages only; so does
 * one whose keys have no name in front. */
#define FINDS_ITS_CODE                                                                 \
    "(coalesce(d.blob_bytes, 1) > 0 OR EXISTS (SELECT 1 FROM named_data AS data"                    \
    "   WHERE data.key = 'so_blob' AND data.artifact_id IN (SELECT id FROM artifact"   \
    "    WHERE id = m.artifact_id OR companion_of = m.artifact_id)))"

const char dg_query_method_name_missing[] =
    "SELECT d.method_id AS method, NULL AS \"graph\","
    "   iif(" FINDS_ITS_CODE ", 'warning', 'error') AS severity,"
    "   printf('delegate %lld (%s) has no compile spec method_name%s', d.idx, d.backend,"
    "    iif(" FINDS_ITS_CODE ", '', ' and no keys of its own')) AS message"
    "  FROM delegate AS d JOIN method AS m ON m.id = d.method_id"
    " WHERE d.backend IN " DG_AOTI " AND NOT EXISTS (SELECT 1 FROM compile_spec"
    "   WHERE delegate_id = d.id AND key = 'method_name')"
    " UNION ALL SELECT NULL, p.graph_id, 'warning', printf('the delegate of tag %s (%s)"
    " has no compile spec method_name', p.tag, p.backend)"
    "  FROM partition AS p JOIN part_run AS r ON r.id = p.part_run_id"
    " WHERE r.id IN " DG_NEWEST_PLANS " AND r.source = 'plan'"
    "   AND p.backend IN " DG_AOTI " AND NOT EXISTS (SELECT 1 FROM partition_spec"
    "   WHERE partition_id = p.id AND key = 'method_name') ORDER BY 1, 2";

/* exir.save calls the only method of its file "forward", whatever it was lowered as. */
const char dg_query_method_name_mismatch[] =
    "SELECT d.method_id AS method, printf('delegate %lld (%s) has method_name %s and lies"
    " in method %s', d.idx, d.backend, CAST(s.value AS TEXT), m.name) AS message"
    "  FROM delegate AS d JOIN method AS m ON m.id = d.method_id"
    "  JOIN compile_spec AS s ON s.delegate_id = d.id"
    "   AND s.pos = (SELECT max(pos) FROM compile_spec WHERE delegate_id = d.id"
    "    AND key = 'method_name')"
    " WHERE d.backend IN " DG_AOTI " AND CAST(s.value AS TEXT) <> m.name"
    "   AND (m.ir = 'pte' OR m.name <> 'forward' OR 1 < (SELECT count(*)"
    "    FROM method WHERE method.artifact_id = m.artifact_id)) ORDER BY d.id";

/* A lowered module itself is an argument, too, but no value. */
const char dg_query_cuda_io[] =
    "WITH called AS MATERIALIZED (SELECT n.id, n.kind, d.backend FROM delegate AS d"
    "   CROSS JOIN node AS n ON n.delegate_id = d.id"
    "    AND n.kind IN ('delegate_call', 'call_function')"
    "  WHERE d.backend IN " DG_AOTI ")"
    "SELECT c.id AS node, v.id AS value, printf('%s value %lld of %s is of kind %s, not a"
    " tensor', iif(o.access = 'write', 'output', 'input'), v.idx, c.backend, v.kind)"
    " AS message FROM called AS c JOIN operand AS o ON o.node_id = c.id"
    "  JOIN value AS v ON v.id = o.value_id"
    " WHERE c.kind = 'delegate_call' AND v.kind <> 'tensor'"
    " UNION ALL SELECT c.id, v.id, printf('input %s of %s is of kind %s, not a tensor',"
    "   v.name, c.backend, v.kind)"
    "  FROM called AS c JOIN edge AS e ON e.dst = c.id"
    "  JOIN node AS s ON s.id = e.src AND s.kind <> 'get_attr'"
    "  JOIN value AS v ON v.id = s.value_id"
    " WHERE c.kind = 'call_function' AND v.kind <> 'tensor'"
    " UNION ALL SELECT c.id, v.id, printf('output %s of %s is of kind %s, not a tensor',"
    "   v.name, c.backend, v.kind)"
    "  FROM called AS c JOIN edge AS e ON e.src = c.id"
    "  JOIN node AS s ON s.id = e.dst AND s.kind = 'call_function'"
    "  JOIN value AS v ON v.id = s.value_id"
    " WHERE c.kind = 'call_function' AND v.kind <> 'tensor' ORDER BY 1, 2";

const char dg_query_grad_mode[] =
    "WITH grad AS MATERIALIZED (SELECT n.id, n.graph_id FROM op CROSS JOIN node AS n"
    "   ON n.op_id = op.id WHERE op.name = 'higher_order::wrap_with_set_grad_enabled')"
    "SELECT grad.id AS node, printf('it lies in %s, a partition%s%s', p.tag,"
    "   iif(p.backend IS NULL, '', ' of '), coalesce(p.backend, '')) AS message"
    "  FROM grad CROSS JOIN partition_node AS member ON member.node_id = grad.id"
    "  JOIN partition AS p ON p.id = member.partition_id"
    " WHERE p.part_run_id IN " DG_NEWEST_PLANS
    "   AND (p.backend IS NULL OR p.backend IN " DG_AOTI ")"
    " UNION ALL SELECT grad.id, printf('it lies in what %s was lowered from',"
    "   coalesce(d.name, d.backend))"
    "  FROM grad JOIN delegate AS d ON d.graph_id = grad.graph_id"
    " WHERE d.backend IN " DG_AOTI " ORDER BY 1";

/* clang-format on */
