/* Notes of one rule in one graph as one finding: the first, the others by name. */
#include "verifiers/fold.h"

/* clang-format off */

/* Notes of rule ?1 that say where they lie; each has the number of the first of its graph. */
#define NOTES                                                                          \
    "WITH note AS (SELECT finding.id, min(finding.id) OVER graph_of AS first,"         \
    "    coalesce(node.name, value.name, 'value ' || value.idx) AS name"               \
    "   FROM finding LEFT JOIN node ON node.id = node_id"                              \
    "   LEFT JOIN value ON value.id = finding.value_id"                                \
    "  WHERE rule = ?1 AND severity = 'note' AND finding.graph_id IS NOT NULL"         \
    "    AND coalesce(node.id, value.id)"                                              \
    "  WINDOW graph_of AS (PARTITION BY finding.graph_id))"

static const char tell_sql[] = NOTES
    "UPDATE finding SET message = printf('%s; and %d more', message, n - 1),"
    "   witness = names"
    "  FROM (SELECT first, count(*) AS n, json_group_array(name) AS names"
    "         FROM (SELECT * FROM note ORDER BY id) GROUP BY first HAVING count(*) > 1)"
    " WHERE id = first";

static const char drop_sql[] = NOTES
    "DELETE FROM finding WHERE id IN (SELECT id FROM note WHERE id <> first)";

/* clang-format on */

static enum dg_status run(const struct dg_findings *found, const char *sql,
                          struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(found->store, sql, err);

    dg_rows_bind_text(&rows, 1, dg_text(found->id));
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_fold_notes(const struct dg_findings *found, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (found->so_far->n > 1)
        status = run(found, tell_sql, err);
    if (found->so_far->n > 1 && !status)
        status = run(found, drop_sql, err);
    return status;
}
