/* Measures of a program that must keep within the limits given with --limit. */
#include "graph/coverage_sql.h"
#include "verifiers/verifier.h"

/* clang-format off */

#define NO_LIMIT(name)                                                                 \
    "SELECT 'no limit is given (--limit " name "=NUMBER)' WHERE NOT EXISTS"            \
    " (SELECT 1 FROM setting WHERE name = 'limit." name "')"

/* The last limit of that name, as it was written. */
#define LIMIT(name)                                                                    \
    "most AS (SELECT CAST(value AS REAL) AS number, value AS text FROM setting"        \
    "   WHERE name = 'limit." name "' ORDER BY rowid DESC LIMIT 1)"

/* Files that are not given with another one. */
#define FILES                                                                          \
    "file AS (SELECT id, kind, size_bytes FROM artifact WHERE role IS NULL"            \
    "   AND kind IN ('pte', 'pt2'))"

/* Tags of the newest plans, where nodes stay in their graphs. */
#define PLANNED                                                                        \
    "plan AS (SELECT artifact_id, max(id) AS id FROM part_run GROUP BY artifact_id)"

#define NOT_LOWERED                                                                    \
    "SELECT 'the program is not lowered' WHERE NOT EXISTS (SELECT 1 FROM artifact"     \
    "  WHERE kind = 'pte') AND NOT EXISTS (SELECT 1 FROM delegate)"

/* A limit that cannot be judged is not kept: a gate must not pass for want of a check. */
#define UNJUDGED(name, cannot, needs)                                                  \
    "WITH " LIMIT(name) " SELECT a.id AS artifact, printf('the limit of %s cannot be"  \
    " judged: that takes " needs "', most.text) AS message FROM artifact AS a"        \
    " JOIN most WHERE a.companion_of IS NULL AND (" cannot ") ORDER BY a.id"
#define UNLOWERED                                                                      \
    "a.kind <> 'pte' AND a.id NOT IN (SELECT artifact_id FROM delegate JOIN method"    \
    "  ON method.id = method_id)"
#define UNPLANNED UNLOWERED " AND a.id NOT IN (SELECT artifact_id FROM part_run)"

/* A call counts as one: in a .pte an instruction, else a node of FX. Of a .pte whose
 * program is given, its operators count. */
static const char delegated_share[] =
    DG_PROGRAM_SHARE_OF("IN (SELECT id FROM method)") ", "
    LIMIT("delegated-share") ", " FILES ", " PLANNED ","
    "tagged AS MATERIALIZED (SELECT node_id FROM plan JOIN partition"
    "   ON part_run_id = plan.id JOIN partition_node ON partition_id = partition.id),"
    "own_call AS (SELECT file.id, n.kind = 'delegate_call' OR g.kind = 'lowered'"
    "    OR n.id IN (SELECT node_id FROM tagged) AS delegated"
    "  FROM file JOIN method ON artifact_id = file.id"
    "  JOIN \"graph\" AS g ON g.method_id = method.id JOIN node AS n ON n.graph_id = g.id"
    "  LEFT JOIN op ON op.id = n.op_id"
    " WHERE n.kind IN ('kernel_call', 'delegate_call') OR n.kind = 'call_function'"
    "   AND op.name NOT IN ('_operator.getitem', 'higher_order::executorch_call_delegate')),"
    "own_share AS (SELECT id, total(delegated) AS part, count(*) AS n FROM own_call"
    "  GROUP BY id)"
    "SELECT own_share.id AS artifact, printf('%lld of %lld calls are delegated, a share of"
    " %.4g; the least is %s%s', part, n, part / n, most.text, iif(kind = 'pte',"
    " '. A call of a delegate counts as one, whatever it computes: --program FILE.pt2"
    " counts operators', '')) AS message"
    "  FROM own_share JOIN file USING (id) JOIN most WHERE part / n < most.number"
    "   AND NOT EXISTS (SELECT 1 FROM share WHERE ops > 0)"
    " UNION ALL SELECT file.id, iif(exact, printf('%lld of %lld ops of %s are delegated,"
    " a share of %.4g; the least is %s', delegated_ops, ops, share.path,"
    " 1.0 * delegated_ops / ops, most.text), printf('the limit of %s cannot be judged:"
    " %s tells only that at least %lld of %lld ops are delegated, a share of %.4g; that"
    " takes exir.save() of the lowered program (--program LOWERED.pt2)', most.text,"
    " share.path, delegated_ops, ops, 1.0 * delegated_ops / ops))"
    "  FROM share JOIN file JOIN most"
    "  WHERE ops > 0 AND 1.0 * delegated_ops / ops < most.number";

