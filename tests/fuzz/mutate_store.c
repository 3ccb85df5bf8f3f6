/* Mutants of stores: cells, rows and tables, changed by SQLite itself. */
#include <sqlite3.h>
#include <string.h>

#include "fuzz/mutate.h"

/* One text that SQLite answers; "" for none. The caller frees it with sqlite3_free().
 */
static char *ask(sqlite3 *db, const char *sql, sqlite3_int64 parameter)
{
    sqlite3_stmt *statement = NULL;
    char *answer = NULL;

    if (!sqlite3_prepare_v2(db, sql, -1, &statement, NULL)) {
        sqlite3_bind_int64(statement, 1, parameter);
        if (sqlite3_step(statement) == SQLITE_ROW)
            answer = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return answer ? answer : sqlite3_mprintf("");
}

static char *random_table(struct mutation *m, sqlite3 *db)
{
    return ask(db,
               "SELECT name FROM (SELECT name FROM sqlite_schema WHERE type = 'table'"
               " AND name NOT LIKE 'sqlite%') LIMIT 1 OFFSET ?1 % (SELECT count(*) FROM"
               " sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%')",
               (sqlite3_int64)mutate_random(m, 1000));
}

static char *random_column(struct mutation *m, sqlite3 *db, const char *table)
{
    char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q) LIMIT 1 OFFSET"
                                " ?1 %% (SELECT count(*) FROM pragma_table_info(%Q))",
                                table, table);
    char *column = ask(db, sql, (sqlite3_int64)mutate_random(m, 1000));

    sqlite3_free(sql);
    return column;
}

static char *value_of(struct mutation *m, const char *table, const char *column)
{
    switch (mutate_random(m, 5)) {
    case 0:
        return sqlite3_mprintf("%Q", mutate_text(m));
    case 1:
        return sqlite3_mprintf("(SELECT \"%w\" FROM \"%w\" LIMIT 1 OFFSET %lld %%"
                               " (SELECT count(*) FROM \"%w\"))",
                               column, table, (sqlite3_int64)mutate_random(m, 10000),
                               table);
    case 2:
        return sqlite3_mprintf("NULL");
    default:
        return sqlite3_mprintf("%lld",
                               (sqlite3_int64)mutate_number(m, mutate_random(m, 100)));
    }
}

static char *statement_on(struct mutation *m, sqlite3 *db)
{
    char *table = random_table(m, db), *column = random_column(m, db, table);
    char *value = value_of(m, table, column), *sql;
    sqlite3_int64 row = (sqlite3_int64)mutate_random(m, 10000);

    switch (mutate_random(m, 16)) {
    case 0:
        sql = sqlite3_mprintf("DELETE FROM \"%w\" WHERE rowid = 1 + %lld %% (SELECT"
                              " max(rowid) FROM \"%w\")",
                              table, row, table);
        break;
    case 1:
        sql = sqlite3_mprintf("INSERT INTO \"%w\" SELECT * FROM \"%w\"", table, table);
        break;
    case 2:
        sql = sqlite3_mprintf("DROP TABLE \"%w\"", table);
        break;
    case 3:
        sql = sqlite3_mprintf("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET"
                              " sql = replace(sql, 'INTEGER', %Q) WHERE name = %Q",
                              mutate_text(m), table);
        break;
    case 4:
        sql = sqlite3_mprintf("CREATE VIEW \"v_%lld\" AS SELECT * FROM \"%w\"", row,
                              table);
        break;
    default:
        sql = sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s WHERE rowid = 1"
                              " + %lld %% (SELECT max(rowid) FROM \"%w\")",
                              table, column, value, row, table);
    }
    sqlite3_free(value);
    sqlite3_free(column);
    sqlite3_free(table);
    return sql;
}

static sqlite3 *open_copy(const struct dg_writer *file)
{
    sqlite3 *db = NULL;
    unsigned char *copy = sqlite3_malloc64(file->size);

    memcpy(copy, file->data, file->size);
    if (sqlite3_open(":memory:", &db) ||
        sqlite3_deserialize(
            db, "main", copy, (sqlite3_int64)file->size, (sqlite3_int64)file->size,
            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)) {
        sqlite3_close(db);
        db = NULL;
    }
    return db;
}

bool mutate_store(struct mutation *m, struct dg_writer *file)
{
    sqlite3 *db = mutate_random(m, 10) ? open_copy(file) : NULL; /* else its pages */
    sqlite3_int64 size = 0;
    unsigned char *bytes;

    if (!db)
        return false;
    for (uint64_t n = 1 + mutate_random(m, 3); n; n--) {
        char *sql = statement_on(m, db);

        sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    bytes = sqlite3_serialize(db, "main", &size, 0);
    if (bytes) {
        dg_writer_clear(file);
        dg_write(file, (const char *)bytes, (size_t)size);
    }
    sqlite3_free(bytes);
    sqlite3_close(db);
    return bytes != NULL;
}
