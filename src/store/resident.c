/* The virtual tables: which way SQLite finds rows, and the rows. */
#include "store/resident.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/schema.h"
#include "store/store.h"

enum way {
    ALL,  /* all rows, or those with ids in a range */
    ONE,  /* the row of an id */
    KEY,  /* rows of an index */
    NONE, /* no row can be meant */
};

/* What best_index() tells filter(), which has arguments in this order: columns of the
 * key from the first on; or the id; or its least, and its most. */
union plan {
    int number; /* as SQLite keeps it */
    struct {
        unsigned way : 2, reversed : 1, least : 1, above : 1, most : 1, below : 1;
        unsigned columns : 25;
    } as;
};

_Static_assert(sizeof(union plan) == sizeof(int), "SQLite keeps no more");

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

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* Ways to find rows, the best first. */

struct choice {
    const sqlite3_index_info *info;
    const struct dg_program *program;
    struct dg_resident_table *table;
    int equal[DG_BULK_COLUMNS]; /* the condition on a column + 1 */
    uint32_t columns;           /* that have one */
    int least, most;            /* conditions on the id + 1 */
};

static bool is_id(const struct dg_resident_table *table, int column)
{
    return dg_table_has_id(table->rows.table) && column <= 0;
}

static bool has(struct dg_resident_table *table, int column, bool null)
{
    uint32_t bit = 1u << column;

    if (!(table->asked[null] & bit) && dg_table_has_cell(&table->rows, column, null))
        table->has[null] |= bit;
    table->asked[null] |= bit;
    return table->has[null] & bit;
}

/* Whether no NULL meets such a condition. */
static bool needs_content(int comparison)
{
    static const int all[] = {
        SQLITE_INDEX_CONSTRAINT_EQ,       SQLITE_INDEX_CONSTRAINT_NE,
        SQLITE_INDEX_CONSTRAINT_LT,       SQLITE_INDEX_CONSTRAINT_LE,
        SQLITE_INDEX_CONSTRAINT_GT,       SQLITE_INDEX_CONSTRAINT_GE,
        SQLITE_INDEX_CONSTRAINT_ISNOTNULL};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (comparison == all[i])
            return true;
    }
    return false;
}

static bool is_binary(const sqlite3_index_info *info, int condition)
{
    return !strcmp(sqlite3_vtab_collation((sqlite3_index_info *)info, condition),
                   "BINARY");
}

static void note_condition(struct choice *choice, int i)
{
    int column = choice->info->aConstraint[i].iColumn;
    int *place = NULL;

    switch (choice->info->aConstraint[i].op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        if (is_id(choice->table, column))
            place = &choice->equal[0];
        else if (column >= 0 && is_binary(choice->info, i) &&
                 dg_table_is_indexable(choice->table->rows.table, column))
            place = &choice->equal[column];
        if (place && !*place)
            choice->columns |= 1u << (column < 0 ? 0 : column);
        break;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
        place = is_id(choice->table, column) ? &choice->least : NULL;
        break;
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
        place = is_id(choice->table, column) ? &choice->most : NULL;
        break;
    }
    if (place && !*place)
        *place = i + 1;
}

/* Whether no row meets it, by where a column is NULL. */
static bool is_hopeless(const struct choice *choice,
                        const struct sqlite3_index_constraint *condition)
{
    if (condition->iColumn < 0)
        return false;
    if (condition->op == SQLITE_INDEX_CONSTRAINT_ISNULL)
        return !has(choice->table, condition->iColumn, true);
    return needs_content(condition->op) &&
           !has(choice->table, condition->iColumn, false);
}

/* False: no row can meet them. */
static bool note_conditions(struct choice *choice)
{
    for (int i = 0; i < choice->info->nConstraint; i++) {
        const struct sqlite3_index_constraint *condition =
            &choice->info->aConstraint[i];

        if (!condition->usable)
            continue;
        if (is_hopeless(choice, condition))
            return false;
        note_condition(choice, i);
    }
    return true;
}

