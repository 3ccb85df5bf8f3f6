/* Statements that a user wrote. */
#include "store/statement.h"

#include <sqlite3.h>

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
