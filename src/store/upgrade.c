/* Stores of older generations: their rows in a new store, by the names of columns.
 * Nothing that stands in their schema is executed, as in any store that is read. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/text.h"
#include "store/copy_rows.h"
#include "store/database.h"
#include "store/integrity.h"
#include "store/schema.h"

struct column {
    struct dg_text name;
    bool needed; /* has no value by itself */
};

struct columns {
    struct column *items;
    size_t n_items;
};

struct upgrade {
    struct dg_store *from, *to;
    struct dg_text table;
    struct columns old, new, shared;
    struct dg_arena memory;
    struct dg_error *err;
};

static void clear_columns(struct columns *columns)
{
    free(columns->items);
    *columns = (struct columns){0};
}

static enum dg_status list_columns(struct columns *columns, struct upgrade *upgrade,
                                   struct dg_store *store)
{
    enum { NAME = 1, NOT_NULL = 3, DEFAULT = 4 };
    struct dg_rows rows =
        dg_rows_all(store,
                    dg_format(&upgrade->memory, "PRAGMA main.table_info(%.*s)",
                              (int)upgrade->table.size, upgrade->table.data)
                        .data,
                    upgrade->err);

    while (dg_rows_next(&rows))
        *DG_APPEND(columns->items, columns->n_items) = (struct column){
            dg_copy_text(&upgrade->memory, dg_rows_slice(&rows, NAME)),
            dg_rows_int(&rows, NOT_NULL) && dg_rows_null(&rows, DEFAULT)};
    return dg_rows_close(&rows, DG_OK, upgrade->err);
}

static bool has_column(const struct columns *columns, struct dg_text name)
{
    for (size_t i = 0; i < columns->n_items; i++)
        if (dg_text_equal(columns->items[i].name, name))
            return true;
    return false;
}

/* What a row of now must have, an old one can only lack where there are none. */
static enum dg_status lack(struct upgrade *upgrade, struct dg_text column)
{
    int64_t any = 0;
    const char *sql =
        dg_format(&upgrade->memory, "SELECT EXISTS (SELECT 1 FROM main.%.*s)",
                  (int)upgrade->table.size, upgrade->table.data)
            .data;

    if (dg_store_int(upgrade->from, sql, 0, &any, upgrade->err) || !any)
        return upgrade->err->status;
    return dg_fail(upgrade->err, DG_ERR_FORMAT,
                   "its table %.*s has no %.*s, which generation %d cannot do without:"
                   " load its programs again",
                   (int)upgrade->table.size, upgrade->table.data, (int)column.size,
                   column.data, DG_GENERATION);
}

static enum dg_status share_columns(struct upgrade *upgrade)
{
    enum dg_status status = list_columns(&upgrade->old, upgrade, upgrade->from);

    if (!status)
        status = list_columns(&upgrade->new, upgrade, upgrade->to);
    for (size_t i = 0; i < upgrade->new.n_items && upgrade->old.n_items && !status;
         i++) {
        const struct column *column = &upgrade->new.items[i];

        if (has_column(&upgrade->old, column->name))
            *DG_APPEND(upgrade->shared.items, upgrade->shared.n_items) = *column;
        else if (column->needed)
            status = lack(upgrade, column->name);
    }
    return status;
}

static const char *names_of(struct upgrade *upgrade)
{
    struct dg_writer names = {0};

    for (size_t i = 0; i < upgrade->shared.n_items; i++) {
        const struct dg_text *name = &upgrade->shared.items[i].name;

        dg_print(&names, "%s\"%.*s\"", i ? "," : "", (int)name->size, name->data);
    }
    return dg_keep(&upgrade->memory, &names).data;
}

/* What is in both generations; of what is in the older one alone nothing is asked. */
static enum dg_status copy_shared(struct upgrade *upgrade)
{
    const char *names = names_of(upgrade);
    struct dg_rows rows =
        dg_rows_all(upgrade->from,
                    dg_format(&upgrade->memory, "SELECT %s FROM main.%.*s", names,
                              (int)upgrade->table.size, upgrade->table.data)
                        .data,
                    upgrade->err);
    struct dg_row_copy copy = {
        .to = upgrade->to, .table = upgrade->table, .names = names};
    enum dg_status status = dg_store_copy_rows(&copy, &rows, upgrade->err);

    return dg_rows_close(&rows, status, upgrade->err);
}

static enum dg_status copy_table(struct upgrade *upgrade)
{
    enum dg_status status = share_columns(upgrade);

    if (!status && upgrade->shared.n_items)
        status = copy_shared(upgrade);
    clear_columns(&upgrade->old);
    clear_columns(&upgrade->new);
    clear_columns(&upgrade->shared);
    return status;
}

static enum dg_status copy_tables(struct upgrade *upgrade)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = DG_OK;

    while (!status && dg_schema_next(&rest, &entry)) {
        if (!dg_text_is(entry.type, "table") || dg_text_is(entry.name, "meta"))
            continue;
        upgrade->table = entry.name;
        status = copy_table(upgrade);
    }
    return status;
}

bool dg_store_is_older(const char *path)
{
    struct dg_store *store = NULL;
    struct dg_error ignored = {0};
    int64_t generation;
    bool older = !dg_store_connect_read_only(&store, path, &ignored) &&
                 !dg_store_find_generation(&generation, store, &ignored) &&
                 generation < DG_GENERATION;

    dg_store_close(store);
    return older;
}

static enum dg_status remember_generation(struct upgrade *upgrade)
{
    int64_t generation;
    enum dg_status status =
        dg_store_find_generation(&generation, upgrade->from, upgrade->err);
    char sql[100];

    snprintf(sql, sizeof(sql), "INSERT INTO meta VALUES ('upgraded_from', '%lld')",
             (long long)generation);
    return status ? status : dg_store_exec(upgrade->to, sql, upgrade->err);
}

static enum dg_status move_all(struct upgrade *upgrade, const char *aside)
{
    struct dg_error *err = upgrade->err;
    enum dg_status status = dg_store_check_pages(upgrade->from, err);

    if (!status)
        status = dg_store_create_file(&upgrade->to, aside, err);
    if (!status)
        status = dg_store_change_indexes(upgrade->to, true, err);
    if (!status)
        status = copy_tables(upgrade);
    if (!status)
        status = remember_generation(upgrade);
    if (!status)
        status = dg_store_check_integrity(upgrade->to, err);
    return status ? status : dg_store_commit(upgrade->to, err);
}

enum dg_status dg_store_upgrade(const char *path, const char *aside,
                                struct dg_error *err)
{
    struct upgrade upgrade = {.err = err};
    struct dg_error told;
    enum dg_status status = dg_store_connect_read_only(&upgrade.from, path, err);

    if (!status) {
        status = move_all(&upgrade, aside);
        told = *err;
        if (status)
            dg_fail(err, status, "%s: %s", path, told.text);
    }
    dg_store_close(upgrade.from);
    dg_store_close(upgrade.to);
    dg_arena_clear(&upgrade.memory);
    return status;
}
