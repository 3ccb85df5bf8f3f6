/* dg_f16(): what 16 bits hold of a number. */
#include "store/half.h"

#include "base/number.h"

static void to_f16(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    if (sqlite3_value_numeric_type(values[0]) == SQLITE_INTEGER ||
        sqlite3_value_numeric_type(values[0]) == SQLITE_FLOAT)
        sqlite3_result_double(
            context, dg_f16_value(dg_f16_bits(sqlite3_value_double(values[0]))));
}

int dg_half_register(sqlite3 *db)
{
    return sqlite3_create_function(db, "dg_f16", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   NULL, to_f16, NULL, NULL);
}
