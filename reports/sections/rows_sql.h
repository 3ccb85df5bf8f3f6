/* The queries of rows.c, which alone includes it. */
#ifndef DG_REPORTS_SECTIONS_ROWS_SQL_H
#define DG_REPORTS_SECTIONS_ROWS_SQL_H

#include "graph/coverage_sql.h"
#include "graph/device_sql.h"
#include "graph/lifetime.h"
#include "graph/profile_sql.h"
#include "reports/sections/amount.h"
#include "reports/sections/breaks_sql.h"

/* Weights are not a caller's: they are rows only where the method changes them. */
static const char boundary_sql[] =
    "WITH own AS (SELECT signature.*, method.name AS method, method.id AS method_id,"
    "   direction = 'output' AND spec GLOB '*mutation' AS writes,"
    "   (signature.graph_id, coalesce(signature.target, signature.name)) IN"
    "    (SELECT graph_id, target FROM signature WHERE direction = 'output'"
    "      AND spec GLOB '*mutation') AS written"
    "  FROM signature JOIN graph ON graph.id = signature.graph_id AND graph.path = ''"
    "  JOIN method ON method.id = graph.method_id WHERE method.artifact_id = ?1)"
    " SELECT method AS \"Method:code\", direction AS \"Direction:text\","
    " pos AS \"#:count\", coalesce(own.name, 'value ' || value_idx) AS \"Name:code\","
    " replace(coalesce(spec, own.kind), '_', ' ') AS \"Kind:text\","
    " coalesce(dtype, '') || coalesce(shape, CAST(literal AS TEXT), '')"
    "  AS \"Type:code\", nbytes AS \"Size:bytes\", nullif(device, 'cpu') AS"
    " \"Device:code\", CASE WHEN writes THEN 'becomes ' || target"
    "  WHEN written THEN 'written in place' END AS \"Mutation:text\""
    " FROM own LEFT JOIN value ON value.id = own.value_id"
    " WHERE spec IS NULL OR spec NOT IN ('parameter', 'buffer', 'constant_tensor')"
    "  OR written"
    " ORDER BY method_id, direction, pos";

static const char weights_sql[] =
    "SELECT method.name AS \"Method:code\", spec AS \"Kind:text\","
    " count(*) AS \"Inputs:count\", sum(nbytes) AS \"Size:bytes\""
    " FROM signature JOIN graph ON graph.id = signature.graph_id AND graph.path = ''"
    " JOIN method ON method.id = graph.method_id"
    " LEFT JOIN value ON value.id = signature.value_id"
    " WHERE method.artifact_id = ?1 AND direction = 'input'"
    "  AND spec IN ('parameter', 'buffer', 'constant_tensor')"
    " GROUP BY method.id, spec ORDER BY method.id, spec DESC";

static const char symbols_sql[] =
    "SELECT method.name AS \"Method:code\", nullif(path, '') AS \"Graph:code\","
    " symbol AS \"Symbol:code\","
    " CAST(min AS TEXT) AS \"At least:code\", CAST(max AS TEXT) AS \"At most:code\""
    " FROM range_constraint JOIN graph ON graph.id = graph_id"
    " JOIN method ON method.id = method_id WHERE method.artifact_id = ?1"
    " ORDER BY graph_id, symbol";

/* Delegated: tagged by the newest plan, in a branch of control flow that is tagged, or
 * in a graph that a delegate was made from. What a .pte calls itself is never
 * delegated. */
static const char operators_sql[] =
    "WITH called AS (SELECT op_id, sum(calls) AS calls,"
    "   sum(calls * inside) AS delegated,"
    "   iif(count(flops), " DG_SQL_SUM("flops") ", NULL) AS flops,"
    "   iif(count(bytes), " DG_SQL_SUM("bytes") ", NULL) AS bytes,"
    "   min(first) AS first FROM call_sum"
    "  WHERE op_id IS NOT NULL AND method_id IN"
    "   (SELECT id FROM method WHERE artifact_id = ?1) GROUP BY op_id)"
    " SELECT op.name AS \"Operator:code\", calls AS \"Calls:count\","
    " delegated AS \"Delegated:count\","
    " flops AS \"FLOPs:count\", called.bytes AS \"Memory traffic:bytes\","
    " CASE WHEN op.args IS NULL THEN 'unknown schema' WHEN flags & 1 THEN 'yes'"
    "  ELSE 'no' END AS \"Core ATen:text\","
    " node.name AS \"First:node\""
    " FROM called JOIN op ON op.id = called.op_id JOIN node ON node.id = first"
    " ORDER BY calls DESC, op.name";