/* False: what it equals is for SQLite to say, which looks at each row once more. */
static bool take_cell(struct dg_any *cell, sqlite3_value *value, bool text)
{
    if (sqlite3_value_type(value) == SQLITE_NULL) {
        *cell = (struct dg_any){0};
        return true;
    }
    if (sqlite3_value_type(value) != (text ? SQLITE_TEXT : SQLITE_INTEGER))
        return false;
    *cell = (struct dg_any){.type = text ? DG_TEXT : DG_INTEGER};
    if (text)
        cell->text = (struct dg_text){(const char *)sqlite3_value_text(value),
                                      (size_t)sqlite3_value_bytes(value)};
    else
        cell->integer = sqlite3_value_int64(value);
    return true;
}

/* What a query compares with, if it is written there. */
static sqlite3_value *operand_of(const struct choice *choice, int column)
{
    sqlite3_value *value = NULL;
#if SQLITE_VERSION_NUMBER >= 3038000
    sqlite3_vtab_rhs_value((sqlite3_index_info *)choice->info,
                           choice->equal[column] - 1, &value);
#endif
    return value;
}

static double rows_of_word(const struct choice *choice, int column)
{
    struct dg_row_indexes *indexes = &choice->table->indexes;
    sqlite3_value *value = operand_of(choice, column);
    struct dg_any word;
    uint32_t n = 0;

    if (!value || !take_cell(&word, value, true) || word.type == DG_NULL)
        return dg_table_rows_like(choice->program, choice->table->rows.table, column);
    dg_row_index_find(indexes, dg_row_index(indexes, 1u << column), &word, &n);
    return n;
}

/* Rows of a key, as far as it can be told before it is looked up. */
static double rows_of_key(const struct choice *choice)
{
    enum dg_table table = choice->table->rows.table;
    double least = (double)choice->table->rows.bulk.n_rows, rows;

    for (int i = 0; i < DG_BULK_COLUMNS; i++) {
        if (!(choice->columns >> i & 1))
            continue;
        rows = dg_table_holds_words(table, i)
                   ? rows_of_word(choice, i)
                   : dg_table_rows_like(choice->program, table, i);
        least = rows < least ? rows : least;
    }
    return least;
}

/* Whether rows as they lie are in the order that is asked for, or in its reverse. What
 * all of them have in common is in any order. */
static bool is_in_order(const struct choice *choice, bool *reversed)
{
    const sqlite3_index_info *info = choice->info;
    int key = 0, n_key = dg_table_has_id(choice->table->rows.table) ? 1 : 2;

    for (int i = 0; i < info->nOrderBy; i++) {
        int wanted = info->aOrderBy[i].iColumn;

        wanted = is_id(choice->table, wanted) ? 0 : wanted;
        while (key < n_key && choice->columns >> key & 1)
            key++;
        if (key == n_key)
            break;
        if (wanted >= 0 && choice->columns >> wanted & 1)
            continue;
        if (wanted != key || (i && *reversed != info->aOrderBy[i].desc))
            return false;
        *reversed = info->aOrderBy[i].desc;
        key++;
    }
    return true;
}

static void pass(sqlite3_index_info *info, int condition, int *n)
{
    info->aConstraintUsage[condition - 1].argvIndex = ++*n;
}

static void choose_range(const struct choice *choice, union plan *plan,
                         sqlite3_index_info *info)
{
    int n = 0;

    plan->as.way = ALL;
    if (choice->least) {
        plan->as.least = 1;
        plan->as.above =
            info->aConstraint[choice->least - 1].op == SQLITE_INDEX_CONSTRAINT_GT;
        pass(info, choice->least, &n);
    }
    if (choice->most) {
        plan->as.most = 1;
        plan->as.below =
            info->aConstraint[choice->most - 1].op == SQLITE_INDEX_CONSTRAINT_LT;
        pass(info, choice->most, &n);
    }
    info->estimatedRows = (sqlite3_int64)choice->table->rows.bulk.n_rows >> 2 * n;
}

