#include "verifiers/measures.h"

#include "base/arena.h"
#include "graph/call_sums.h"
#include "verifiers/budget_parts.h"

/* Beside those of budgets: a name and a number or NULL. */
static const char others_sql[] =
    "SELECT 'flops', (SELECT total(flops) FROM call_sum WHERE costed"
    "   HAVING count(*) > 0 AND total(unknown_flops) = 0)"
    " UNION ALL SELECT severity || 's', count(finding.rowid) FROM"
    "   (SELECT 'error' AS severity UNION SELECT 'warning' UNION SELECT 'note')"
    "   LEFT JOIN finding USING (severity) GROUP BY severity"
    " UNION ALL SELECT severity || ':' || rule, count(*) FROM finding"
    "  GROUP BY severity, rule"
    " UNION ALL SELECT 'time', (SELECT avg(took) FROM (SELECT took,"
    "    row_number() OVER (ORDER BY took) AS at, count(*) OVER () AS n FROM"
    "    (SELECT max(end - begin) AS took FROM profile_event JOIN profile"
    "      ON profile.id = profile_id WHERE method_id IS NOT NULL AND kind = 'time'"
    "       AND profile_event.name = 'Method::execute' AND end >= begin"
    "      GROUP BY profile_id)) WHERE at IN ((n + 1) / 2, (n + 2) / 2))";

static enum dg_status keep(struct dg_rows *into, int64_t build, const char *name,
                           double value, struct dg_error *err)
{
    dg_rows_bind_int(into, 1, build);
    dg_rows_bind_text(into, 2, dg_text(name));
    dg_rows_bind_real(into, 3, value);
    dg_rows_next(into);
    return dg_rows_again(into, err);
}

/* Of several methods or devices that one which a limit would be about first. */
static enum dg_status keep_measure(struct dg_rows *into, int64_t build,
                                   const struct dg_measure *measure,
                                   struct dg_store *store, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_rows rows;
    enum dg_status status = dg_measure_prepare(measure, store, err);

    if (!status)
        status =
            dg_rows_open(&rows, store,
                         dg_format(&memory,
                                   "SELECT %s(number) FROM (%s) WHERE number IS NOT"
                                   " NULL AND unknown IS NULL",
                                   measure->least ? "min" : "max", measure->sql)
                             .data,
                         err);
    if (!status && dg_rows_next(&rows) && !dg_rows_null(&rows, 0))
        status = keep(into, build, measure->name, dg_rows_double(&rows, 0), err);
    dg_arena_clear(&memory);
    return status ? status : dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status keep_others(struct dg_rows *into, int64_t build,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, others_sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        if (!dg_rows_null(&rows, 1))
            status = keep(into, build, dg_rows_text(&rows, 0), dg_rows_double(&rows, 1),
                          err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_measures_keep(struct dg_store *fleet, int64_t build,
                                struct dg_store *store, struct dg_error *err)
{
    struct dg_rows into;
    enum dg_status status = dg_call_sums_store(store, err);

    if (!status)
        status =
            dg_rows_open(&into, fleet, "INSERT INTO measure VALUES (?1, ?2, ?3)", err);
    if (status)
        return status;
    for (const struct dg_measure *measure = dg_measures; measure->name && !status;
         measure++)
        status = keep_measure(&into, build, measure, store, err);
    if (!status)
        status = keep_others(&into, build, store, err);
    return dg_rows_close(&into, status, err);
}