static const char kernels_sql[] =
    "WITH called AS (SELECT op_id, count(*) AS calls FROM node WHERE +graph_id IN"
    "   (SELECT graph.id FROM graph JOIN method ON method.id = method_id"
    "     WHERE artifact_id = ?1) AND op_id IS NOT NULL GROUP BY op_id)"
    " SELECT op.name AS \"Kernel:code\","
    " iif(flags & 16, 'yes', 'no') AS \"In the portable library:text\","
    " count(DISTINCT method_id) AS \"Methods:count\","
    " coalesce(calls, 0) AS \"Calls:count\""
    " FROM plan_operator JOIN op ON op.id = plan_operator.op_id"
    " JOIN method ON method.id = method_id"
    " LEFT JOIN called ON called.op_id = op.id WHERE artifact_id = ?1"
    " GROUP BY op.id ORDER BY flags & 16 <> 0, op.name";

/* "a, b, c and 11 more" */
#define FEW(what, from, order)                                                         \
    "(SELECT group_concat(item, ', ') || iif(max(n) > 3, printf(' and %d more',"       \
    "  max(n) - 3), '') FROM (SELECT " what " AS item, count(*) OVER () AS n FROM"     \
    " " from " ORDER BY " order " LIMIT 3))"

#define PORT                                                                           \
    "coalesce(s.name || ' ', '') || coalesce(dtype || coalesce(shape, ''),"            \
    " CAST(literal AS TEXT), 'value ' || s.value_idx)"
#define PORTS(which)                                                                   \
    "signature AS s JOIN graph AS g ON g.id = s.graph_id AND g.path = ''"              \
    " LEFT JOIN value AS v ON v.id = s.value_id WHERE g.method_id = method.id "        \
    "AND " which

/* What each method takes and gives, what it keeps from call to call, and who runs it.
 */
#define TAKES                                                                          \
    FEW(PORT,                                                                          \
        PORTS("s.direction = 'input' AND (spec IS NULL OR spec NOT IN"                 \
              " ('parameter', 'buffer', 'constant_tensor'))"),                         \
        "s.pos")
#define GIVES                                                                          \
    FEW(PORT,                                                                          \
        PORTS("s.direction = 'output' AND (spec IS NULL OR spec NOT GLOB"              \
              " '*mutation')"),                                                        \
        "s.pos")
#define STATE                                                                          \
    FEW("s.target", PORTS("s.direction = 'output' AND spec GLOB '*mutation'"), "s.pos")
/* Of a .pte, where it has no names. */
#define STATES                                                                         \
    "state AS MATERIALIZED (SELECT g.method_id, printf('%d value%s, %,lld bytes',"     \
    "  count(*), iif(count(*) = 1, '', 's'), CAST(total(nbytes) AS INTEGER)) AS words" \
    " FROM lifetime CROSS JOIN value ON value.id = lifetime.value_id"                  \
    " JOIN graph AS g ON g.id = value.graph_id AND g.path = ''"                        \
    " WHERE " DG_SQL_IS_STATE " GROUP BY g.method_id)"
#define RUNS_ON                                                                        \
    FEW("coalesce(backend, 'host') ||"                                                 \
        " printf(' (%,d call%s)', calls, iif(calls = 1, '', 's'))",                    \
        "(SELECT backend, sum(calls) AS calls FROM call_sum WHERE costed AND"          \
        "  method_id = method.id GROUP BY backend)",                                   \
        "backend IS NOT NULL, calls DESC, backend")
#define DEVICES                                                                        \
    FEW("device",                                                                      \
        "(SELECT DISTINCT device FROM value JOIN graph AS g ON g.id = value.graph_id"  \
        "  WHERE g.method_id = method.id AND device <> 'cpu')",                        \
        "device")

static const char program_sql[] =
    "WITH " STATES " SELECT method.name AS \"Method:code\", " TAKES
    " AS \"Takes:code\","
    " " GIVES " AS \"Gives:code\", coalesce(" STATE ","
    " (SELECT words FROM state WHERE method_id = method.id)) AS"
    " \"State:code\", " RUNS_ON " AS \"Runs on:text\", " DEVICES " AS"
    " \"Devices:code\" FROM method WHERE artifact_id = ?1 ORDER BY method.id";

