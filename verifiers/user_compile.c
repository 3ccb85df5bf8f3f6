/* Rules that users write: whether their SQL is one, before any program is read. */
#include <string.h>

#include "base/text.h"
#include "store/statement.h"
#include "verifiers/user.h"
#include "verifiers/user_parts.h"

const char *const dg_user_columns[DG_N_USER_COLUMNS] = {
    "artifact_id", "method_id", "graph_id", "node_id",
    "value_id",    "message",   "path",     "severity"};

/* "node", in the views a name, means node_id. */
static const char *near_column(const char *wrong)
{
    size_t size = strlen(wrong);

    for (int i = 0; i < DG_N_USER_IDS; i++) {
        if (!strncmp(dg_user_columns[i], wrong, size) &&
            !strcmp(dg_user_columns[i] + size, "_id"))
            return dg_user_columns[i];
    }
    return dg_nearest(wrong, dg_user_columns, DG_N_USER_COLUMNS);
}

static enum dg_status refuse_column(const char *wrong, struct dg_error *err)
{
    const char *near = near_column(wrong);
    struct dg_writer known = {0};
    enum dg_status status;

    for (int i = 0; i < DG_N_USER_COLUMNS; i++)
        dg_print(&known, "%s%s", i ? ", " : "", dg_user_columns[i]);
    status = dg_fail(err, DG_ERR_USAGE,
                     "column \"%.60s\" is none of a rule%s%s%s; known are %s", wrong,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "",
                     known.data);
    dg_writer_clear(&known);
    return status;
}

static int number_of(const char *name)
{
    int i = 0;

    while (i < DG_N_USER_COLUMNS && strcmp(name, dg_user_columns[i]) != 0)
        i++;
    return i;
}

enum dg_status dg_user_columns_find(struct dg_user_columns *columns,
                                    const struct dg_rows *rows, struct dg_error *err)
{
    for (int i = 0; i < DG_N_USER_COLUMNS; i++)
        columns->at[i] = -1;
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        const char *name = dg_rows_column(rows, i);
        int number = number_of(name);

        if (number == DG_N_USER_COLUMNS)
            return refuse_column(name, err);
        if (columns->at[number] >= 0)
            return dg_fail(err, DG_ERR_USAGE, "two columns are named %s", name);
        columns->at[number] = i;
    }
    if (columns->at[DG_USER_MESSAGE] < 0)
        return dg_fail(err, DG_ERR_USAGE,
                       "no column is named message; expected SELECT ... AS message");
    return DG_OK;
}

static enum dg_status examine(const struct dg_rows *rows, const char *sql,
                              struct dg_error *err)
{
    struct dg_user_columns columns;

    if (!dg_sql_is_blank(sql + dg_rows_sql_size(rows)))
        return dg_fail(err, DG_ERR_USAGE,
                       "more than one statement; a rule is one SELECT");
    if (dg_rows_parameters(rows))
        return dg_fail(err, DG_ERR_USAGE, "a rule has no parameters (:name, ?)");
    return dg_user_columns_find(&columns, rows, err);
}

static int count_lines(const char *sql, int size)
{
    int n = 0;

    for (int i = 0; i < size && sql[i]; i++)
        n += sql[i] == '\n';
    return n;
}

enum dg_status dg_user_rule_compile(int *line, const struct dg_rule *rule,
                                    struct dg_store *store, struct dg_error *err)
{
    const char *sql = rule->source->sql;
    struct dg_rows rows;
    enum dg_status status;

    *line = rule->source->line;
    dg_store_sandbox(store, rule->source->seconds);
    status = dg_rows_open(&rows, store, sql, err);
    if (status)
        *line += count_lines(sql, dg_store_wrong_at(store));
    else
        status = dg_rows_close(&rows, examine(&rows, sql, err), err);
    dg_store_leave_sandbox(store);
    return status;
}
