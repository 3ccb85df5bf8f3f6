/* The virtual tables: their columns, and their rows. */
#include "store/resident.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/row_plan.h"
#include "store/schema.h"
#include "store/store.h"

struct table {
    sqlite3_vtab base;
    struct dg_resident **resident;
    enum dg_table number;
};

struct cursor {
    sqlite3_vtab_cursor base;
    const struct dg_resident_table *table;
    const uint32_t *list; /* rows; NULL: all of them from `begin` on */
    size_t begin, n, at;
    bool reversed;
};

static struct dg_resident *resident_of(sqlite3_vtab *table)
{
    return *((struct table *)table)->resident;
}

static struct dg_resident_table *table_of(sqlite3_vtab *table)
{
    return &resident_of(table)->tables[((struct table *)table)->number];
}

/* Up to a key of several columns, which a virtual table has not, or to the end of the
 * list. */
static struct dg_text columns_of(struct dg_text sql)
{
    struct dg_text rest = sql, before = {0}, token;
    const char *end = sql.data;

    while ((token = dg_sql_token(&rest)).size) {
        if (dg_text_is(token, "PRIMARY") && dg_text_is(before, ","))
            return (struct dg_text){sql.data, (size_t)(before.data - sql.data)};
        if (dg_text_is(token, ")"))
            end = token.data;
        before = token;
    }
    return (struct dg_text){sql.data, (size_t)(end - sql.data)};
}

/* Its columns as in schema.sql. */
static void write_declaration(struct dg_writer *out, const char *name)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        if (dg_text_is(entry.type, "table") && dg_text_is(entry.name, name)) {
            dg_write_text(out, columns_of(entry.sql));
            dg_print(out, ") STRICT");
            return;
        }
    }
}

static int connect_table(sqlite3 *db, void *resident, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message)
{
    struct dg_writer sql = {0};
    struct table *table;
    int status;

    if (dg_table_find(argv[2]) == DG_N_TABLES)
        return SQLITE_ERROR;
    write_declaration(&sql, argv[2]);
    status = sqlite3_declare_vtab(db, sql.data);
    dg_writer_clear(&sql);
    if (!status)
        status = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    if (status)
        return status;
    table = sqlite3_malloc(sizeof(*table));
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct table){.resident = resident, .number = dg_table_find(argv[2])};
    *out = &table->base;
    return SQLITE_OK;
}

/* Another function than the above: else the module itself would be a table. */
static int create_table(sqlite3 *db, void *resident, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **message)
{
    return connect_table(db, resident, argc, argv, out, message);
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    dg_row_plan_choose(info, table_of(table), &resident_of(table)->program);
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){.table = table_of(table)};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static void find_one(struct cursor *cursor, sqlite3_value *value)
{
    struct dg_any id;
    uint64_t row;

    if (!dg_row_plan_cell(&id, value, false))
        return;
    row = id.type == DG_NULL ? UINT64_MAX : (uint64_t)id.integer - 1;
    cursor->n = row < cursor->n;
    cursor->begin = row;
}

