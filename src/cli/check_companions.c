/* The files that were given with a program, and how many weights they share. */
#include "cli/check_print.h"
#include "reports/rows.h"

/* Weights of a program that were looked for; tied ones are one. And those that could
 * not be: the file does not have their bytes, or not as they are. */
static const char companions_sql[] =
    "SELECT path, a.kind, role, size_bytes, iif(role = 'program',"
    "  count(DISTINCT c.xxh3) + (SELECT count(DISTINCT target) FROM method AS m"
    "   CROSS JOIN graph AS g ON g.method_id = m.id AND m.artifact_id = a.id"
    "   CROSS JOIN signature ON graph_id = g.id AND direction = 'input'"
    "    AND spec IN ('parameter', 'buffer', 'constant_tensor')"
    "   WHERE target NOT IN (SELECT fqn FROM constant WHERE artifact_id = a.id"
    "    AND (found IS NOT NULL OR nbytes = 0) AND fqn IS NOT NULL)), NULL) AS "
    "weights, iif(role = 'program', count(DISTINCT"
    "  iif(found IN ('whole', 'inside'), c.xxh3, NULL)), NULL) AS weights_found"
    " FROM artifact AS a LEFT JOIN constant AS c ON c.artifact_id = a.id"
    "  AND found <> 'trivial' WHERE companion_of = ?1 GROUP BY a.id ORDER BY a.id";

enum { WEIGHTS = 4, WEIGHTS_FOUND };

enum dg_status dg_check_companions_json(struct dg_writer *out,
                                        const struct dg_checked *checked,
                                        struct dg_error *err)
{
    return dg_write_query(out, checked->store, companions_sql, checked->artifact, err);
}

/* Whether the rule says what became of the others. */
static bool others_are_judged(const struct dg_checked *checked)
{
    struct dg_error ignored = {0};
    int64_t found = 0;

    return !dg_store_int(checked->store,
                         "SELECT count(*) FROM finding WHERE rule ="
                         " 'constant/program-data' AND severity = 'error'",
                         0, &found, &ignored) &&
           found;
}

void dg_check_weights_text(struct dg_writer *out, const struct dg_checked *checked)
{
    struct dg_error ignored = {0};
    struct dg_rows rows;

    if (dg_rows_open(&rows, checked->store, companions_sql, &ignored))
        return;
    dg_rows_bind_int(&rows, 1, checked->artifact);
    while (dg_rows_next(&rows)) {
        int64_t n = dg_rows_int_or(&rows, WEIGHTS, 0);
        int64_t n_found = dg_rows_int_or(&rows, WEIGHTS_FOUND, 0);

        if (n)
            dg_print(out, "; found %lld of %lld weights of the program",
                     (long long)n_found, (long long)n);
        if (n > n_found && !others_are_judged(checked))
            dg_print(out, ", %lld not judged", (long long)(n - n_found));
    }
    dg_rows_close(&rows, DG_OK, &ignored);
}
