/* The table of measures that budgets bound, each as SQL. */
#include "graph/call_sums.h"
#include "graph/coverage_sql.h"
#include "verifiers/budget_parts.h"

/* clang-format off */

/* Programs that can show it. */
#define SHOWN(cannot)                                                                  \
    "shown AS (SELECT a.id, a.kind, a.size_bytes FROM artifact AS a"                   \
    "  WHERE a.companion_of IS NULL AND NOT (" cannot "))"

/* Tags of the newest plans, where nodes stay in their graphs. */
#define PLANNED                                                                        \
    "plan AS (SELECT artifact_id, max(id) AS id FROM part_run GROUP BY artifact_id)"

#define NO_FILE "a.kind NOT IN ('pte', 'pt2')"
#define NO_PTE "a.kind <> 'pte'"
/* A .pte that no program was given with, whose blobs say what they compute. */
#define WITHOUT_PROGRAM                                                                \
    "a.id NOT IN (SELECT companion_of FROM artifact"                                   \
    "  WHERE role = 'program' AND companion_of IS NOT NULL)"
#define CLOSED                                                                         \
    "a.id IN (SELECT m.artifact_id FROM delegate AS d JOIN method AS m"                \
    "  ON m.id = d.method_id WHERE inside_id IS NULL)"
#define OPEN "a.kind = 'pte' AND NOT (" CLOSED ")"
/* Where delegates of the program that was given are known, it is what counts. */
#define LOWERED_PROGRAM                                                                \
    "EXISTS (SELECT 1 FROM artifact AS p JOIN method AS m ON m.artifact_id = p.id"     \
    "  JOIN delegate AS d ON d.method_id = m.id WHERE p.role = 'program'"              \
    "   AND p.companion_of = a.id)"
#define NO_COSTS                                                                       \
    "iif(a.kind = 'pte', " WITHOUT_PROGRAM " AND (" CLOSED " OR " DG_BUDGET_UNPLANNED  \
    "), " DG_BUDGET_UNPLANNED ")"

#define HAS_COSTS                                                                      \
    "SELECT EXISTS (SELECT 1 FROM artifact WHERE role = 'program' OR kind = 'pt2')"    \
    " OR NOT EXISTS (SELECT 1 FROM delegate WHERE inside_id IS NULL)"
#define COSTS_TAKE                                                                     \
    "a lowered .pt2, or one with a plan (--plan FILE), or that a .pte was made from"   \
    " (--program LOWERED.pt2)"
#define NO_OLD_COSTS                                                                   \
    "what its delegates compute is not in a .pte, and --program is for the new one"    \
    " alone; the lowered .pt2 can be held to the old .pt2"

/* A call counts as one: in a .pte an instruction, else a node of FX. Of a .pte whose
 * program is given, its operators count. Where there is none, all are delegated. */
static const char delegated_share[] =
    DG_PROGRAM_SHARE_OF("IN (SELECT id FROM method)") ", "
    SHOWN(DG_BUDGET_UNPLANNED) ", " PLANNED ","
    "tagged AS MATERIALIZED (SELECT node_id FROM plan JOIN partition"
    "   ON part_run_id = plan.id JOIN partition_node ON partition_id = partition.id),"
    "own_call AS (SELECT shown.id, n.kind = 'delegate_call' OR g.kind = 'lowered'"
    "    OR n.id IN (SELECT node_id FROM tagged) AS delegated"
    "  FROM shown JOIN method ON artifact_id = shown.id"
    "  JOIN \"graph\" AS g ON g.method_id = method.id JOIN node AS n ON n.graph_id = g.id"
    "  LEFT JOIN op ON op.id = n.op_id"
    " WHERE n.kind IN ('kernel_call', 'delegate_call') OR n.kind = 'call_function'"
    "   AND op.name NOT IN ('_operator.getitem', 'higher_order::executorch_call_delegate')),"
    "own_share AS (SELECT shown.id, kind, total(delegated) AS part,"
    "    count(delegated) AS n FROM shown LEFT JOIN own_call USING (id) GROUP BY shown.id)"
    "SELECT id AS artifact, NULL AS method, NULL AS device,"
    "  iif(n, part / n, 1.0) AS number,"
    "  printf('%lld of %lld calls are delegated, a share of %.4g', part, n,"
    "   iif(n, part / n, 1.0)) AS text,"
    "  iif(kind = 'pte', '. A call of a delegate counts as one, whatever it computes:"
    " delegated-ops counts operators', NULL) AS note, NULL AS unknown,"
    "  'calls' AS basis FROM own_share WHERE NOT EXISTS (SELECT 1 FROM share WHERE ops > 0)"
    " UNION ALL SELECT shown.id, NULL, NULL, 1.0 * delegated_ops / ops,"
    "  printf('%lld of %lld ops of %s are delegated, a share of %.4g', delegated_ops,"
    "   ops, share.path, 1.0 * delegated_ops / ops), NULL, iif(exact, NULL,"
    "  printf('%s tells only that at least %lld of %lld ops are delegated, a share of"
    " %.4g; that takes exir.save() of the lowered program (--program LOWERED.pt2)',"
    "   share.path, delegated_ops, ops, 1.0 * delegated_ops / ops)), 'ops'"
    "  FROM share JOIN shown WHERE ops > 0";