static const char partition_count[] =
    "WITH " LIMIT("partition-count") ", " PLANNED ","
    "part AS (SELECT artifact_id AS id, backend FROM delegate JOIN method"
    "    ON method.id = method_id UNION ALL"
    "  SELECT artifact_id, coalesce(backend, tag) FROM plan JOIN partition"
    "    ON part_run_id = plan.id),"
    "kind AS (SELECT id, printf('%s %lld', coalesce(backend, 'no backend'), count(*))"
    "    AS text, count(*) AS n FROM part GROUP BY id, backend ORDER BY n DESC, backend),"
    "all_of AS (SELECT id, sum(n) AS n, group_concat(text, ', ') AS text FROM kind"
    "  GROUP BY id)"
    "SELECT all_of.id AS artifact, printf('%lld delegate%s (%s); the most is %s', n,"
    " iif(n = 1, '', 's'), all_of.text, most.text) AS message"
    "  FROM all_of JOIN most WHERE n > most.number ORDER BY all_of.id";

/* Bytes of tensors that calls of delegates take and give, and that copies move. What has
 * no known size is at least nothing: that breaks a limit, or leaves it open. */
static const char boundary_bytes[] =
    "WITH " LIMIT("boundary-bytes") ","
    "crossing AS ("
    /* a .pte: what a call names; what a copy writes */
    "  SELECT n.id, n.graph_id, o.value_id, 0 AS copied"
    "    FROM node AS n JOIN operand AS o ON o.node_id = n.id"
    "   WHERE n.kind = 'delegate_call' UNION"
    "  SELECT n.id, n.graph_id, o.value_id, 1 FROM op"
    "    JOIN node AS n ON n.op_id = op.id JOIN operand AS o ON o.node_id = n.id"
    "   WHERE op.namespace = 'et_copy' AND n.kind = 'kernel_call' AND o.access <> 'read'"
    /* a lowered program: what a call reads, and its getitems */
    "  UNION SELECT n.id, n.graph_id, e.value_id, 0 FROM op JOIN node AS n ON n.op_id = op.id"
    "    JOIN edge AS e ON e.dst = n.id"
    "   WHERE op.name = 'higher_order::executorch_call_delegate' UNION"
    "  SELECT n.id, n.graph_id, item.value_id, 0 FROM op JOIN node AS n ON n.op_id = op.id"
    "    JOIN edge AS e ON e.src = n.id JOIN node AS item ON item.id = e.dst"
    "   WHERE op.name = 'higher_order::executorch_call_delegate'),"
    "traffic AS (SELECT method.artifact_id AS id, total(v.nbytes) AS bytes,"
    "    total(v.nbytes * copied) AS copied, count(*) - count(v.nbytes) AS unknown"
    "  FROM crossing JOIN \"graph\" AS g ON g.id = crossing.graph_id"
    "  JOIN method ON method.id = g.method_id JOIN value AS v ON v.id = value_id"
    " WHERE v.kind = 'tensor' GROUP BY method.artifact_id)"
    "SELECT traffic.id AS artifact, printf('%s%lld bytes go into and out of delegates"
    " and %lld are copied between devices, %lld in all; the most is %s',"
    " iif(unknown, 'at least ', ''), bytes - copied, copied, bytes, most.text) AS message"
    "  FROM traffic JOIN most WHERE bytes > most.number UNION ALL"
    " SELECT traffic.id, printf('the limit of %s cannot be judged: %lld tensor%s that"
    " go%s between host and delegates %s no bounded size; that takes the .pte, which has"
    " upper bounds', most.text, unknown, iif(unknown = 1, '', 's'),"
    " iif(unknown = 1, 'es', ''), iif(unknown = 1, 'has', 'have'))"
    "  FROM traffic JOIN most WHERE bytes <= most.number AND unknown ORDER BY 1";

static const char file_size[] =
    "WITH " LIMIT("file-size") ", " FILES ","
    "sum AS (SELECT file.id, file.size_bytes AS own, total(data.size_bytes) AS data"
    "  FROM file LEFT JOIN artifact AS data ON data.companion_of = file.id"
    "   AND data.role = 'data' GROUP BY file.id)"
    "SELECT sum.id AS artifact, printf('%lld bytes%s; the most is %s', own + data,"
    " iif(data > 0, printf(', %lld of them beside the program', data), ''), most.text)"
    " AS message FROM sum JOIN most WHERE own + data > most.number ORDER BY sum.id";

static const char peak_memory[] =
    "WITH " LIMIT("peak-memory") ","
    "place AS (SELECT method_id, device, total(size_bytes) AS bytes FROM arena"
    "  WHERE idx > 0 AND size_bytes > 0 GROUP BY method_id, device),"
    "plan AS (SELECT method_id, total(bytes) AS bytes,"
    "    group_concat(printf('%s %lld', device, bytes), ', ') AS text"
    "  FROM place GROUP BY method_id)"
    "SELECT method_id AS method, printf('%lld bytes of memory are planned (%s); the most"
    " is %s', bytes, plan.text, most.text) AS message FROM plan JOIN most"
    " WHERE bytes > most.number ORDER BY method_id";

