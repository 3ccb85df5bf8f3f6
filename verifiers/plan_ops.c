/* Instructions of methods, and the operators that they call. */
#include "verifiers/plan_parts.h"

#include "verifiers/sql.h"
#include "verifiers/verifier.h"

/* clang-format off */

const char dg_query_instruction_kind[] =
    "SELECT node.id AS node, iif(type BETWEEN 1 AND 5,"
    "   printf('instruction %lld, of type %lld, has no content', idx, type),"
    "   printf('instruction %lld is of type %lld; 1 to 5 are known', idx, type))"
    "   AS message"
    "  FROM (SELECT *, json_extract(meta, '$.instr_args_type') AS type FROM node"
    "   WHERE kind = 'unknown' AND " DG_RARE("node") ") AS node"
    " ORDER BY node.id";

const char dg_query_op_index[] =
    "WITH lost AS MATERIALIZED (SELECT node.id, method_id, op_index FROM node"
    "  CROSS JOIN \"graph\" AS g ON g.id = graph_id"
    "  WHERE node.kind = 'kernel_call' AND op_id IS NULL),"
    "size AS MATERIALIZED (SELECT method_id, count(*) AS n FROM plan_operator"
    "  GROUP BY method_id)"
    "SELECT id AS node, printf('calls operator %lld; the method lists %lld',"
    "   op_index, coalesce(n, 0)) AS message"
    "  FROM lost LEFT JOIN size USING (method_id)"
    " WHERE op_index NOT BETWEEN 0 AND coalesce(n, 0) - 1 ORDER BY id";

const char dg_query_op_name[] =
    "WITH bad AS MATERIALIZED (SELECT method_id, idx, op.name FROM plan_operator"
    "  LEFT JOIN op ON op.id = op_id WHERE op.name IS NULL OR op.name = ''"
    "   OR op.name GLOB '.*' OR length(op.name) >= 100)"
    "SELECT min(node.id) AS node, iif(length(bad.name) >= 100,"
    "   printf('the name of operator %lld, %.40s..., has %lld characters; the runtime"
    " keeps 99', bad.idx, bad.name, length(bad.name)),"
    "   printf('operator %lld has no name; %lld %s', bad.idx, count(*),"
    "    iif(count(*) = 1, 'call', 'calls'))) AS message" DG_CALLS_OF_BAD;

const char dg_query_op_available[] =
    "WITH has AS MATERIALIZED (SELECT DISTINCT " DG_PLAIN_OP("value") " AS name FROM setting"
    "  WHERE name = 'op'),"
    "bad AS MATERIALIZED (SELECT method_id, idx, op.name FROM plan_operator"
    "  JOIN op ON op.id = op_id WHERE " DG_PLAIN_OP("op.name")
    "   NOT IN (SELECT name FROM has))"
    "SELECT min(node.id) AS node, printf('%s is not in --ops, which lists %s; %lld %s',"
    "   bad.name, (SELECT iif(count(*) > 3, count(*) || ' operators',"
    "    group_concat(name, ', ')) FROM (SELECT name FROM has ORDER BY name)), count(*),"
    "   iif(count(*) = 1, 'call', 'calls')) AS message" DG_CALLS_OF_BAD;

/* Operators that train if an argument says so, and where that argument stands. */
#define SWITCHES                                                                       \
    "(VALUES ('aten::dropout', 2), ('aten::dropout_', 2),"                             \
    " ('aten::native_dropout', 2), ('aten::alpha_dropout', 2),"                        \
    " ('aten::feature_dropout', 2), ('aten::batch_norm', 5),"                          \
    " ('aten::native_batch_norm', 5), ('aten::_native_batch_norm_legit', 5),"          \
    " ('aten::_native_batch_norm_legit_functional', 5), ('aten::rrelu', 3))"

/* Operators with a switch (`at`), and gradients of others. InstanceNorm is a batch norm
 * without statistics, which is right in inference. */
#define TRAINING                                                                       \
    "training AS MATERIALIZED (SELECT op.id, op.name, column2 AS at FROM op"           \
    "  JOIN " SWITCHES " ON op.name IN (column1, column1 || '.default',"               \
    "   column1 || '.out')"                                                            \
    " UNION ALL SELECT id, name, NULL FROM op WHERE namespace = 'aten'"                \
    "   AND (name GLOB '*_backward' OR name GLOB '*_backward.*')),"                    \
    "trained AS MATERIALIZED (SELECT artifact_id FROM method"                          \
    "  WHERE name GLOB '__et_training_*'"                                              \
    " UNION SELECT artifact_id FROM signature JOIN \"graph\" AS g ON g.id = graph_id"  \
    "  JOIN method ON method.id = g.method_id WHERE spec IN ('gradient_to_parameter'," \
    "   'gradient_to_user_input', 'loss_output'))"

const char dg_query_op_training[] =
    "WITH " TRAINING
    "SELECT min(node.id) AS node, printf('%s %s; %lld %s', training.name,"
    "   iif(at IS NULL, 'computes gradients', 'is told to train'), count(*),"
    "   iif(count(*) = 1, 'call', 'calls')) AS message"
    "  FROM (SELECT 1 FROM training LIMIT 1) CROSS JOIN node"
    "  CROSS JOIN training ON training.id = node.op_id"
    "  CROSS JOIN \"graph\" AS g ON g.id = node.graph_id"
    "  CROSS JOIN method ON method.id = g.method_id"
    "   AND artifact_id NOT IN (SELECT artifact_id FROM trained)"
    " WHERE at IS NULL"
    "  OR ir = 'pte' AND EXISTS (SELECT 1 FROM operand JOIN value ON value.id = "
    "value_id"
    "    WHERE node_id = node.id AND pos = at AND value.scalar = 1)"
    "  OR ir <> 'pte' AND json_valid(node.args) AND EXISTS (SELECT 1"
    "    FROM json_each(node.args) AS j WHERE json_extract(j.value, '$.bool') = 1"
    "     AND (json_extract(j.value, '$.name') IN ('train', 'training')"
    "      OR j.key = at AND json_extract(j.value, '$.name') = ''))"
    " GROUP BY g.id, training.id ORDER BY 1";

/* clang-format on */