/* The same of what calls cost, by table call_sum: of a .pte by the program that it was
 * made from. One that is not lowered tells only where the host costs nothing. */
#define SHARE_OF(cost, unknown_calls, words)                                           \
    "WITH " SHOWN(NO_COSTS) ", pair AS MATERIALIZED (" DG_SQL_PAIRED "),"              \
    "itself AS (SELECT a.id FROM artifact AS a WHERE a.kind <> 'pte'"                  \
    "   OR " WITHOUT_PROGRAM " OR " OPEN " AND NOT " LOWERED_PROGRAM                   \
    "    AND NOT EXISTS (SELECT 1 FROM call_sum JOIN method ON method.id = method_id"  \
    "     WHERE artifact_id = a.id AND costed AND " unknown_calls " > 0)),"            \
    "lowered AS (SELECT artifact_id FROM delegate JOIN method"                         \
    "   ON method.id = method_id),"                                                    \
    "own AS (SELECT shown.id, method.id AS method_id, NULL AS path, 1 AS exact"        \
    "  FROM shown JOIN method ON artifact_id = shown.id JOIN itself USING (id)"        \
    " UNION ALL SELECT p.artifact_id, pair.method, made.path,"                         \
    "   m.artifact_id IN (SELECT artifact_id FROM lowered)"                            \
    "  FROM pair JOIN method AS p ON p.id = pte_method JOIN method AS m"               \
    "   ON m.id = pair.method JOIN artifact AS made ON made.id = m.artifact_id"        \
    "  WHERE p.artifact_id NOT IN (SELECT id FROM itself)),"                           \
    "sums AS (SELECT own.id, max(path) AS path, min(exact) AS exact,"                  \
    "   total(" cost ") AS whole, total(" cost " * (inside OR calls_delegate)) AS part,"\
    "   total(" unknown_calls ") AS open, total(calls) AS calls"                       \
    "  FROM own LEFT JOIN call_sum ON call_sum.method_id = own.method_id AND costed"   \
    "  GROUP BY own.id),"                                                              \
    "host AS (SELECT artifact_id AS id, total(" cost ") AS whole,"                     \
    "   total(" unknown_calls ") AS open FROM call_sum JOIN method"                    \
    "   ON method.id = method_id WHERE kind = 'kernel_call' AND costed"                \
    "  GROUP BY artifact_id),"                                                         \
    "alone AS (SELECT DISTINCT artifact_id AS id FROM method"                          \
    "  WHERE id NOT IN (SELECT pte_method FROM pair)),"                                \
    "told AS (SELECT shown.id, path, calls, sums.whole, part, CASE"                    \
    "   WHEN sums.id IS NULL OR path IS NOT NULL AND shown.id IN (SELECT id FROM alone)" \
    "    THEN 'a method of it is not in the program that it was made from'"            \
    "   WHEN sums.open > 0 THEN printf('the " words " of %lld of %lld calls are not"   \
    " known', sums.open, calls)"                                                       \
    "   WHEN NOT exact AND (host.whole > 0 OR host.open > 0) THEN printf('%s is not"   \
    " lowered and tells only that about %.1f %% of its " words " are delegated; that takes"\
    " exir.save() of the lowered program (--program LOWERED.pt2)', path,"              \
    "     100 * max(0, sums.whole - host.whole) / sums.whole) END AS unknown,"               \
    "   iif(exact, part, sums.whole) AS delegated"                                     \
    "  FROM shown LEFT JOIN sums USING (id) LEFT JOIN host USING (id)),"               \
    "share AS (SELECT *, iif(unknown IS NULL, iif(whole > 0, delegated / whole, 1.0),"  \
    "   NULL) AS number FROM told)"                                                    \
    "SELECT id AS artifact, NULL AS method, NULL AS device, number,"                   \
    "  printf('%lld of %lld " words "%s%s are delegated, a share of %.4g', delegated,"  \
    "   whole, iif(path IS NULL, '', ' of '), coalesce(path, ''), number) AS text,"    \
    "  NULL AS note, unknown, NULL AS basis FROM share"

