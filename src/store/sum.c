/* Sums of integers that end at the largest there is, where SQLite's end the query. */
#include "store/sum.h"

#include <stddef.h>
#include <stdint.h>

/* SQLite aligns what it allocates to 8 bytes. */
__extension__ typedef __int128 wide __attribute__((aligned(8)));

struct sum {
    wide integers; /* no file has rows enough to overflow it */
    double reals;
    int64_t n, n_reals;
};

static void add(sqlite3_context *context, sqlite3_value *value, int sign)
{
    struct sum *sum = sqlite3_aggregate_context(context, sizeof(*sum));

    if (!sum) {
        sqlite3_result_error_nomem(context);
        return;
    }
    switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_NULL:
        return;
    case SQLITE_INTEGER:
        sum->integers += sign * (wide)sqlite3_value_int64(value);
        break;
    default:
        sum->reals += sign * sqlite3_value_double(value);
        sum->n_reals += sign;
    }
    sum->n += sign;
}

static void step(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    add(context, values[0], 1);
}

static void inverse(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    add(context, values[0], -1);
}

static void result(sqlite3_context *context)
{
    const struct sum *sum = sqlite3_aggregate_context(context, 0);

    if (!sum || !sum->n)
        sqlite3_result_null(context);
    else if (sum->n_reals)
        sqlite3_result_double(context, sum->reals + (double)sum->integers);
    else if (sum->integers > INT64_MAX)
        sqlite3_result_int64(context, INT64_MAX);
    else if (sum->integers < INT64_MIN)
        sqlite3_result_int64(context, INT64_MIN);
    else
        sqlite3_result_int64(context, (int64_t)sum->integers);
}

int dg_sum_register(sqlite3 *db)
{
    return sqlite3_create_window_function(
        db, "sum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, step,
        result, result, inverse, NULL);
}
