/* Whether the rows of a store are such as delegraph writes. */
#include "store/integrity.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "store/beside.h"
#include "store/constraints.h"
#include "store/database.h"
#include "store/schema.h"

enum { MOST_COLUMNS = 64, LONGEST_SHOWN = 40 };

/* Pages; NOT NULL and STRICT types. */
static enum dg_status check_pages(void *ignored, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, "PRAGMA main.quick_check(1)", err);
    enum dg_status status = DG_OK;

    if (dg_rows_next(&rows) && !dg_text_is(dg_rows_slice(&rows, 0), "ok"))
        status = dg_fail(err, DG_ERR_FORMAT, "damaged store: %.300s",
                         dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, status, err);
}

/* What a column of a table refers to, and what stands in it. */
struct column {
    struct dg_text name;
    int64_t n_targets; /* rows there; -1: it refers to none */
    const struct dg_constraint *constraint;
};

/* One pass over a table. */
struct pass {
    struct dg_store *store;
    struct dg_text table;
    struct column columns[MOST_COLUMNS]; /* the first two, and all that are checked */
    int n_columns;
    int64_t n_rows; /* so far */
    bool has_id, has_places;
    int64_t graph, begin; /* of a node or value: where its graph begins */
    bool *seen;           /* graphs */
    struct dg_error *err;
};

static enum dg_status count_targets(struct pass *pass, struct column *column,
                                    struct dg_text target)
{
    char sql[120];

    snprintf(sql, sizeof(sql), "SELECT max(id) FROM main.%.*s", (int)target.size,
             target.data);
    return dg_store_int(pass->store, sql, 0, &column->n_targets, pass->err);
}

/* `column TYPE ... REFERENCES target, ... PRIMARY KEY (...)`. */
static enum dg_status read_columns(struct pass *pass, struct dg_text sql)
{
    struct dg_text token;
    struct column *column = NULL;
    enum dg_status status = DG_OK;

    while (!status && (token = dg_sql_token(&sql)).size) {
        if (dg_text_is(token, "REFERENCES"))
            status = count_targets(pass, column, dg_sql_token(&sql));
        if (!dg_text_is(token, "(") && !dg_text_is(token, ","))
            continue;
        /* Of the first two it is told which row is broken. */
        if (pass->n_columns > 2 && column->n_targets < 0 && !column->constraint)
            pass->n_columns--;
        token = dg_sql_token(&sql);
        if (dg_text_is(token, "PRIMARY"))
            break;
        column = &pass->columns[pass->n_columns++];
        *column = (struct column){token, -1, dg_constraint(pass->table, token)};
    }
    return status;
}

static int part(struct dg_text text)
{
    return text.size < LONGEST_SHOWN ? (int)text.size : LONGEST_SHOWN;
}

static struct dg_text text_of(sqlite3_value *value)
{
    const char *data = (const char *)sqlite3_value_text(value);

    return (struct dg_text){data ? data : "NULL",
                            data ? (size_t)sqlite3_value_bytes(value) : 4};
}

