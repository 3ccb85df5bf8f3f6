/* How many bytes of an arena are state, inputs and results, at each instruction. */
#include "reports/sections/memory_parts.h"

enum dg_status dg_memory_kinds(struct dg_alive_chart *chart, struct dg_page *page,
                               struct dg_store *store, int64_t graph, int64_t arena,
                               struct dg_error *err)
{
    int64_t n = (int64_t)chart->n_steps;
    struct dg_rows rows =
        dg_rows_of(store,
                   "SELECT " DG_SQL_ALIVE_KIND ", first, last, nbytes FROM lifetime"
                   " CROSS JOIN value ON value.id = lifetime.value_id"
                   " AND value.graph_id = ?1 AND mem_id = ?2 WHERE nbytes > 0",
                   graph, err);

    for (int kind = 0; kind < DG_N_ALIVE; kind++)
        chart->kinds[kind] =
            dg_alloc(&page->memory, chart->n_steps + 1, sizeof(*chart->kinds[kind]));
    dg_rows_bind_int(&rows, 2, arena);
    while (dg_rows_next(&rows)) {
        double *bytes = chart->kinds[dg_rows_int(&rows, 0)];
        int64_t first = dg_rows_int(&rows, 1), last = dg_rows_int(&rows, 2);

        if (first >= n)
            continue;
        bytes[first < 0 ? 0 : first] += (double)dg_rows_int(&rows, 3);
        bytes[last < n ? last + 1 : n] -= (double)dg_rows_int(&rows, 3);
    }
    for (int kind = 0; kind < DG_N_ALIVE; kind++)
        for (int64_t i = 1; i < n; i++)
            chart->kinds[kind][i] += chart->kinds[kind][i - 1];
    return dg_rows_close(&rows, DG_OK, err);
}
