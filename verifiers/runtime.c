/* What a runtime of an older release does not know. */
#include "verifiers/sql.h"
#include "verifiers/verifier.h"

/* clang-format off */

/* The release that was told. */
#define TOLD                                                                           \
    "told AS MATERIALIZED (SELECT value AS release FROM setting"                       \
    "  WHERE name = 'runtime' ORDER BY rowid DESC LIMIT 1)"

/* What came after it, or by then: (name, since), of that kind. */
#define LATER(kind) TOLD ", later AS " SINCE("later-" kind)
#define SINCE(setting)                                                                 \
    "MATERIALIZED (SELECT substr(value, instr(value, ' ') + 1) AS name,"               \
    "   substr(value, 1, instr(value, ' ') - 1) AS since FROM setting"                 \
    "  WHERE name = '" setting "')"

static const char operator_query[] =
    "WITH " LATER("operator") ","
    "bad AS MATERIALIZED (SELECT method_id, idx, op.name, since FROM plan_operator"
    "  JOIN op ON op.id = op_id JOIN later ON " DG_PLAIN_OP("op.name") " = "
    DG_PLAIN_OP("later.name") ")"
    "SELECT min(node.id) AS node, printf('%s came with release %s, and the runtime is"
    " %s; %lld %s', bad.name, since, (SELECT release FROM told), count(*),"
    "   iif(count(*) = 1, 'call', 'calls')) AS message" DG_CALLS_OF_BAD;

/* Delegates of a method by backend. Whoever lists the backends of a runtime (--backends)
 * knows better than the release. */
#define BACKENDS                                                                       \
    " FROM delegate AS d JOIN method ON method.id = d.method_id"                       \
    "  JOIN artifact ON artifact.id = artifact_id AND companion_of IS NULL"

#define COUNTED                                                                        \
    " iif(count(*) = 1, printf('delegate_%lld is', min(d.idx)), printf('%lld delegates"\
    " are', count(*)))"

static const char backend_query[] =
    "WITH " LATER("backend")
    "SELECT d.method_id AS method, printf('%s of %s, which came with release %s, and the"
    " runtime is %s'," COUNTED ", backend, since, (SELECT release FROM told)) AS message"
    BACKENDS " JOIN later ON later.name = backend"
    " WHERE backend NOT IN (SELECT value FROM setting WHERE name = 'backend')"
    " GROUP BY d.method_id, backend ORDER BY min(d.id)";

static const char unknown_query[] =
    "WITH " LATER("backend") ","
    "had AS " SINCE("earlier-backend") ","
    "known AS (SELECT name FROM had UNION SELECT value FROM setting WHERE name = 'backend')"
    "SELECT d.method_id AS method, printf('%s of %s: %s',"  COUNTED ", backend,"
    "   iif(backend IN (SELECT name FROM known), printf('whether release %s knows all that"
    " %s is not known here', release, iif(count(*) = 1, 'it holds', 'they hold')),"
    "    printf('whether release %s has that backend is not known here', release)))"
    "   AS message"
    BACKENDS " JOIN told LEFT JOIN delegate_graph AS g ON g.id = inside_id"
    " WHERE backend <> '' AND g.format IS NOT 'xnnpack'"
    "  AND (backend IN (SELECT name FROM known) OR backend NOT IN (SELECT name FROM later))"
    " GROUP BY d.method_id, backend ORDER BY min(d.id)";

static const char node_query[] =
    "WITH " LATER("node")
    "SELECT g.method_id AS method, printf('%s: %s%s: the kind came with release %s, and"
    " the runtime is %s', g.path, n.name, iif(count(*) > 1, printf(' and %lld more',"
    "   count(*) - 1), ''), since, (SELECT release FROM told)) AS message,"
    "   json_array(n.name) AS witness, min(n.id)"
    "  FROM (SELECT 1 FROM later LIMIT 1) CROSS JOIN delegate_node AS n"
    "  JOIN delegate_graph AS g ON g.id = n.graph_id AND g.format = 'xnnpack'"
    "  JOIN later ON later.name = n.op"
    " GROUP BY g.id, n.op ORDER BY min(n.id)";

static const char datatype_query[] =
    "WITH " LATER("datatype")
    "SELECT g.method_id AS method, printf('%s: value %lld%s: %s came with release %s,"
    " and the runtime is %s', g.path, min(v.idx), iif(count(*) > 1,"
    "   printf(' and %lld more', count(*) - 1), ''), v.datatype, since,"
    "   (SELECT release FROM told)) AS message"
    "  FROM (SELECT 1 FROM later LIMIT 1) CROSS JOIN delegate_value AS v"
    "  JOIN delegate_graph AS g ON g.id = v.graph_id AND g.format = 'xnnpack'"
    "  JOIN later ON later.name = v.datatype"
    " GROUP BY g.id, v.datatype ORDER BY min(v.id)";

/* The delegate of a group of rows, or how many. */
#define DELEGATES                                                                      \
    " iif(count(DISTINCT g.id) = 1, min(g.path), count(DISTINCT g.id) || ' delegates')"

/* Readers of FlatBuffers pass over fields that they do not know: each row is a field, the
 * method that needs it, and what it holds. */