static const char files_sql[] =
    "SELECT path AS \"File:code\", coalesce(role, 'program') AS \"Role:text\","
    " kind AS \"Format:text\", container AS \"Layout:text\","
    " size_bytes AS \"Size:bytes\", sha256 AS \"SHA-256:code\""
    " FROM artifact WHERE id = ?1 OR companion_of = ?1 ORDER BY id";

/* What the format says of itself, and whoever wrote it: numbers and words only. */
static const char version_sql[] =
    "SELECT artifact.path AS \"File:code\", key AS \"Field:code\","
    " CAST(value AS TEXT) AS \"Value:code\" FROM artifact,"
    " json_each(version) WHERE (artifact.id = ?1 OR companion_of = ?1)"
    " AND value IS NOT NULL AND type NOT IN ('object', 'array')"
    " ORDER BY artifact.id, json_each.id";

static const char methods_sql[] =
    "SELECT name AS \"Method:code\", ir AS \"Form:code\","
    " (SELECT count(*) FROM graph WHERE method_id = method.id) AS \"Graphs:count\","
    " (SELECT count(*) FROM node JOIN graph ON graph.id = graph_id"
    "   WHERE graph.method_id = method.id) AS \"Nodes:count\""
    " FROM method WHERE artifact_id = ?1 ORDER BY id";

/* The plan that rules and pictures used: the newest. */
static const char plan_sql[] =
    "SELECT source AS \"Made by:text\", part_run.path AS \"File:code\","
    " options AS \"Options:code\","
    " (SELECT count(*) FROM v_partition WHERE part_run_id = part_run.id AND calls > 0)"
    "  AS \"Partitions:count\""
    " FROM part_run WHERE artifact_id = ?1 ORDER BY id DESC LIMIT 1";

static const char settings_sql[] = "SELECT name AS \"Setting:code\","
                                   " value AS \"Value:code\" FROM setting"
                                   " WHERE ?1 AND name NOT GLOB 'was.*'"
                                   " ORDER BY name, value";

static const char store_sql[] =
    "SELECT key AS \"Store:code\", CAST(value AS TEXT) AS \"Value:code\" FROM meta"
    " WHERE ?1 ORDER BY key";

static const char tensors_sql[] =
    "SELECT method.name AS \"Method:code\", coalesce(device, '(not told)') AS"
    " \"Device:code\", count(*) AS \"Tensors:count\", total(nbytes) AS \"Bytes:bytes\""
    " FROM value JOIN graph ON graph.id = graph_id JOIN method ON method.id = method_id"
    " WHERE artifact_id = ?1 AND value.kind = 'tensor' GROUP BY method.id, device"
    " ORDER BY method.id, total(nbytes) DESC, device";

static const char totals_sql[] =
    "WITH " DG_SQL_CROSSINGS "SELECT iif(to_device, 'Copied to ' || device,"
    "  'Copied from ' || device || ' to the host'), printf('%,d %s, %,lld bytes%s',"
    "  count(*), iif(count(*) = 1, 'copy', 'copies'), CAST(total(nbytes) AS INTEGER),"
    "  iif(count(*) > count(nbytes), ' and some of unknown size', '')), NULL"
    " FROM crossings GROUP BY to_device, device ORDER BY to_device DESC, device";

static const char copies_sql[] =
    "WITH " DG_SQL_CROSSINGS "SELECT node.name AS \"Node:node\","
    " iif(to_device, 'host', crossings.device) AS \"From:code\","
    " iif(to_device, crossings.device, 'host') AS \"To:code\","
    " coalesce(value.name, 'value ' || value.idx) AS \"Value:code\","
    " coalesce(dtype, '') || coalesce(shape, '') AS \"Type:code\","
    " crossings.nbytes AS \"Bytes:bytes\" FROM crossings"
    " JOIN node ON node.id = node_id LEFT JOIN value ON value.id = crossings.value_id"
    " ORDER BY crossings.nbytes DESC, node.id, to_device DESC";

#define CALLS "SELECT id FROM node WHERE delegate_id = delegate.id"

