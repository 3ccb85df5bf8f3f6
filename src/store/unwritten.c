/* Writing tables when a statement first names them. */
#include "store/unwritten.h"

#include <string.h>

#include "store/database.h"
#include "store/tables.h"

_Static_assert(DG_N_TABLES <= 64, "a bit for each");

#define ALL_TABLES (UINT64_MAX >> (64 - DG_N_TABLES))

/* Those of which it is not known yet that statements name them, but matters. A
 * statement that is prepared before a program comes may run behind it. */
static uint64_t to_notice(const struct dg_unwritten *unwritten)
{
    return (unwritten->begun ? unwritten->tables : ALL_TABLES) & ~unwritten->named;
}

static uint64_t bit_of(enum dg_table number)
{
    return number < DG_N_TABLES ? UINT64_C(1) << number : 0;
}

static bool changes_table(int action)
{
    return action == SQLITE_INSERT || action == SQLITE_UPDATE ||
           action == SQLITE_DELETE;
}

/* SQLite asks while it prepares a statement. What a savepoint rolls back must not be
 * rows of the program. */
static int note(void *state, int action, const char *first, const char *second,
                const char *database, const char *trigger)
{
    struct dg_unwritten *unwritten = state;
    uint64_t others = to_notice(unwritten);

    if (action == SQLITE_SAVEPOINT)
        dg_unwritten_end(unwritten);
    if (changes_table(action))
        unwritten->changed |= bit_of(dg_table_find(first));
    else if (action != SQLITE_READ)
        return SQLITE_OK;
    for (enum dg_table t = 0; others; t++, others >>= 1) {
        if (others & 1 && !strcmp(first, dg_table_name(t)))
            unwritten->named |= bit_of(t);
    }
    return SQLITE_OK;
}

int dg_unwritten_watch(sqlite3 *db, struct dg_unwritten *unwritten)
{
    return sqlite3_set_authorizer(db, note, unwritten);
}

/* While a table is written, which names no other, nothing else is. */
static enum dg_status write(struct dg_store *store, uint64_t which,
                            struct dg_error *err)
{
    uint64_t due = store->bulk ? 0 : store->unwritten.tables & which;
    enum dg_status status = DG_OK;

    for (enum dg_table t = 0; due && !status; t++, due >>= 1) {
        if (!(due & 1))
            continue;
        status = dg_store_write_table(store, &store->resident->tables[t].rows, err);
        if (!status)
            store->unwritten.tables &= ~bit_of(t);
    }
    return status;
}

/* SQLite does not ask about columns that only USING or NATURAL names, nor about the
 * table whose rows an INSERT copies whole: names in the text count there, too often
 * rather than never. Views, whose text is not seen here, have none of these. */
static void notice_words(struct dg_unwritten *unwritten, const char *sql)
{
    uint64_t others = to_notice(unwritten);

    if (!others ||
        !(strstr(sql, "USING") || strstr(sql, "NATURAL") || strstr(sql, "INSERT")))
        return;
    for (enum dg_table t = 0; others; t++, others >>= 1) {
        if (others & 1 && strstr(sql, dg_table_name(t)))
            unwritten->named |= bit_of(t);
    }
}

enum dg_status dg_unwritten_write_named(struct dg_store *store, const char *sql,
                                        struct dg_error *err)
{
    notice_words(&store->unwritten, sql);
    return write(store, store->unwritten.named, err);
}

enum dg_status dg_unwritten_write_all(struct dg_store *store, struct dg_error *err)
{
    return write(store, UINT64_MAX, err);
}

void dg_unwritten_end(struct dg_unwritten *unwritten)
{
    unwritten->named = unwritten->changed = UINT64_MAX;
}

enum dg_presence dg_store_presence(const struct dg_store *store, const char *table)
{
    enum dg_table number = dg_table_find(table);
    const struct dg_resident_table *here;

    if (!store->resident || number == DG_N_TABLES)
        return DG_PRESENCE_UNKNOWN;
    here = &store->resident->tables[number];
    if (here->rows.bulk.n_rows)
        return here->virtual || store->unwritten.tables & bit_of(number)
                   ? DG_PRESENT
                   : DG_PRESENCE_UNKNOWN;
    return store->unwritten.changed & bit_of(number) ? DG_PRESENCE_UNKNOWN : DG_ABSENT;
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
