/* Whole methods: their names, what they return, what they say of others. */
#include "verifiers/plan_parts.h"

const char dg_query_container_meta[] =
    "SELECT id AS method, printf('%s has no %s', name, CASE"
    "   WHEN in_spec IS NOT NULL THEN 'encoded_out_str'"
    "   WHEN out_spec IS NOT NULL THEN 'encoded_inp_str'"
    "   ELSE 'container_meta_type, or an empty one' END) AS message"
    "  FROM method WHERE ir = 'pte' AND (in_spec IS NULL OR out_spec IS NULL)"
    " ORDER BY id";

/* The reader tells of methods that have none at all. */
const char dg_query_method_name[] =
    "SELECT id AS method, printf('the name of method %lld is empty', idx) AS message"
    "  FROM method WHERE ir = 'pte' AND name = '' AND NOT EXISTS (SELECT 1 FROM remark"
    "   WHERE remark.method_id = method.id AND rule = 'plan/name') ORDER BY id";

const char dg_query_method_unique[] =
    "SELECT max(id) AS method, printf('%lld methods are named %s, numbers %s',"
    "   count(*), name, group_concat(idx, ', ')) AS message"
    "  FROM method WHERE ir = 'pte' GROUP BY artifact_id, name HAVING count(*) > 1"
    " ORDER BY 1";

/* torch.export.save names its only program "model"; lowering makes "forward" of it. */
const char dg_query_method_set[] =
    "WITH had AS MATERIALIZED (SELECT artifact_id, count(*) AS n, max(name) AS one,"
    "   group_concat(name, ', ') AS names FROM method GROUP BY artifact_id)"
    "SELECT artifact.id AS artifact, printf('there is no method %s; the file has %s',"
    "   setting.value, coalesce(names, 'none')) AS message"
    "  FROM setting CROSS JOIN artifact LEFT JOIN had ON artifact_id = artifact.id"
    " WHERE setting.name = 'method' AND artifact.companion_of IS NULL"
    "   AND artifact.kind IN ('pte', 'pt2')"
    "   AND NOT EXISTS (SELECT 1 FROM method WHERE method.artifact_id = artifact.id"
    "     AND method.name = setting.value)"
    "   AND NOT (artifact.kind = 'pt2' AND n = 1 AND one = 'model'"
    "     AND setting.value = 'forward') ORDER BY artifact.id, setting.rowid";

/* Methods that only give what the file says. */
#define GETTERS                                                                        \
    "getter AS MATERIALIZED (SELECT method.*, g.id AS graph_id FROM method"            \
    "  JOIN \"graph\" AS g ON g.method_id = method.id WHERE ir = 'pte'"                \
    "   AND NOT EXISTS (SELECT 1 FROM node WHERE node.graph_id = g.id)"                \
    "   AND NOT EXISTS (SELECT 1 FROM signature WHERE signature.graph_id = g.id"       \
    "     AND direction = 'input'))"

const char dg_query_value_getter[] =
    "WITH " GETTERS ", made AS (SELECT getter.id, getter.name,"
    "   (SELECT count(*) FROM signature WHERE signature.graph_id = getter.graph_id)"
    "    AS gives,"
    "   (SELECT total(size_bytes) FROM arena WHERE method_id = getter.id)"
    "    AS bytes FROM getter)"
    "SELECT id AS method, printf('%s has no instructions; it gives %lld values and"
    " plans %lld bytes', name, gives, bytes) AS message FROM made"
    " WHERE (gives <> 1 OR bytes <> 0) AND name NOT GLOB '__et_training_*' ORDER BY id";

/* Programs whose sequence may be as long as n are often exported for n - 1. What a
 * delegate keeps to itself does not show. */
const char dg_query_metadata[] =
    "WITH " GETTERS ","
    "said AS MATERIALIZED (SELECT getter.id, artifact_id, getter.name, literal"
    "  FROM getter JOIN signature USING (graph_id) WHERE typeof(literal) = 'integer'"
    "   AND getter.name IN ('get_max_seq_len', 'get_max_seq_length',"
    "    'get_max_context_len', 'get_vocab_size', 'get_max_batch_size')),"
    "shapes AS MATERIALIZED (SELECT DISTINCT artifact_id, shape FROM"
    "   (SELECT DISTINCT artifact_id FROM said) CROSS JOIN method USING (artifact_id)"
    "   CROSS JOIN \"graph\" AS g ON g.method_id = method.id"
    "   CROSS JOIN value ON value.graph_id = g.id WHERE shape IS NOT NULL),"
    "sizes AS MATERIALIZED (SELECT DISTINCT artifact_id, j.value AS size"
    "  FROM shapes, json_each(shape) AS j)"
    "SELECT id AS method, printf('%s says %lld, but no tensor of the other methods has"
    " that size in any dimension', name, literal) AS message FROM said"
    " WHERE literal > 1 AND EXISTS (SELECT 1 FROM sizes"
    "   WHERE sizes.artifact_id = said.artifact_id)"
    "  AND NOT EXISTS (SELECT 1 FROM sizes WHERE sizes.artifact_id = said.artifact_id"
    "   AND size BETWEEN literal - 1 AND literal + 1)"
    "  AND NOT EXISTS (SELECT 1 FROM delegate JOIN method AS other"
    "   ON other.id = delegate.method_id WHERE other.artifact_id = said.artifact_id)"
    " ORDER BY id";

/* Of ATen programs only where they are about to be lowered. */
const char dg_query_returns[] =
    "SELECT g.id AS \"graph\", printf('output %lld is a %s%s', pos, signature.kind,"
    "   iif(literal IS NULL, '', ', ' || quote(literal))) AS message"
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id AND g.kind = 'method'"
    "  JOIN signature ON signature.graph_id = g.id AND direction = 'output'"
    " WHERE (ir = 'edge' OR ir = 'aten' AND EXISTS (SELECT 1 FROM setting"
    "    WHERE name = 'for')) AND signature.kind IN ('string', 'custom_obj', 'complex')"
    " ORDER BY g.id, pos";
