/* Operators that AOTInductor compiles no code for. */
#include <stdlib.h>

#include "base/sorted.h"
#include "base/text.h"
#include "verifiers/cuda_parts.h"

/* Which backends have the kernel; ALWAYS: AOTInductor never has code of its own. */
enum { CUDA = 1 << 0, METAL = 1 << 1, ALWAYS = 1 << 2 };

struct fallback {
    const char *name;
    int has;
};

static const struct fallback fallbacks[] = {
#define FALLBACK(name, has) {name, has},
#include "verifiers/cuda_fallbacks.def"
#undef FALLBACK
};

static int compare(const void *key, const void *row)
{
    return strcmp(key, ((const struct fallback *)row)->name);
}

static const struct fallback *fallback_of(char *name)
{
    static const char suffix[] = ".default";
    size_t length = strlen(name), n = sizeof(suffix) - 1;

    if (length > n && !strcmp(name + length - n, suffix))
        name[length - n] = '\0';
    return dg_search(name, fallbacks, sizeof(fallbacks) / sizeof(*fallbacks),
                     sizeof(*fallbacks), compare);
}

/* "(op_id, has),..." for the operators of the store that fall back. */
static enum dg_status list_ops(struct dg_writer *sql, struct dg_store *store,
                               struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_rows rows = dg_rows_all(
        store, "SELECT id, name FROM op WHERE namespace <> '_operator'", err);

    while (dg_rows_next(&rows)) {
        const struct fallback *fallback =
            fallback_of(dg_copy(&memory, dg_rows_slice(&rows, 1)));

        if (fallback)
            dg_print(sql, "%s(%lld, %d)", sql->size ? "," : "",
                     (long long)dg_rows_int(&rows, 0), fallback->has);
    }
    dg_arena_clear(&memory);
    return dg_rows_close(&rows, DG_OK, err);
}

/* clang-format off */

/* Without a plan, all that is not lowered yet might go to CudaBackend. What nobody reads
 * is not compiled. */
static const char calls_sql[] =
    "WITH listed(op_id, has) AS (VALUES %s),"
    " call AS MATERIALIZED (SELECT n.id, n.graph_id, n.op_id, has"
    "   FROM listed CROSS JOIN node AS n ON n.op_id = listed.op_id"
    "  WHERE n.kind = 'call_function'"
    "    AND EXISTS (SELECT 1 FROM edge WHERE src = n.id)),"
    " newest AS MATERIALIZED " DG_NEWEST_PLANS ","
    " planned AS MATERIALIZED (SELECT DISTINCT graph_id FROM partition"
    "   WHERE part_run_id IN newest AND backend IS NOT NULL),"
    " placed AS (SELECT call.*, p.tag, coalesce(p.backend, d.backend) AS backend"
    "   FROM call JOIN \"graph\" AS g ON g.id = call.graph_id"
    "   LEFT JOIN (SELECT pn.node_id, p.tag, p.backend FROM call"
    "     JOIN partition_node AS pn ON pn.node_id = call.id"
    "     JOIN partition AS p ON p.id = pn.partition_id"
    "    WHERE p.part_run_id IN newest AND p.backend IS NOT NULL) AS p"
    "      ON p.node_id = call.id"
    "   LEFT JOIN (SELECT graph_id, min(backend) AS backend FROM delegate"
    "    GROUP BY graph_id) AS d ON d.graph_id = call.graph_id"
    "  WHERE p.tag IS NOT NULL OR d.backend IS NOT NULL"
    "   OR (g.kind <> 'lowered' AND call.graph_id NOT IN planned)),"
    " judged AS (SELECT *, CASE backend WHEN 'MetalBackend' THEN has & 2 ELSE has & 1 END"
    "   AS known FROM placed WHERE coalesce(backend, 'CudaBackend') IN " DG_AOTI "),"
    " told AS (SELECT * FROM judged WHERE iif(known, backend IS NOT NULL, has & 4))"
    "SELECT min(told.id) AS node, iif(backend IS NULL OR known, 'note', 'error')"
    "   AS severity, printf('%%s, called %%s%%s, is left to a kernel%%s', op.name,"
    "    iif(count(*) = 1, 'once', printf('%%d times', count(*))),"
    "    iif(tag IS NULL, '', ' in ' || tag), iif(known, ' that ' || backend || ' brings"
    " along', '; ' || coalesce(backend, 'CudaBackend') || ' has none for it')) AS message"
    "  FROM told JOIN op ON op.id = op_id GROUP BY graph_id, op_id, tag ORDER BY 1";

/* clang-format on */

static enum dg_status find_calls(const struct dg_findings *found, const char *sql,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(found->store, sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = dg_find(found,
                         &(struct dg_finding){.node = dg_rows_int(&rows, 0),
                                              .severity = dg_rows_text(&rows, 1),
                                              .message = dg_rows_slice(&rows, 2)},
                         err);
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_check_fallback_kernels(const struct dg_findings *found,
                                         struct dg_error *err)
{
    struct dg_writer ops = {0}, sql = {0};
    enum dg_status status = list_ops(&ops, found->store, err);

    if (!status && ops.size) {
        dg_print(&sql, calls_sql, ops.data);
        status = find_calls(found, sql.data, err);
    }
    dg_writer_clear(&ops);
    dg_writer_clear(&sql);
    return status;
}
