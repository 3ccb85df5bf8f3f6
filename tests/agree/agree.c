/* agree [STORES [FIRST]]: every rule that is written in C and in SQL finds the same in
 * random stores either way: the same nodes and values, with the same severity.
 */
#include "agree/stores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verifiers/verifier.h"

enum { STORES = 2000 };

static uint64_t n_compared, n_found, n_differ;

static bool ran;

static void on_rule(void *context, const char *id, double seconds,
                    const char *not_checked)
{
    (void)context;
    (void)id;
    (void)seconds;
    ran = !not_checked;
}

/* What a query finds: a text per row. */
static enum dg_status list(struct dg_writer *out, struct dg_store *store,
                           const char *sql, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, sql, err);

    if (status)
        return status;
    dg_print(out, " ");
    while (dg_rows_next(&rows))
        dg_print(out, "%s; ", dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

/* The columns that the query lacks, as NULL. */
static enum dg_status list_query(struct dg_writer *out, struct dg_store *store,
                                 const struct dg_rule *rule, struct dg_error *err)
{
    struct dg_writer sql = {0};
    enum dg_status status;

    dg_print(&sql,
             "SELECT printf('%%lld %%lld %%s', node, value, coalesce(severity, '%s'))"
             " FROM (SELECT %s AS node, %s AS value, %s AS severity FROM (%s))"
             " ORDER BY node, value, coalesce(severity, '')",
             dg_severity_name(rule->severity),
             strstr(rule->query, "AS node") ? "node" : "NULL",
             strstr(rule->query, "AS value") ? "value" : "NULL",
             strstr(rule->query, "AS severity") ? "severity" : "NULL", rule->query);
    status = list(out, store, sql.data, err);
    dg_writer_clear(&sql);
    return status;
}

static void report(const char *id, uint64_t number, const char *by_c,
                   const char *by_sql)
{
    if (n_differ++ < 20)
        fprintf(stderr, "store %llu, %s: C finds%s, SQL finds%s\n",
                (unsigned long long)number, id, by_c, by_sql);
}

static enum dg_status compare(struct dg_store *store, const char *id,
                              const struct dg_rule *rule, uint64_t number,
                              struct dg_error *err)
{
    const struct dg_selection selection = {.select = &id, .n_select = 1, .unfolded = true};
    struct dg_writer by_c = {0}, by_sql = {0};
    enum dg_status status = dg_store_exec(store, "DELETE FROM finding", err);

    if (!status)
        status = dg_verify(store, &selection, on_rule, NULL, err);
    if (!status && ran) {
        status = list(&by_c, store,
                      "SELECT printf('%lld %lld %s', node_id, value_id, severity)"
                      " FROM finding ORDER BY node_id, value_id, severity",
                      err);
        if (!status)
            status = list_query(&by_sql, store, rule, err);
        n_compared++;
        n_found += by_c.size > 1;
    }
    if (!status && ran && strcmp(by_c.data, by_sql.data))
        report(id, number, by_c.data, by_sql.data);
    dg_writer_clear(&by_c);
    dg_writer_clear(&by_sql);
    return status;
}

static enum dg_status look_at(struct dg_store *store, uint64_t number,
                              struct dg_error *err)
{
    enum dg_status status = stores_fill(store, number, err);

    for (size_t i = 0; dg_verifiers[i] && !status; i++) {
        for (const struct dg_rule *rule = dg_verifiers[i]->rules; rule->name && !status;
             rule++) {
            char id[160];

            if (!rule->check || !rule->query)
                continue;
            snprintf(id, sizeof(id), "%s/%s", dg_verifiers[i]->name, rule->name);
            status = compare(store, id, rule, number, err);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : STORES;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    struct dg_error err = {0};
    struct dg_store *store = NULL;
    enum dg_status status = dg_store_create(&store, &err);

    for (uint64_t i = 0; i < n && !status; i++)
        status = look_at(store, first + i, &err);
    dg_store_close(store);
    if (status)
        fprintf(stderr, "agree: %s\n", err.text);
    printf("%llu stores, %llu comparisons, %llu with findings, %llu differ\n",
           (unsigned long long)n, (unsigned long long)n_compared,
           (unsigned long long)n_found, (unsigned long long)n_differ);
    return status || n_differ ? EXIT_FAILURE : EXIT_SUCCESS;
}
