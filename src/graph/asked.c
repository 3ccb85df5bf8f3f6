/* Tables whose rows are worked out only when they are asked for: costs, lifetimes,
 * lineage. */
#include "graph/asked.h"

#include <ctype.h>

#include "graph/cost.h"
#include "graph/handles.h"
#include "graph/lifetime.h"

bool dg_sql_mentions(const char *sql, const char *word)
{
    for (size_t n = 0; *sql; sql++) {
        n = tolower((unsigned char)*sql) == word[n] ? n + 1 : (*sql | 32) == *word;
        if (!word[n])
            return true;
    }
    return false;
}

enum dg_status dg_asked_store(struct dg_store *store, const char *sql,
                              struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (dg_sql_mentions(sql, "cost"))
        status = dg_costs_store(store, err);
    if (!status &&
        (dg_sql_mentions(sql, "lifetime") || dg_sql_mentions(sql, "occupancy")))
        status = dg_lifetimes_store(store, err);
    if (!status && dg_sql_mentions(sql, "lineage"))
        status = dg_handles_follow(store, err);
    return status;
}

enum dg_status dg_asked_measured(bool *measured, struct dg_store *store,
                                 struct dg_error *err)
{
    int64_t any = 0;
    enum dg_status status =
        dg_store_int(store, "SELECT EXISTS (SELECT 1 FROM profile)", 0, &any, err);

    *measured = !status && any;
    return *measured ? dg_store_add_views(store, err) : status;
}
