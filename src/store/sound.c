/* Whether the rows of a store are such as delegraph writes. */
#include "store/sound.h"

#include "base/text.h"
#include "store/database.h"
#include "store/schema.h"

/* Pages; NOT NULL and STRICT types. */
static enum dg_status check_pages(struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "PRAGMA main.quick_check(1)", err);

    if (status)
        return status;
    if (dg_rows_next(&rows) && !dg_text_is(dg_rows_slice(&rows, 0), "ok"))
        status = dg_fail(err, DG_ERR_FORMAT, "damaged store: %.300s",
                         dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, status, err);
}

/* Ask for a row that breaks `what`. */
static enum dg_status ask(struct dg_store *store, struct dg_writer *sql,
                          const char *what, struct dg_text table, struct dg_error *err)
{
    int64_t broken = 0;
    enum dg_status status = dg_store_int(store, sql->data, 0, &broken, err);

    sql->size = 0;
    if (!status && broken)
        status = dg_fail(err, DG_ERR_FORMAT, "damaged store: %.*s has a row that %s",
                         (int)table.size, table.data, what);
    return status;
}

/* `column ... REFERENCES target`, for each column that has it. */
static void write_reference(struct dg_writer *sql, struct dg_text column,
                            struct dg_text target)
{
    dg_print(sql,
             " OR \"%.*s\" NOT BETWEEN 1 AND"
             " (SELECT coalesce(max(id), 0) FROM main.%.*s)",
             (int)column.size, column.data, (int)target.size, target.data);
}

/* Each column of a definition; whether the first is an id. */
static bool write_references(struct dg_writer *sql, const struct dg_entry *table)
{
    struct dg_text rest = table->sql, token, column = {0};
    bool first = true, has_id = false;

    while ((token = dg_sql_token(&rest)).size) {
        if (dg_text_is(token, "(") || dg_text_is(token, ",")) {
            column = dg_sql_token(&rest);
            has_id = has_id || (first && dg_text_is(column, "id"));
            first = false;
        } else if (dg_text_is(token, "REFERENCES")) {
            write_reference(sql, column, dg_sql_token(&rest));
        }
    }
    return has_id;
}

static enum dg_status check_table(struct dg_store *store, const struct dg_entry *table,
                                  struct dg_error *err)
{
    struct dg_writer sql = {0};
    enum dg_status status;
    bool has_id;

    dg_print(&sql, "SELECT 1 FROM main.%.*s NOT INDEXED WHERE 0", (int)table->name.size,
             table->name.data);
    has_id = write_references(&sql, table);
    dg_print(&sql, " LIMIT 1");
    status = ask(store, &sql, "refers to nothing", table->name, err);
    if (!status && has_id) {
        dg_print(&sql,
                 "SELECT count(*) > 0 AND (min(id) <> 1 OR max(id) <> count(*))"
                 " FROM main.%.*s",
                 (int)table->name.size, table->name.data);
        status =
            ask(store, &sql, "is out of order: ids are 1, 2, 3...", table->name, err);
    }
    dg_writer_clear(&sql);
    return status;
}

/* Nodes and values of a graph lie together. */
static enum dg_status check_graphs(struct dg_store *store, const char *table,
                                   struct dg_error *err)
{
    struct dg_writer sql = {0};
    enum dg_status status;

    dg_print(&sql,
             "SELECT 1 FROM main.%s GROUP BY graph_id"
             " HAVING max(id) - min(id) >= count(*) LIMIT 1",
             table);
    status = ask(store, &sql, "lies among those of another graph", dg_text(table), err);
    dg_writer_clear(&sql);
    return status;
}

static enum dg_status check_rows(struct dg_store *store, struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = check_pages(store, err);

    while (!status && dg_schema_next(&rest, &entry)) {
        if (dg_text_is(entry.type, "table"))
            status = check_table(store, &entry, err);
    }
    if (!status)
        status = check_graphs(store, "node", err);
    return status ? status : check_graphs(store, "value", err);
}

enum dg_status dg_store_check_sound(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status;
    struct dg_error told;

    store->unchecked = false;
    status = check_rows(store, err);
    told = *err;
    return status ? dg_fail(err, status, "%s: %s",
                            sqlite3_db_filename(store->db, "main"), told.text)
                  : DG_OK;
}
