/* Operators that a backend keeps whole, in branches that its partitioner leaves alone.
 */
#include "verifiers/partition_parts.h"

/* clang-format off */

/* ops_to_not_decompose() of executorch 1.5.1, where the partitioner takes calls of the
 * method's own graph alone. Who keeps only what it can take has a filter: types, weights
 * that are parameters, and by operator. */
#define PRESERVED                                                                      \
    "preserved (backend, op, filtered) AS (VALUES"                                     \
    "  ('XnnpackBackend', 'aten::linear', 1), ('XnnpackBackend', 'aten::prelu', 1),"   \
    "  ('XnnpackBackend', 'aten::hardswish', 1),"                                      \
    "  ('XnnpackBackend', 'aten::max_pool2d', 1),"                                     \
    "  ('XnnpackBackend', 'aten::upsample_bilinear2d.vec', 1),"                        \
    "  ('VulkanBackend', 'aten::hardswish', 0),"                                       \
    "  ('VulkanBackend', 'aten::pixel_shuffle', 0),"                                   \
    "  ('VulkanBackend', 'aten::upsample_nearest2d.vec', 0)),"

/* Backends of the newest plan, and those of --backends. */
#define ASKED                                                                          \
    "asked (artifact, backend) AS (SELECT artifact_id, backend FROM partition"         \
    "   JOIN part_run ON part_run.id = part_run_id"                                    \
    "    AND part_run_id IN " DG_NEWEST_PLANS                                          \
    "  UNION SELECT artifact.id, value FROM setting JOIN artifact"                     \
    "   WHERE setting.name = 'backend'),"                                              \
    "tagged (node) AS MATERIALIZED (SELECT node_id FROM partition_node"                \
    "   JOIN partition ON partition.id = partition_id"                                 \
    "    AND part_run_id IN " DG_NEWEST_PLANS "),"

/* Branches that go to a delegate with the call that runs them, and what is in them. */
#define TAKEN                                                                          \
    "taken (method, path) AS (SELECT g.method_id, iif(g.path = '', '', g.path || '.')" \
    "    || attr.target FROM tagged JOIN node AS attr ON attr.id = tagged.node"        \
    "    AND attr.kind = 'get_attr' JOIN \"graph\" AS g ON g.id = attr.graph_id),"

#define BRANCHES                                                                       \
    "branch (graph, method, artifact) AS (SELECT g.id, g.method_id, m.artifact_id"     \
    "   FROM \"graph\" AS g JOIN method AS m ON m.id = g.method_id AND m.ir = 'aten'"  \
    "  WHERE g.kind = 'branch' AND NOT EXISTS (SELECT 1 FROM taken"                    \
    "   WHERE taken.method = g.method_id AND (g.path = taken.path"                     \
    "    OR substr(g.path, 1, length(taken.path) + 1) = taken.path || '.'))),"

/* Placeholders that have the name of a weight: a filter takes them for one. */
#define STATIC                                                                         \
    "(SELECT 1 FROM node AS w JOIN \"graph\" AS top ON top.method_id = branch.method"  \
    "   AND top.kind = 'method' JOIN signature AS s ON s.graph_id = top.id"            \
    "   AND s.direction = 'input' AND s.name = w.name AND s.spec IN ('parameter',"     \
    "    'buffer', 'constant_tensor')"                                                 \
    "  WHERE w.id = edge.src AND w.kind = 'placeholder')"

#define FILTER                                                                         \
    "v.dtype IN ('f32', 'f16') AND v.shape NOT LIKE '%\"%'"                            \
    " AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.dst = n.id AND edge.pos > 0"       \
    "  AND NOT EXISTS " STATIC ")"                                                     \
    " AND NOT EXISTS (SELECT 1 FROM edge JOIN node AS x ON x.id = edge.src"            \
    "   JOIN op AS made ON made.id = x.op_id WHERE edge.dst = n.id"                    \
    "    AND made.name LIKE '%dequantize%')"                                           \
    " AND NOT (preserved.op = 'aten::max_pool2d' AND EXISTS (SELECT 1 FROM"            \
    "   json_each(n.args, '$[2].ints') AS stride JOIN json_each(n.args, '$[1].ints')"  \
    "    AS kernel ON kernel.key = stride.key WHERE stride.value > kernel.value))"

const char dg_query_preserved_op[] =
    "WITH " PRESERVED ASKED TAKEN BRANCHES
    "call AS (SELECT n.id, n.name, op.name AS op, asked.backend, branch.method"
    "  FROM asked JOIN preserved ON preserved.backend = asked.backend JOIN op"
    "    ON op.name = preserved.op OR op.name = preserved.op || '.default'"
    "  JOIN node AS n ON n.op_id = op.id JOIN branch ON branch.graph = n.graph_id"
    "   AND branch.artifact = asked.artifact LEFT JOIN value AS v ON v.id = n.value_id"
    " WHERE n.id NOT IN (SELECT node FROM tagged) AND (NOT filtered OR (" FILTER ")))"
    "SELECT min(id) AS node, printf('%s keeps %s from being decomposed, and takes"
    " nothing in a branch: %s', backend, op, iif(count(*) = 1, '1 call is there',"
    "   count(*) || ' calls are there')) AS message"
    "  FROM call GROUP BY method, op, backend ORDER BY 1";

/* clang-format on */