static const char delegated_ops[] = SHARE_OF("ops", "0", "ops");

static const char delegated_flops[] = SHARE_OF("flops", "unknown_flops", "FLOPs");

/* Each row of call_sum has calls whose bytes are known, or such where they are not. */
static const char delegated_bytes[] =
    SHARE_OF("bytes", "calls * (bytes IS NULL)", "bytes of memory traffic");

static const char partition_count[] =
    "WITH " SHOWN(DG_BUDGET_UNPLANNED) ", " PLANNED ","
    "part AS (SELECT artifact_id AS id, backend FROM delegate JOIN method"
    "    ON method.id = method_id UNION ALL"
    "  SELECT artifact_id, coalesce(backend, tag) FROM plan JOIN partition"
    "    ON part_run_id = plan.id),"
    "kind AS (SELECT id, printf('%s %lld', coalesce(backend, 'no backend'), count(*))"
    "    AS text, count(*) AS n FROM part GROUP BY id, backend ORDER BY n DESC, backend),"
    "all_of AS (SELECT shown.id, total(n) AS n, group_concat(text, ', ') AS text"
    "  FROM shown LEFT JOIN kind USING (id) GROUP BY shown.id)"
    "SELECT id AS artifact, NULL AS method, NULL AS device, n AS number,"
    "  printf('%lld delegate%s (%s)', n, iif(n = 1, '', 's'), all_of.text) AS text,"
    "  NULL AS note, NULL AS unknown, NULL AS basis FROM all_of";

/* Bytes of tensors that calls of delegates take and give, and that copies move. What has
 * no known size is at least nothing: that breaks a limit, or leaves it open. */
static const char boundary_bytes[] =
    "WITH " SHOWN(DG_BUDGET_UNLOWERED) ","
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
    " WHERE v.kind = 'tensor' GROUP BY method.artifact_id),"
    "each AS (SELECT shown.id, coalesce(bytes, 0) AS bytes, coalesce(copied, 0) AS copied,"
    "    coalesce(unknown, 0) AS unknown FROM shown LEFT JOIN traffic USING (id))"
    "SELECT id AS artifact, NULL AS method, NULL AS device, bytes AS number,"
    "  printf('%s%lld bytes go into and out of delegates and %lld are copied between"
    " devices, %lld in all', iif(unknown, 'at least ', ''), bytes - copied, copied,"
    "   bytes) AS text, NULL AS note, iif(unknown, printf('%lld tensor%s that go%s"
    " between host and delegates %s no bounded size; that takes the .pte, which has"
    " upper bounds', unknown, iif(unknown = 1, '', 's'), iif(unknown = 1, 'es', ''),"
    "   iif(unknown = 1, 'has', 'have')), NULL) AS unknown, NULL AS basis"
    "  FROM each";

