/* Writing tables when a statement first names them. */
#include "store/unwritten.h"

#include <string.h>

#include "store/database.h"
#include "store/tables.h"

_Static_assert(DG_N_TABLES <= 64, "a bit for each");

static bool names_table(int action)
{
    return action == SQLITE_READ || action == SQLITE_INSERT ||
           action == SQLITE_UPDATE || action == SQLITE_DELETE;
}

/* SQLite asks while it prepares a statement. What a savepoint rolls back must not be
 * rows of the program. */
static int note(void *state, int action, const char *first, const char *second,
                const char *database, const char *trigger)
{
    struct dg_unwritten *unwritten = state;
    uint64_t others = unwritten->tables & ~unwritten->named;

    if (action == SQLITE_SAVEPOINT)
        dg_unwritten_end(unwritten);
    if (!names_table(action))
        return SQLITE_OK;
    for (enum dg_table t = 0; others; t++, others >>= 1) {
        if (others & 1 && !strcmp(first, dg_table_name(t)))
            unwritten->named |= UINT64_C(1) << t;
    }
    return SQLITE_OK;
}

int dg_unwritten_watch(sqlite3 *db, struct dg_unwritten *unwritten)
{
    return sqlite3_set_authorizer(db, note, unwritten);
}

/* While it writes there is nothing to be written: to write is to run statements, which
 * name tables. */
static enum dg_status write(struct dg_store *store, uint64_t which,
                            struct dg_error *err)
{
    uint64_t due = store->unwritten.tables & which,
             others = store->unwritten.tables & ~due;
    enum dg_status status = DG_OK;

    store->unwritten.tables = 0;
    for (enum dg_table t = 0; due && !status; t++) {
        uint64_t bit = UINT64_C(1) << t;

        if (due & bit)
            status = dg_store_write_table(store, &store->resident->tables[t].rows, err);
        if (!status)
            due &= ~bit;
    }
    store->unwritten.tables = others | due;
    return status;
}

enum dg_status dg_unwritten_write_named(struct dg_store *store, struct dg_error *err)
{
    return write(store, store->unwritten.named, err);
}

enum dg_status dg_unwritten_write_all(struct dg_store *store, struct dg_error *err)
{
    return write(store, UINT64_MAX, err);
}

void dg_unwritten_end(struct dg_unwritten *unwritten)
{
    unwritten->named = UINT64_MAX;
}

size_t dg_unwritten_rows(const struct dg_store *store)
{
    size_t n = 0;

    for (enum dg_table t = 0; t < DG_N_TABLES; t++) {
        if (store->unwritten.tables >> t & 1)
            n += store->resident->tables[t].rows.bulk.n_rows;
    }
    return n;
}