static void choose(const struct choice *choice, union plan *plan,
                   sqlite3_index_info *info)
{
    int n = 0;

    if (choice->columns & 1 && dg_table_has_id(choice->table->rows.table)) {
        plan->as.way = ONE;
        pass(info, choice->equal[0], &n);
        info->estimatedRows = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    } else if (choice->columns) {
        plan->as.way = KEY;
        plan->as.columns = choice->columns;
        for (int i = 0; i < DG_BULK_COLUMNS; i++) {
            if (choice->columns >> i & 1)
                pass(info, choice->equal[i], &n);
        }
        info->estimatedRows = (sqlite3_int64)rows_of_key(choice);
    } else {
        choose_range(choice, plan, info);
    }
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    struct choice choice = {.info = info,
                            .program = &resident_of(table)->program,
                            .table = table_of(table)};
    union plan plan = {0};
    bool reversed = false;

    info->estimatedRows = 0;
    if (note_conditions(&choice))
        choose(&choice, &plan, info);
    else
        plan.as.way = NONE;
    if (info->estimatedRows < 1)
        info->estimatedRows = 1;
    info->estimatedCost = 4 + (double)info->estimatedRows;
    info->orderByConsumed = is_in_order(&choice, &reversed);
    plan.as.reversed = info->orderByConsumed && reversed;
    info->idxNum = plan.number;
    return SQLITE_OK;
}

/* Rows. */

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

    if (!take_cell(&id, value, false))
        return;
    row = id.type == DG_NULL ? UINT64_MAX : (uint64_t)id.integer - 1;
    cursor->n = row < cursor->n;
    cursor->begin = row;
}

static void find_range(struct cursor *cursor, union plan plan, sqlite3_value **argv)
{
    size_t n = cursor->n;
    struct dg_any id = {0};
    int64_t least = 1, most = (int64_t)n;

    if (plan.as.least) {
        if (take_cell(&id, *argv, false) && id.integer > 0)
            least = id.integer + (plan.as.above && id.integer <= most);
        argv++;
    }
    if (plan.as.most && take_cell(&id, *argv, false) && id.integer <= most)
        most = id.integer < 0 ? 0 : id.integer - plan.as.below;
    cursor->begin = (size_t)least - 1;
    cursor->n = least <= most ? (size_t)(most - least) + 1 : 0;
}

static void find_key(struct cursor *cursor, struct dg_resident_table *table,
                     uint32_t columns, sqlite3_value **argv)
{
    struct dg_any cells[DG_BULK_COLUMNS];
    uint32_t n = 0;
    bool null = false;

    for (int i = 0, arg = 0; i < DG_BULK_COLUMNS; i++) {
        if (!(columns >> i & 1))
            continue;
        if (!take_cell(&cells[arg], argv[arg],
                       dg_table_holds_text(table->rows.table, i)))
            return;
        null = null || cells[arg++].type == DG_NULL;
    }
    if (!null)
        cursor->list = dg_row_index_find(
            &table->indexes, dg_row_index(&table->indexes, columns), cells, &n);
    cursor->n = n;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                  sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    union plan plan = {number};

    cursor->list = NULL;
    cursor->begin = cursor->at = 0;
    cursor->n = cursor->table->rows.bulk.n_rows;
    cursor->reversed = plan.as.reversed;
    switch ((enum way)plan.as.way) {
    case ALL:
        find_range(cursor, plan, argv);
        break;
    case ONE:
        find_one(cursor, argv[0]);
        break;
    case KEY:
        find_key(cursor, table_of(base->pVtab), plan.as.columns, argv);
        break;
    case NONE:
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
        .xCreate = connect_table,
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
    struct dg_resident *resident = dg_zeroed(1, sizeof(*resident));

    resident->program = *program;
    *program = (struct dg_program){0};
    for (enum dg_table t = 0; t < DG_N_TABLES; t++) {
        struct dg_resident_table *table = &resident->tables[t];

        table->rows.artifact = 1;
        dg_table_rows_begin(&table->rows, &resident->program, t);
        table->sorted = dg_table_is_sorted(&table->rows);
        table->indexes.rows = &table->rows;
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