static const char delegates_sql[] =
    "SELECT method.name AS \"Method:code\", delegate.idx AS \"Delegate:count\","
    " backend AS \"Backend:code\","
    " (SELECT count(*) FROM node WHERE delegate_id = delegate.id AND kind IN"
    "   ('delegate_call', 'call_function')) AS \"Calls:count\","
    " coalesce((SELECT " DG_SQL_SUM("calls") " FROM call_sum WHERE costed AND"
    "   graph_id = delegate.graph_id HAVING delegate.graph_id IS NOT NULL),"
    "  (SELECT count(*) FROM delegate_node AS inner_node"
    "    WHERE inner_node.graph_id = inside_id HAVING count(*) > 0)) AS \"Ops:count\","
    " coalesce((SELECT total(flops) FROM call_sum WHERE costed AND"
    "   graph_id = delegate.graph_id HAVING delegate.graph_id IS NOT NULL),"
    "  (SELECT max(flops) FROM node AS one JOIN cost ON cost.node_id = one.id"
    "    WHERE one.delegate_id = delegate.id AND one.kind = 'delegate_call'))"
    "  AS \"FLOPs:count\","
    " coalesce((SELECT sum(nbytes) FROM operand JOIN value ON value.id = value_id"
    "   WHERE node_id IN (" CALLS ") AND access <> 'write'),"
    "  (SELECT sum(nbytes) FROM edge JOIN value ON value.id = value_id"
    "   WHERE dst IN (" CALLS "))) AS \"In:bytes\","
    " coalesce((SELECT sum(nbytes) FROM operand JOIN value ON value.id = value_id"
    "   WHERE node_id IN (" CALLS ") AND access <> 'read'),"
    "  (SELECT sum(nbytes) FROM edge JOIN node ON node.id = dst JOIN value"
    "   ON value.id = node.value_id WHERE src IN (" CALLS "))) AS \"Out:bytes\","
    " coalesce((SELECT sum(size_bytes) FROM delegate_key JOIN named_data"
    "   ON named_data.key = delegate_key.key AND named_data.artifact_id = ?1"
    "   WHERE delegate_id = delegate.id),"
    "  (SELECT sum(nbytes) FROM signature JOIN value ON value.id = value_id"
    "   WHERE signature.graph_id = delegate.graph_id AND direction = 'input'"
    "   AND spec <> 'user_input')) AS \"Constants:bytes\","
    " blob_bytes AS \"Blob:bytes\""
    " FROM delegate JOIN method ON method.id = method_id WHERE artifact_id = ?1"
    " ORDER BY delegate.id";

/* Whatever has a digest and a place; what shares its place is stored once. */
#define STORED                                                                         \
    "WITH stored(name, place, nbytes, digest) AS ("                                    \
    " SELECT coalesce(fqn, kind || ' ' || idx), file_offset, nbytes, xxh3"             \
    "  FROM constant WHERE artifact_id = ?1"                                           \
    " UNION ALL SELECT coalesce(backend, 'delegate') || ' ' || delegate.idx,"          \
    "  blob_offset, blob_bytes, blob_xxh3 FROM delegate JOIN method"                   \
    "  ON method.id = method_id WHERE artifact_id = ?1"                                \
    " UNION ALL SELECT key, file_offset, segment.size_bytes, xxh3 FROM named_data"     \
    "  JOIN segment ON segment.artifact_id = named_data.artifact_id"                   \
    "   AND segment.idx = segment_idx WHERE named_data.artifact_id = ?1),"             \
    "copied AS (SELECT min(name) AS name, count(DISTINCT place) AS copies, nbytes,"    \
    "  (count(DISTINCT place) - 1) * nbytes AS saved, substr(group_concat(DISTINCT "   \
    "name),"                                                                           \
    " 1, 400) AS names FROM stored WHERE nbytes > 0 AND digest IS NOT NULL"            \
    "  GROUP BY digest, nbytes HAVING copies > 1)"

static const char saved_sql[] =
    STORED " SELECT 'Stored more than once', printf('%lld bytes could be saved"
           " (%d %s)', CAST(total(saved) AS INTEGER), count(*), iif(count(*) = 1,"
           " 'content', 'contents')), total(saved) / (SELECT size_bytes FROM"
           " artifact WHERE id = ?1) FROM copied HAVING count(*) > 0";

static const char duplicates_sql[] =
    STORED " SELECT names AS \"Names:code\", copies AS \"Copies:count\","
           " nbytes AS \"Each:bytes\", saved AS \"Could be saved:bytes\""
           " FROM copied ORDER BY saved DESC, name";

