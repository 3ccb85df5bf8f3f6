/* One program of a store with several, as if it had been loaded alone. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "store/catalog.h"
#include "store/copy_rows.h"
#include "store/database.h"

/* The rows of a table that stay, by their old ids: the new ones are 1, 2, 3... */
struct ids {
    int64_t *items;
    size_t n_items;
};

struct choice {
    struct dg_store *from, *to;
    struct dg_text artifacts; /* JSON: the program, and what was given with it */
    struct dg_catalog catalog;
    struct ids *ids; /* of each table */
    struct dg_arena memory;
    struct dg_error *err;
};

static enum dg_status list_artifacts(struct choice *choice, int64_t artifact)
{
    struct dg_rows rows =
        dg_rows_of(choice->from,
                   "SELECT json_group_array(id) FROM (SELECT id FROM artifact"
                   "  WHERE ?1 IN (id, companion_of) ORDER BY id)",
                   artifact, choice->err);

    if (dg_rows_next(&rows))
        choice->artifacts = dg_rows_keep(&choice->memory, &rows, 0);
    return dg_rows_close(&rows, DG_OK, choice->err);
}

static bool has_ids(const struct dg_catalog_table *table)
{
    return !strcmp(table->columns->name, "id");
}

static struct dg_rows open_rows(struct choice *choice, const char *sql)
{
    struct dg_rows rows = dg_rows_all(choice->from, sql, choice->err);

    dg_rows_bind_text(&rows, 1, choice->artifacts);
    return rows;
}

static enum dg_status read_ids(struct choice *choice, size_t at)
{
    const struct dg_catalog_table *table = &choice->catalog.tables[at];
    struct ids *ids = &choice->ids[at];
    struct dg_rows rows;

    if (!table->rows_sql || !has_ids(table))
        return DG_OK;
    rows =
        open_rows(choice, dg_format(&choice->memory, "SELECT id FROM (%s) ORDER BY id",
                                    table->rows_sql)
                              .data);
    while (dg_rows_next(&rows))
        *DG_APPEND(ids->items, ids->n_items) = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, choice->err);
}

static int by_value(const void *item, const void *key)
{
    int64_t a = *(const int64_t *)item, b = *(const int64_t *)key;

    return (a > b) - (a < b);
}

/* The new one of an old id; false: its row does not stay. */
static bool find_id(const struct ids *ids, int64_t *id)
{
    const int64_t *found =
        dg_search(id, ids->items, ids->n_items, sizeof(*found), by_value);

    if (found)
        *id = found - ids->items + 1;
    return found;
}

/* `context`: for each column, whose ids it holds; NULL: no ids. */
static bool renumber(const void *context, int column, int64_t *number)
{
    const struct ids *refers = ((const struct ids *const *)context)[column];

    return !refers || find_id(refers, number);
}

static const struct ids *ids_of(const struct choice *choice, const char *table)
{
    for (size_t i = 0; table && i < choice->catalog.n_tables; i++)
        if (!strcmp(choice->catalog.tables[i].name, table))
            return &choice->ids[i];
    return NULL;
}

static enum dg_status copy_table(struct choice *choice,
                                 const struct dg_catalog_table *table)
{
    const struct ids **refers =
        dg_alloc(&choice->memory, table->n_columns, sizeof(*refers));
    struct dg_row_copy copy = {.to = choice->to,
                               .table = dg_text(table->name),
                               .skipped = 1,
                               .renumber = renumber,
                               .context = refers};
    struct dg_rows rows;
    enum dg_status status;

    if (!table->rows_sql)
        return DG_OK;
    for (size_t i = 0; i < table->n_columns; i++)
        refers[i] = ids_of(choice, table->columns[i].refers);
    rows = open_rows(choice, has_ids(table)
                                 ? dg_format(&choice->memory, "%s ORDER BY %s.id",
                                             table->rows_sql, table->name)
                                       .data
                                 : table->rows_sql);
    status = dg_store_copy_rows(&copy, &rows, choice->err);
    return dg_rows_close(&rows, status, choice->err);
}

/* Write the list of a build, whose items were read to the end. */
static enum dg_status write_companions(struct choice *choice, int64_t build,
                                       struct dg_writer *list)
{
    struct dg_rows rows =
        dg_rows_of(choice->to, "UPDATE build SET companions = ?2 || ']' WHERE id = ?1",
                   build, choice->err);

    if (!list->size)
        return dg_rows_close(&rows, DG_OK, choice->err);
    dg_rows_bind_text(&rows, 2, dg_written(list));
    dg_rows_next(&rows);
    list->size = 0;
    return dg_rows_close(&rows, DG_OK, choice->err);
}

/* Numbers of artifacts in JSON. */
static enum dg_status renumber_companions(struct choice *choice)
{
    const struct ids *artifacts = ids_of(choice, "artifact");
    struct dg_rows rows = dg_rows_all(
        choice->to,
        "SELECT build.id, iif(one.type = 'integer', one.value, -1) FROM build"
        "  JOIN json_each(companions) AS one ORDER BY build.id, one.key",
        choice->err);
    struct dg_writer list = {0};
    enum dg_status status = DG_OK;
    int64_t build = 0;

    while (!status && dg_rows_next(&rows)) {
        int64_t artifact = dg_rows_int(&rows, 1);

        if (build != dg_rows_int(&rows, 0))
            status = write_companions(choice, build, &list);
        build = dg_rows_int(&rows, 0);
        if (!status && !find_id(artifacts, &artifact))
            status = dg_fail(choice->err, DG_ERR_FORMAT,
                             "damaged store: build: companions name what was not given"
                             " with its program");
        dg_print(&list, "%s%lld", list.size ? "," : "[", (long long)artifact);
    }
    status = dg_rows_close(&rows, status, choice->err);
    if (!status)
        status = write_companions(choice, build, &list);
    dg_writer_clear(&list);
    return status;
}

static enum dg_status copy_tables(struct choice *choice)
{
    size_t n = choice->catalog.n_tables;
    enum dg_status status = DG_OK;

    choice->ids = dg_alloc(&choice->memory, n, sizeof(*choice->ids));
    for (size_t i = 0; i < n && !status; i++)
        status = read_ids(choice, i);
    for (size_t i = 0; i < n && !status; i++)
        status = copy_table(choice, &choice->catalog.tables[i]);
    if (!status)
        status = renumber_companions(choice);
    for (size_t i = 0; i < n; i++)
        free(choice->ids[i].items);
    return status;
}

enum dg_status dg_store_choose(struct dg_store **store, int64_t artifact,
                               struct dg_error *err)
{
    struct choice choice = {.from = *store, .err = err};
    enum dg_status status = list_artifacts(&choice, artifact);

    if (!status)
        status = dg_catalog_read(&choice.catalog, err);
    if (!status)
        status = dg_store_create(&choice.to, err);
    if (!status)
        dg_store_take_clock(choice.to, choice.from);
    if (!status)
        status = dg_store_change_indexes(choice.to, true, err);
    if (!status)
        status = copy_tables(&choice);
    if (!status)
        status = dg_store_commit(choice.to, err);
    dg_catalog_clear(&choice.catalog);
    dg_arena_clear(&choice.memory);
    dg_store_close(status ? choice.to : choice.from);
    *store = status ? choice.from : choice.to;
    return status;
}