static const char file_size[] =
    "WITH " SHOWN(NO_FILE) ","
    "sum AS (SELECT shown.id, shown.size_bytes AS own, total(data.size_bytes) AS data,"
    "   count(data.id) AS n FROM shown LEFT JOIN artifact AS data"
    "   ON data.companion_of = shown.id AND data.role = 'data' GROUP BY shown.id)"
    "SELECT id AS artifact, NULL AS method, NULL AS device, own + data AS number,"
    "  printf('%lld bytes%s', own + data, iif(data > 0, printf(', %lld of them beside"
    " the program', data), '')) AS text, NULL AS note, NULL AS unknown,"
    "  iif(n, 'with data', 'alone') AS basis FROM sum";

/* Memory that a method plans on a device, and at least none on the host. */
#define PLACES                                                                         \
    SHOWN(NO_PTE) ","                                                                  \
    "planning AS (SELECT method.id FROM shown JOIN method ON artifact_id = shown.id)," \
    "place AS (SELECT method_id, device, total(size_bytes) AS bytes FROM ("            \
    "  SELECT method_id, device, size_bytes FROM arena WHERE idx > 0"                  \
    "   AND size_bytes > 0 UNION ALL SELECT id, 'cpu', 0 FROM planning)"               \
    "  WHERE method_id IN (SELECT id FROM planning) GROUP BY method_id, device)"

static const char peak_memory[] =
    "WITH " PLACES ","
    "sum AS (SELECT method_id, total(bytes) AS bytes, group_concat("
    "    printf('%s %lld', device, bytes), ', ') FILTER (WHERE bytes > 0) AS text"
    "  FROM place GROUP BY method_id)"
    "SELECT NULL AS artifact, method_id AS method, NULL AS device, bytes AS number,"
    "  printf('%lld bytes of memory are planned (%s)', bytes, sum.text) AS text,"
    "  NULL AS note, NULL AS unknown, NULL AS basis FROM sum";

static const char planned_memory[] =
    "WITH " PLACES
    "SELECT NULL AS artifact, method_id AS method, device, bytes AS number,"
    "  printf('%lld bytes of memory are planned on %s', bytes, device) AS text,"
    "  NULL AS note, NULL AS unknown, NULL AS basis FROM place";

/* What every runtime has is not counted: numbers, and copies between devices. */
#define OF_HOST "op.namespace NOT IN ('executorch_prim', 'et_copy')"

/* How often each kernel of a .pte is called. */
#define KERNELS(which)                                                                 \
    SHOWN(NO_PTE) ","                                                                  \
    "kind AS MATERIALIZED (SELECT method.artifact_id AS id, op.name, count(*) AS n"    \
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"                     \
    "  JOIN node AS n ON n.graph_id = g.id JOIN op ON op.id = n.op_id"                 \
    "  WHERE n.kind = 'kernel_call' AND " which " GROUP BY method.artifact_id, op.name)"

static const char host_ops[] =
    "WITH " KERNELS(OF_HOST) ","
    "all_of AS (SELECT shown.id, count(name) AS n FROM shown LEFT JOIN kind USING (id)"
    "  GROUP BY shown.id)"
    "SELECT id AS artifact, NULL AS method, NULL AS device, n AS number,"
    "  printf('%lld kind%s of operator%s on the host (%s%s)', n, iif(n = 1, '', 's'),"
    "   iif(n = 1, ' runs', 's run'),"
    "   (SELECT group_concat(name, ', ') FROM (SELECT name FROM kind"
    "     WHERE kind.id = all_of.id ORDER BY name LIMIT 8)), iif(n > 8, ', ...', ''))"
    "  AS text, NULL AS note, NULL AS unknown, NULL AS basis FROM all_of";

#define CALLS(which, one, many)                                                        \
    "WITH " KERNELS(which) ","                                                         \
    "all_of AS (SELECT shown.id, total(n) AS n, count(name) AS kinds"                  \
    "  FROM shown LEFT JOIN kind USING (id) GROUP BY shown.id)"                        \
    "SELECT id AS artifact, NULL AS method, NULL AS device, n AS number,"              \
    "  printf('%lld %s (%s%s)', n, iif(n = 1, '" one "', '" many "'),"                 \
    "   (SELECT group_concat(printf('%s %lld', name, n), ', ') FROM (SELECT name, n"   \
    "     FROM kind WHERE kind.id = all_of.id ORDER BY n DESC, name LIMIT 8)),"        \
    "   iif(kinds > 8, ', ...', '')) AS text, NULL AS note, NULL AS unknown,"          \
    "  NULL AS basis FROM all_of"

