/* Statements that a user wrote. */
#include "store/statement.h"

#include <ctype.h>

#include "store/database.h"

int dg_rows_parameters(const struct dg_rows *rows)
{
    return sqlite3_bind_parameter_count(rows->statement);
}

const char *dg_rows_parameter(const struct dg_rows *rows, int parameter)
{
    const char *name = sqlite3_bind_parameter_name(rows->statement, parameter);

    return name && *name != '?' ? name + 1 : NULL;
}

size_t dg_rows_sql_size(const struct dg_rows *rows)
{
    return strlen(sqlite3_sql(rows->statement));
}

bool dg_sql_is_blank(const char *sql)
{
    while (*sql) {
        if (isspace((unsigned char)*sql) || *sql == ';') {
            sql++;
        } else if (!strncmp(sql, "--", 2)) {
            sql += strcspn(sql, "\n");
        } else if (!strncmp(sql, "/*", 2)) {
            const char *end = strstr(sql + 2, "*/");

            sql = end ? end + 2 : sql + strlen(sql);
        } else {
            return false;
        }
    }
    return true;
}

int dg_store_wrong_at(const struct dg_store *store)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    return sqlite3_error_offset(store->db);
#else
    return -1;
#endif
}
