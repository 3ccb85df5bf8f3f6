#include "verifiers/measures.h"

#include <stdlib.h>

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

static void add(struct dg_measures *measures, const char *name, double value)
{
    *DG_APPEND(measures->items, measures->n_items) =
        (struct dg_measured){dg_copy(&measures->memory, dg_text(name)), value};
}

/* Of several methods or devices that one which a limit would be about first. */
static enum dg_status find_measure(struct dg_measures *measures,
                                   const struct dg_measure *measure,
                                   struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_measure_prepare(measure, store, err);

    if (!status)
        status =
            dg_rows_open(&rows, store,
                         dg_format(&measures->memory,
                                   "SELECT %s(number) FROM (%s) WHERE number IS NOT"
                                   " NULL AND unknown IS NULL",
                                   measure->least ? "min" : "max", measure->sql)
                             .data,
                         err);
    if (status)
        return status;
    if (dg_rows_next(&rows) && !dg_rows_null(&rows, 0))
        add(measures, measure->name, dg_rows_double(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status find_others(struct dg_measures *measures, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, others_sql, err);

    while (dg_rows_next(&rows))
        if (!dg_rows_null(&rows, 1))
            add(measures, dg_rows_text(&rows, 0), dg_rows_double(&rows, 1));
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_measures_find(struct dg_measures *measures, struct dg_store *store,
                                struct dg_error *err)
{
    enum dg_status status = dg_call_sums_store(store, err);

    for (const struct dg_measure *measure = dg_measures; measure->name && !status;
         measure++)
        status = find_measure(measures, measure, store, err);
    return status ? status : find_others(measures, store, err);
}

enum dg_status dg_measures_keep(struct dg_store *fleet, int64_t build,
                                const struct dg_measures *measures,
                                struct dg_error *err)
{
    struct dg_rows into;
    enum dg_status status =
        dg_rows_open(&into, fleet, "INSERT INTO measure VALUES (?1, ?2, ?3)", err);

    if (status)
        return status;
    for (size_t i = 0; i < measures->n_items && !status; i++) {
        dg_rows_bind_int(&into, 1, build);
        dg_rows_bind_text(&into, 2, dg_text(measures->items[i].name));
        dg_rows_bind_real(&into, 3, measures->items[i].value);
        dg_rows_next(&into);
        status = dg_rows_again(&into, err);
    }
    return dg_rows_close(&into, status, err);
}

void dg_measures_clear(struct dg_measures *measures)
{
    free(measures->items);
    dg_arena_clear(&measures->memory);
    *measures = (struct dg_measures){0};
}