static const char host_calls[] =
    CALLS(OF_HOST, "call of a kernel on the host", "calls of kernels on the host");

static const char copies[] = CALLS("op.namespace = 'et_copy'", "copy between devices",
                                   "copies between devices");

/* clang-format on */

#define LOWERED "a lowered program"
#define PLANNED_OR_LOWERED LOWERED ", or one with a plan (--plan FILE)"

const struct dg_measure dg_measures[] = {
    {
        .name = "delegated-share",
        .unit = DG_UNIT_SHARE,
        .least = true,
        .cannot = DG_BUDGET_UNPLANNED,
        .takes = PLANNED_OR_LOWERED,
        .unlike = "operators of a program are counted of one, calls of the other:"
                  " --program is for the new one alone; the lowered .pt2 can be held to"
                  " the old .pt2",
        .costs = "SELECT EXISTS (SELECT 1 FROM artifact WHERE role = 'program')",
        .sql = delegated_share,
    },
    {
        .name = "delegated-ops",
        .unit = DG_UNIT_SHARE,
        .least = true,
        .cannot = NO_COSTS,
        .takes = COSTS_TAKE,
        .unlike = NO_OLD_COSTS,
        .costs = HAS_COSTS,
        .sql = delegated_ops,
    },
    {
        .name = "delegated-flops",
        .unit = DG_UNIT_SHARE,
        .least = true,
        .cannot = NO_COSTS,
        .takes = COSTS_TAKE,
        .unlike = NO_OLD_COSTS,
        .costs = HAS_COSTS,
        .sql = delegated_flops,
    },
    {
        .name = "delegated-bytes",
        .unit = DG_UNIT_SHARE,
        .least = true,
        .cannot = NO_COSTS,
        .takes = COSTS_TAKE,
        .unlike = NO_OLD_COSTS,
        .costs = HAS_COSTS,
        .sql = delegated_bytes,
    },
    {
        .name = "partition-count",
        .cannot = DG_BUDGET_UNPLANNED,
        .takes = PLANNED_OR_LOWERED,
        .sql = partition_count,
    },
    {
        .name = "boundary-bytes",
        .unit = DG_UNIT_BYTES,
        .cannot = DG_BUDGET_UNLOWERED,
        .takes = LOWERED,
        .sql = boundary_bytes,
    },
    {
        .name = "copies",
        .cannot = NO_PTE,
        .takes = "a .pte",
        .sql = copies,
    },
    {
        .name = "file-size",
        .unit = DG_UNIT_BYTES,
        .cannot = NO_FILE,
        .takes = "a .pte or a .pt2",
        .unlike = "data beside the program is counted of one of them alone; load makes"
                  " a store of OLD.pte OLD.ptd",
        .sql = file_size,
    },
    {
        .name = "peak-memory",
        .unit = DG_UNIT_BYTES,
        .cannot = NO_PTE,
        .takes = "a .pte",
        .sql = peak_memory,
    },
    {
        .name = "planned-memory",
        .unit = DG_UNIT_BYTES,
        .by_device = true,
        .cannot = NO_PTE,
        .takes = "a .pte",
        .sql = planned_memory,
    },
    {
        .name = "host-ops",
        .cannot = NO_PTE,
        .takes = "a .pte",
        .sql = host_ops,
    },
    {
        .name = "host-calls",
        .cannot = NO_PTE,
        .takes = "a .pte",
        .sql = host_calls,
    },
    {0},
};

const struct dg_measure *dg_measure_find(struct dg_text name)
{
    for (const struct dg_measure *measure = dg_measures; measure->name; measure++) {
        if (dg_text_is(name, measure->name))
            return measure;
    }
    return NULL;
}

enum dg_status dg_measure_prepare(const struct dg_measure *measure,
                                  struct dg_store *store, struct dg_error *err)
{
    int64_t wanted = 0;
    enum dg_status status = DG_OK;

    if (measure->costs)
        status = dg_store_int(store, measure->costs, 0, &wanted, err);
    return status || !wanted ? status : dg_call_sums_store(store, err);
}
