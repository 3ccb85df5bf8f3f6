/* Which builds of a store are meant. */
#include "graph/builds.h"

enum dg_status dg_builds_open(struct dg_rows *rows, struct dg_store *store,
                              const char *sql, const struct dg_build_choice *choice,
                              struct dg_error *err)
{
    enum dg_status status = dg_rows_open(rows, store, sql, err);

    if (status)
        return status;
    if (choice->name)
        dg_rows_bind_text(rows, 1, dg_text(choice->name));
    dg_rows_bind_text(rows, 2, choice->labels.size ? choice->labels : dg_text("{}"));
    dg_rows_bind_int(rows, 3, choice->last ? choice->last : INT64_MAX);
    return DG_OK;
}

enum dg_status dg_builds_check(struct dg_store *store,
                               const struct dg_build_choice *choice,
                               struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_builds_open(&rows, store,
                       "SELECT EXISTS (SELECT 1 FROM build), EXISTS (SELECT 1"
                       " FROM build WHERE " DG_SQL_IS_MEANT("build", "id") " LIMIT ?3)",
                       choice, err);

    if (status)
        return status;
    if (dg_rows_next(&rows) && !dg_rows_int(&rows, 1))
        status = dg_fail(err, DG_ERR_USAGE,
                         dg_rows_int(&rows, 0)
                             ? "no build has those labels"
                             : "it has no builds; load --append adds them");
    return dg_rows_close(&rows, status, err);
}