/* What every runtime has is not counted: numbers, and copies between devices. */
static const char host_ops[] =
    "WITH " LIMIT("host-ops") ","
    "kind AS MATERIALIZED (SELECT DISTINCT method.artifact_id AS id, op.name FROM method"
    "  JOIN \"graph\" AS g ON g.method_id = method.id JOIN node AS n ON n.graph_id = g.id"
    "  JOIN op ON op.id = n.op_id WHERE n.kind = 'kernel_call'"
    "   AND op.namespace NOT IN ('executorch_prim', 'et_copy')),"
    "all_of AS (SELECT id, count(*) AS n FROM kind GROUP BY id)"
    "SELECT all_of.id AS artifact, printf('%lld kind%s of operator%s on the"
    " host (%s%s); the most is %s', n, iif(n = 1, '', 's'), iif(n = 1, ' runs', 's run'),"
    " (SELECT group_concat(name, ', ') FROM (SELECT name FROM kind"
    "   WHERE kind.id = all_of.id ORDER BY name LIMIT 8)), iif(n > 8, ', ...', ''),"
    " most.text) AS message"
    "  FROM all_of JOIN most WHERE n > most.number ORDER BY all_of.id";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "delegated-share",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the share of calls that delegates run is not below the limit",
        .reason = "the program is slower than was agreed: operators fell back to the"
                  " host",
        .fix =
            "delegraph explain PROGRAM.pt2 --backend NAME tells of an exported program"
            " why an operator would stay on the host",
        .example = "--limit delegated-share=0.9, and 12 of 40 calls are delegated",
        .issue = "#12495",
        .level = "pt2 pte",
        .query = delegated_share,
        .not_checked =
            NO_LIMIT("delegated-share") " UNION ALL " NOT_LOWERED
                                        " AND NOT EXISTS (SELECT 1 FROM part_run)",
        .unjudged = UNJUDGED("delegated-share", UNPLANNED,
                             "a lowered program, or one with a plan (--plan FILE)"),
    },
    {
        .name = "partition-count",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "there are no more delegates, or tags of a plan, than the limit",
        .reason = "each delegate costs a call, and often copies and memory of its own",
        .fix = "make fewer and larger partitions",
        .example = "--limit partition-count=4, and a program has 7 delegates",
        .issue = "#9118",
        .level = "pt2 pte",
        .query = partition_count,
        .not_checked = NO_LIMIT("partition-count"),
        .unjudged = UNJUDGED("partition-count", UNPLANNED,
                             "a lowered program, or one with a plan (--plan FILE)"),
    },
    {
        .name = "boundary-bytes",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no more bytes than the limit pass between host and delegates",
        .reason = "what passes is often copied or converted, at each run",
        .fix = "put operators between two delegates into one of them",
        .example = "--limit boundary-bytes=1000000, and 4 MB go into a delegate",
        .issue = "#12550",
        .level = "pt2 pte",
        .query = boundary_bytes,
        .not_checked = NO_LIMIT("boundary-bytes") " UNION ALL " NOT_LOWERED,
        .unjudged = UNJUDGED("boundary-bytes", UNLOWERED, "a lowered program"),
    },
    {
        .name = "file-size",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the program and its data are not larger than the limit",
        .reason = "it does not fit into the place that was set aside for it",
        .fix = "query @size shows where the bytes are; quantize, or share weights",
        .example = "--limit file-size=10000000, and the .pte has 12 MB",
        .issue = "#7088",
        .level = "pt2 pte",
        .query = file_size,
        .not_checked = NO_LIMIT("file-size"),
        .unjudged =
            UNJUDGED("file-size", "a.kind NOT IN ('pte', 'pt2')", "a .pte or a .pt2"),
    },
    {
        .name = "peak-memory",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no method plans more memory than the limit",
        .reason = "the target cannot allocate it, and loading the method fails",
        .fix = "query @peak shows the tensors that live when memory is fullest",
        .example = "--limit peak-memory=1000000, and forward plans 2 MB",
        .issue = "#8911",
        .level = "pte",
        .query = peak_memory,
        .not_checked = NO_LIMIT("peak-memory"),
        .unjudged = UNJUDGED("peak-memory", "a.kind <> 'pte'", "a .pte"),
    },
    {
        .name = "host-ops",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no more kinds of operators than the limit run on the host",
        .reason = "each needs a kernel, and makes the runtime larger",
        .fix = "delegate more of them; query @ops shows how often each is called",
        .example = "--limit host-ops=0, and aten::add.out runs on the host",
        .issue = "#4742",
        .level = "pte",
        .query = host_ops,
        .not_checked = NO_LIMIT("host-ops"),
        .unjudged = UNJUDGED("host-ops", "a.kind <> 'pte'", "a .pte"),
    },
    {0},
};

const struct dg_verifier dg_verifier_budget = {"budget", rules};