/* "damaged store: node 3: idx is -1, expected 0 to 4294967295". */
static bool fail_row(const struct pass *pass, sqlite3_value **row, int i,
                     const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static bool fail_row(const struct pass *pass, sqlite3_value **row, int i,
                     const char *fmt, ...)
{
    struct dg_text first = text_of(row[0]), second = text_of(row[pass->has_id ? 0 : 1]),
                   is = text_of(row[i]);
    char expected[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(expected, sizeof(expected), fmt, args);
    va_end(args);
    dg_fail(pass->err, DG_ERR_FORMAT,
            "damaged store: %.*s %.*s%s%.*s: %.*s is %.*s%s, %s", (int)pass->table.size,
            pass->table.data, part(first), first.data, pass->has_id ? "" : ", ",
            pass->has_id ? 0 : part(second), second.data,
            (int)pass->columns[i].name.size, pass->columns[i].name.data, part(is),
            is.data, is.size > LONGEST_SHOWN ? "..." : "", expected);
    return false;
}

static bool holds(const struct dg_constraint *constraint, sqlite3_value *value)
{
    struct dg_text text;
    int64_t number;

    if (constraint->type == DG_CONSTRAINT_NUMBER) {
        number = sqlite3_value_int64(value);
        return number >= constraint->least && number <= constraint->most;
    }
    text = text_of(value);
    if (constraint->type == DG_CONSTRAINT_WORD)
        return dg_constraint_has_word(constraint->words, text);
    return (!*constraint->words || (text.size && *text.data == *constraint->words)) &&
           dg_is_json(text);
}

static bool check_cell(const struct pass *pass, sqlite3_value **row, int i)
{
    const struct column *column = &pass->columns[i];
    struct dg_writer expected = {0};
    int64_t id;

    if (sqlite3_value_type(row[i]) == SQLITE_NULL)
        return true;
    if (column->n_targets >= 0) {
        id = sqlite3_value_int64(row[i]);
        return (id >= 1 && id <= column->n_targets) ||
               fail_row(pass, row, i, "which refers to nothing");
    }
    if (!column->constraint || holds(column->constraint, row[i]))
        return true;
    dg_constraint_print(&expected, column->constraint);
    fail_row(pass, row, i, "%s", expected.data);
    dg_writer_clear(&expected);
    return false;
}

/* Nodes and values of a graph lie together, in their order. */
static bool check_place(struct pass *pass, sqlite3_value **row)
{
    int64_t graph = sqlite3_value_int64(row[1]), idx = sqlite3_value_int64(row[2]);

    if (graph != pass->graph) {
        if (pass->seen[graph])
            return fail_row(pass, row, 1, "expected the rows of a graph together");
        pass->seen[graph] = true;
        pass->graph = graph;
        pass->begin = pass->n_rows;
    }
    return idx == pass->n_rows - pass->begin ||
           fail_row(pass, row, 2, "expected its position in its graph, %lld",
                    (long long)(pass->n_rows - pass->begin));
}

/* dg_broken(column, ...): whether this row, the next one, is such as nobody writes. */
static void is_broken(sqlite3_context *context, int n, sqlite3_value **row)
{
    struct pass *pass = sqlite3_user_data(context);
    bool sound = true;

    for (int i = 0; i < n && sound; i++)
        sound = check_cell(pass, row, i);
    if (sound && pass->has_id && sqlite3_value_int64(row[0]) != pass->n_rows + 1)
        sound = fail_row(pass, row, 0, "expected 1, 2, 3...");
    if (sound && pass->has_places)
        sound = check_place(pass, row);
    pass->n_rows++;
    sqlite3_result_int(context, !sound);
}

static enum dg_status scan(struct pass *pass)
{
    struct dg_writer sql = {0};
    int64_t broken = 0;
    enum dg_status status;

    dg_print(&sql, "SELECT 1 FROM main.%.*s NOT INDEXED WHERE dg_broken(",
             (int)pass->table.size, pass->table.data);
    for (int i = 0; i < pass->n_columns; i++)
        dg_print(&sql, "%s\"%.*s\"", i ? "," : "", (int)pass->columns[i].name.size,
                 pass->columns[i].name.data);
    dg_print(&sql, ") LIMIT 1");
    if (sqlite3_create_function(pass->store->db, "dg_broken", pass->n_columns,
                                SQLITE_UTF8, pass, is_broken, NULL, NULL))
        status = dg_store_fail(pass->store, pass->err);
    else
        status = dg_store_int(pass->store, sql.data, 0, &broken, pass->err);
    dg_writer_clear(&sql);
    /* What it points at ends here, and queries come after it. */
    sqlite3_create_function(pass->store->db, "dg_broken", pass->n_columns, SQLITE_UTF8,
                            NULL, NULL, NULL, NULL);
    return status || !broken ? status : pass->err->status;
}

static enum dg_status check_table(struct dg_store *store, const struct dg_entry *entry,
                                  struct dg_error *err)
{
    struct pass pass = {.store = store, .table = entry->name, .err = err};
    struct dg_arena memory = {0};
    enum dg_status status = read_columns(&pass, entry->sql);

    pass.has_id = dg_text_is(pass.columns[0].name, "id");
    pass.has_places =
        dg_text_is(entry->name, "node") || dg_text_is(entry->name, "value");
    if (!status && pass.has_places)
        pass.seen = dg_alloc(&memory, (size_t)pass.columns[1].n_targets + 1, 1);
    if (!status)
        status = scan(&pass);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status check_tables(void *ignored, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = DG_OK;

    while (!status && dg_schema_next(&rest, &entry)) {
        if (dg_text_is(entry.type, "table"))
            status = check_table(store, &entry, err);
    }
    return status;
}

enum dg_status dg_store_check_pages(struct dg_store *store, struct dg_error *err)
{
    return dg_store_is_large(store)
               ? dg_store_read_beside(store, NULL, check_pages, NULL, err)
               : check_pages(NULL, store, err);
}

/* Pages take as long as all tables, so that those of a large store have a thread. They
 * have the first word: rows of broken ones may look like anything. */
enum dg_status dg_store_check_content(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status;

    store->unchecked = false;
    if (dg_store_is_large(store))
        return dg_store_read_beside(store, check_tables, check_pages, NULL, err);
    status = check_pages(NULL, store, err);
    return status ? status : check_tables(NULL, store, err);
}

enum dg_status dg_store_check_integrity(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = dg_store_check_content(store, err);
    struct dg_error told = *err;

    return status && store->given
               ? dg_fail(err, status, "%s: %s", sqlite3_db_filename(store->db, "main"),
                         told.text)
               : status;
}

enum dg_status dg_store_check_first(struct dg_store *store, struct dg_error *err)
{
    return store->unchecked && !store->sandboxed ? dg_store_check_integrity(store, err)
                                                 : DG_OK;
}
