/* format() and printf() that fail where SQLite's own give NULL: a result beyond the
 * limit.
 */
#include "store/format.h"

#include <stdlib.h>

#include "base/text.h"

/* They cannot be called once they are replaced, but on another connection. */
struct formatter {
    sqlite3 *db;
    sqlite3_stmt *statement;
    int n_values; /* that the statement takes */
};

static void clear(void *state)
{
    struct formatter *formatter = state;

    sqlite3_finalize(formatter->statement);
    sqlite3_close(formatter->db);
    free(formatter);
}

/* The text; 1 where it is empty, for which SQLite has NULL, too; 0 where it is too
 * long. */
static int prepare(struct formatter *formatter, int n)
{
    struct dg_writer sql = {0}, rest = {0};
    int code;

    if (formatter->statement && formatter->n_values == n)
        return SQLITE_OK;
    sqlite3_finalize(formatter->statement);
    for (int i = 2; i <= n; i++)
        dg_print(&rest, ", ?%d", i);
    dg_print(&rest, ")");
    dg_print(&sql, "SELECT coalesce(format(?1%s, format(?1 || 'x'%s IS NOT NULL)",
             rest.data, rest.data);
    code = sqlite3_prepare_v2(formatter->db, sql.data, -1, &formatter->statement, NULL);
    formatter->n_values = n;
    dg_writer_clear(&sql);
    dg_writer_clear(&rest);
    return code;
}

static void format(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct formatter *formatter = sqlite3_user_data(context);
    int code = SQLITE_ROW;

    if (!n || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    if (prepare(formatter, n))
        code = SQLITE_NOMEM;
    for (int i = 0; i < n && code == SQLITE_ROW; i++)
        code = sqlite3_bind_value(formatter->statement, i + 1, values[i]) ? SQLITE_NOMEM
                                                                          : code;
    if (code == SQLITE_ROW)
        code = sqlite3_step(formatter->statement);
    if (code != SQLITE_ROW)
        sqlite3_result_error_code(context, code);
    else if (sqlite3_column_type(formatter->statement, 0) == SQLITE_TEXT)
        sqlite3_result_value(context, sqlite3_column_value(formatter->statement, 0));
    else if (!sqlite3_column_int(formatter->statement, 0))
        sqlite3_result_error_toobig(context);
    sqlite3_reset(formatter->statement);
}

int dg_format_register(sqlite3 *db, int longest)
{
    static const char *const names[] = {"format", "printf"};
    int code = SQLITE_OK;

    for (size_t i = 0; i < 2 && !code; i++) {
        struct formatter *formatter = calloc(1, sizeof(*formatter));

        if (!formatter)
            return SQLITE_NOMEM;
        code = sqlite3_open(":memory:", &formatter->db);
        if (!code)
            sqlite3_limit(formatter->db, SQLITE_LIMIT_LENGTH, longest);
        if (code)
            clear(formatter);
        else
            code = sqlite3_create_function_v2(db, names[i], -1,
                                              SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                              formatter, format, NULL, NULL, clear);
    }
    return code;
}