static const char field_query[] =
    "WITH " LATER("field") ","
    "used AS (SELECT 'named_key' AS field, g.method_id, printf('%lld %s of"
    " %s by key', count(*), iif(count(*) = 1, 'constant', 'constants')," DELEGATES ") AS what"
    "   FROM delegate_graph AS g JOIN delegate_constant AS c ON c.graph_id = g.id"
    "   WHERE g.format = 'xnnpack' AND c.key IS NOT NULL GROUP BY g.method_id"
    " UNION ALL SELECT 'scale_buffer_idx', g.method_id, printf('scales of %lld"
    " %s beside the graph of %s', count(*), iif(count(*) = 1, 'value', 'values'),"
    DELEGATES ")"
    "   FROM delegate_graph AS g JOIN delegate_value AS v ON v.graph_id = g.id"
    "   WHERE g.format = 'xnnpack' AND json_extract(v.quantization, '$.scale_constant')"
    "    IS NOT NULL GROUP BY g.method_id"
    " UNION ALL SELECT 'named_data', delegate.method_id, printf('%lld %s of delegates by key',"
    "   count(DISTINCT key), iif(count(DISTINCT key) = 1, 'entry', 'entries'))"
    "   FROM delegate_key JOIN delegate ON delegate.id = delegate_id"
    "   LEFT JOIN delegate_graph AS g ON g.id = inside_id"
    "   WHERE g.format IS NOT 'xnnpack' GROUP BY delegate.method_id"
    " UNION ALL SELECT 'mutable_data_segments', g.method_id, printf('initial states of"
    " %lld %s', count(*), iif(count(*) = 1, 'tensor', 'tensors'))"
    "   FROM value JOIN \"graph\" AS g ON g.id = value.graph_id"
    "   WHERE storage = 'mutable' GROUP BY g.method_id"
    " UNION ALL SELECT 'tensor_layout', g.method_id, printf('%lld %s in a data file',"
    "   count(*), iif(count(*) = 1, 'tensor', 'tensors'))"
    "   FROM value JOIN \"graph\" AS g ON g.id = value.graph_id"
    "   WHERE storage = 'external' GROUP BY g.method_id"
    " UNION ALL SELECT 'non_const_buffer_device', method_id, printf('%lld %s on %s',"
    "   count(*), iif(count(*) = 1, 'arena', 'arenas'), min(device))"
    "   FROM arena WHERE device <> 'cpu' GROUP BY method_id)"
    "SELECT method_id AS method, printf('%s (%s) came with release %s, and the runtime"
    " is %s', what, field, since, (SELECT release FROM told)) AS message"
    "  FROM later JOIN used ON used.field = later.name ORDER BY method_id, field";

/* clang-format on */

#define NO_RUNTIME                                                                     \
    "SELECT 'no release is given (--runtime RELEASE)' WHERE NOT EXISTS"                \
    " (SELECT 1 FROM setting WHERE name = 'runtime')"

static const struct dg_rule rules[] = {
    {
        .name = "operator",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no operator is called whose kernel came with a later release than"
                     " the runtime's",
        .reason = "it refuses the method: \"Missing operator\"",
        .fix =
            "update the runtime, link a kernel of your own, or decompose the operator"
            " before lowering",
        .example = "aten::topk.values came with release 0.4, and the runtime is 0.3",
        .level = "pte",
        .query = operator_query,
        .not_checked = NO_RUNTIME,
    },
    {
        .name = "backend",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "no delegate is of a backend that came with a later release than the"
            " runtime's",
        .reason = "it refuses the method: \"Backend MLXBackend is not registered.\"",
        .fix =
            "update the runtime or lower for another backend; one that was added to the"
            " runtime is told by --backends",
        .example = "delegate_0 is of MLXBackend, which came with release 1.3, and the"
                   " runtime is 0.7",
        .level = "pte",
        .query = backend_query,
        .not_checked = NO_RUNTIME,
        .about = DG_ABOUT_DELEGATE,
    },
    {
        .name = "backend-unknown",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "each delegate can be held to the release: it is XNNPACK's",
        .reason = "the program may not load or run, although no rule finds anything",
        .fix = "run it once in that runtime",
        .example =
            "delegate_0 is of TOSABackend: whether release 0.2 has that backend is"
            " not known here",
        .level = "pte",
        .query = unknown_query,
        .not_checked = NO_RUNTIME,
        .about = DG_ABOUT_DELEGATE,
    },
    {
        .name = "delegate-node",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "no node inside of an XNNPACK delegate is of a kind that came with a"
            " later release than the runtime's",
        .reason = "the delegate refuses the blob, and the method does not load",
        .fix = "update the runtime, or keep the operator out of the partition",
        .example =
            "delegate_0: Tanh_2: the kind came with release 0.7, and the runtime is"
            " 0.6",
        .level = "pte",
        .query = node_query,
        .not_checked = NO_RUNTIME,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "delegate-datatype",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no value inside of an XNNPACK delegate is of a datatype that came"
                     " with a later release than the runtime's",
        .reason = "the delegate refuses the blob, and the method does not load",
        .fix = "update the runtime, or lower from a type that it knows",
        .example = "delegate_0: value 3: bf16 came with release 0.7, and the runtime is"
                   " 0.6",
        .level = "pte",
        .query = datatype_query,
        .not_checked = NO_RUNTIME,
        .about = DG_ABOUT_INSIDE,
    },
    {
        .name = "field",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "nothing that the program needs stands in a field that came with a"
                     " later release than the runtime's",
        .reason = "an older runtime passes over the field: it refuses the program, or"
                  " computes without what stands there",
        .fix = "update the runtime, or lower with the release of the runtime",
        .example =
            "4 constants of delegate_0 by key (named_key) came with release 0.6, and"
            " the runtime is 0.5",
        .level = "pte",
        .query = field_query,
        .not_checked = NO_RUNTIME,
    },
    {0},
};

const struct dg_verifier dg_verifier_runtime = {"runtime", rules, DG_ABOUT_PROGRAM};