static const char dtypes_sql[] =
    "SELECT coalesce(dtype, '(not told)') AS \"Dtype:code\", count(*) AS"
    " \"Tensors:count\", total(nbytes) AS \"Bytes:bytes\" FROM constant"
    " WHERE artifact_id = ?1 AND kind <> 'reserved' GROUP BY dtype"
    " ORDER BY total(nbytes) DESC, dtype";

static const char constants_sql[] =
    "SELECT coalesce(fqn, kind || ' ' || idx) AS \"Name:code\", kind AS"
    " \"Kind:text\", dtype AS \"Dtype:code\", shape AS \"Shape:code\","
    " nbytes AS \"Bytes:bytes\" FROM constant WHERE artifact_id = ?1"
    " AND kind <> 'reserved' ORDER BY nbytes DESC, id";

/* Columns of judged values. */
#define JUDGED                                                                         \
    " coalesce(dtype, '') || coalesce(shape, '')"                                      \
    " AS \"Type:code\", verdict AS \"Verdict:severity\", snr_db AS \"SNR:real\","      \
    " snr_limit AS \"Limit:real\", error AS \"Error:real\", floor AS"                  \
    " \"Floor:real\", max_abs AS \"Max diff:real\", max_ulp AS \"ULP:count\","         \
    " nullif(nan_got + inf_got, 0) AS \"NaN, Inf:count\", why AS \"Why:text\""         \
    " FROM num_result WHERE run_id = ?1"

/* A verdict that fails first, then what is closest to its limit. */
#define WORST_FIRST                                                                    \
    " ORDER BY verdict = 'fail' DESC, verdict = 'skip', snr_db IS NULL,"               \
    " snr_db - coalesce(snr_limit, 0), pos, id"

static const char outputs_sql[] = "SELECT name AS \"Output:code\"," JUDGED
                                  " AND kind = 'output' ORDER BY call, pos, id";

static const char worst_sql[] =
    "SELECT name AS \"Node:node\", op AS \"Operator:code\"," JUDGED
    " AND kind <> 'output' AND (verdict = 'fail' OR op IS NULL OR op NOT IN"
    " (SELECT name FROM op WHERE flags & 2))" WORST_FIRST;

/* What ETDumps tell, in their order; times are medians. */
static const char runs_sql[] =
    "SELECT p.artifact AS \"File:code\", coalesce(p.method, p.name) AS \"Run of:code\","
    " count(*) AS \"Runs:count\", " DG_SQL_TIME("min(took)") " AS \"Least:text\","
    " " DG_SQL_TIME("max(took)") " AS \"Most:text\" FROM v_profile AS p"
    " JOIN artifact ON artifact.id = p.artifact_id WHERE companion_of = ?1 OR"
    "  artifact.id = ?1 GROUP BY p.artifact_id, coalesce(p.method, p.name)"
    " ORDER BY min(p.profile_id)";

#define OF_SEVERAL                                                                     \
    "iif((SELECT count(*) FROM method WHERE artifact_id = ?1) = 1, NULL, "

static const char slowest_sql[] =
    "SELECT " OF_SEVERAL "t.method) AS \"Method:code\", t.node AS \"Node:code\","
    " coalesce(t.op, t.backend) AS \"Calls:code\", module AS \"Module:code\","
    " file || coalesce(':' || line, '') AS \"Line:code\", runs AS \"Runs:count\","
    " " DG_SQL_TIME("t.median") " AS \"Median:text\", " DG_SQL_TIME("most")
    " AS \"Most:text\", printf('%.1f %%', 100 * t.median / nullif(total(t.median) OVER (), 0))"
    "  AS \"Share:text\" FROM v_timing AS t JOIN v_node USING (node_id)"
    " WHERE part IS NULL AND v_node.method_id IN"
    "  (SELECT id FROM method WHERE artifact_id = ?1) ORDER BY t.median DESC, node_id";

static const char parts_sql[] =
    "SELECT " OF_SEVERAL "t.method) AS \"Method:code\", t.node AS \"Node:code\","
    " t.backend AS \"Backend:code\", part AS \"Part:text\", runs AS \"Runs:count\","
    " " DG_SQL_TIME("t.median") " AS \"Median:text\","
    " " DG_SQL_TIME("most") " AS \"Most:text\""
    " FROM v_timing AS t JOIN v_node USING (node_id)"
    " WHERE part IS NOT NULL AND v_node.method_id IN"
    "  (SELECT id FROM method WHERE artifact_id = ?1) AND most > 0"
    " ORDER BY t.median DESC, most DESC, node_id, part";

#endif