/* The first row whose key is `least` or more. */
static size_t first_from(const struct dg_resident_table *table, int64_t least)
{
    size_t begin = 0, end = table->rows.bulk.n_rows;

    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;

        if (dg_table_cell(&table->rows, middle, 0).integer < least)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void find_range(struct cursor *cursor, union dg_row_plan plan,
                       sqlite3_value **argv)
{
    struct dg_any key = {0};
    size_t begin = 0, end = cursor->n;

    if (plan.as.least) {
        if (dg_row_plan_cell(&key, *argv, false) && key.type == DG_INTEGER)
            begin = plan.as.above && key.integer == INT64_MAX
                        ? end
                        : first_from(cursor->table, key.integer + plan.as.above);
        argv++;
    }
    if (plan.as.most && dg_row_plan_cell(&key, *argv, false) &&
        key.type == DG_INTEGER && (plan.as.below || key.integer < INT64_MAX))
        end = first_from(cursor->table, key.integer + !plan.as.below);
    cursor->begin = begin;
    cursor->n = begin < end ? end - begin : 0;
}

static void find_key(struct cursor *cursor, struct dg_resident_table *table,
                     uint32_t columns, sqlite3_value **argv)
{
    const struct dg_row_index *index;
    struct dg_any cells[DG_BULK_COLUMNS];
    uint32_t n = 0;
    bool null = false;

    for (int i = 0, arg = 0; i < DG_BULK_COLUMNS; i++) {
        if (!(columns >> i & 1))
            continue;
        if (!dg_row_plan_cell(&cells[arg], argv[arg],
                              dg_table_holds_text(table->rows.table, i)))
            return;
        null = null || cells[arg++].type == DG_NULL;
    }
    index = null ? NULL : dg_row_index(&table->indexes, columns);
    if (!null && !index)
        return;
    if (!null)
        cursor->list = dg_row_index_find(&table->indexes, index, cells, &n);
    cursor->n = n;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                  sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    union dg_row_plan plan = {number};

    cursor->list = NULL;
    cursor->begin = cursor->at = 0;
    cursor->n = cursor->table->rows.bulk.n_rows;
    cursor->reversed = plan.as.reversed;
    switch ((enum dg_way)plan.as.way) {
    case DG_WAY_ALL:
        find_range(cursor, plan, argv);
        break;
    case DG_WAY_ONE:
        find_one(cursor, argv[0]);
        break;
    case DG_WAY_KEY:
        find_key(cursor, table_of(base->pVtab), plan.as.columns, argv);
        break;
    case DG_WAY_NONE:
        cursor->n = 0;
        break;
    }
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor)
{
    ((struct cursor *)cursor)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->at >= cursor->n;
}

static size_t row_of(const struct cursor *cursor)
{
    size_t at = cursor->reversed ? cursor->n - 1 - cursor->at : cursor->at;

    return cursor->list ? cursor->list[at] : cursor->begin + at;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *out, int number)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct dg_table_rows *rows = &cursor->table->rows;

    rows->bulk.cell(out, &rows->bulk, row_of(cursor), number);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)row_of((struct cursor *)base) + 1;
    return SQLITE_OK;
}

int dg_resident_register(sqlite3 *db, struct dg_resident **resident)
{
    static const sqlite3_module module = {
        .xCreate = create_table,
        .xConnect = connect_table,
        .xDestroy = disconnect,
        .xDisconnect = disconnect,
        .xBestIndex = best_index,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = filter,
        .xNext = next,
        .xEof = at_end,
        .xColumn = column,
        .xRowid = row_id,
    };

    return sqlite3_create_module(db, "dg_resident", &module, resident);
}

struct dg_resident *dg_resident_take(struct dg_program *program)
{
    enum { LEAST_ROOM = 256 << 20, BYTES_PER_ROW = 300 };
    struct dg_resident *resident = dg_zeroed(1, sizeof(*resident));

    resident->room = LEAST_ROOM;
    resident->program = *program;
    *program = (struct dg_program){0};
    for (enum dg_table t = 0; t < DG_N_TABLES; t++) {
        struct dg_resident_table *table = &resident->tables[t];

        table->rows.artifact = 1;
        dg_table_rows_begin(&table->rows, &resident->program, t);
        /* SQL adds to remarks. */
        table->sorted = t != DG_TABLE_remarks && dg_table_is_sorted(&table->rows);
        table->indexes.rows = &table->rows;
        table->indexes.room = &resident->room;
        resident->room += table->rows.bulk.n_rows * BYTES_PER_ROW;
    }
    return resident;
}

void dg_resident_free(struct dg_resident *resident)
{
    if (!resident)
        return;
    for (enum dg_table t = 0; t < DG_N_TABLES; t++)
        dg_row_indexes_clear(&resident->tables[t].indexes);
    dg_program_clear(&resident->program);
    free(resident);
}
