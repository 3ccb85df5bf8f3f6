/* How the tables of a store hang together, as schema.sql has them. */
#include "store/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "store/constraints.h"
#include "store/schema.h"

static const char columns_sql[] =
    "SELECT name, type, pk, \"notnull\" OR pk, coalesce((SELECT \"table\""
    "  FROM pragma_foreign_key_list(?1) AS key WHERE key.\"from\" = info.name),"
    "  iif(name = 'id', ?1, NULL)) FROM pragma_table_info(?1) AS info ORDER BY cid";

static bool may_be_long(const struct dg_catalog_table *table,
                        const struct dg_catalog_column *column)
{
    const struct dg_constraint *holds =
        dg_constraint(dg_text(table->name), dg_text(column->name));
    bool words = holds && holds->type == DG_CONSTRAINT_WORD;

    return !words && strcmp(column->type, "INTEGER") != 0 &&
           strcmp(column->type, "REAL") != 0;
}

static enum dg_status read_columns(struct dg_catalog *catalog,
                                   struct dg_catalog_table *table,
                                   struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, columns_sql, err);
    struct dg_catalog_column *columns = NULL;

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(table->name));
    while (dg_rows_next(&rows)) {
        struct dg_catalog_column *column = DG_APPEND(columns, table->n_columns);

        column->name = dg_rows_keep(&catalog->memory, &rows, 0).data;
        column->type = dg_rows_keep(&catalog->memory, &rows, 1).data;
        column->key = (int)dg_rows_int(&rows, 2);
        column->not_null = dg_rows_int(&rows, 3);
        column->refers = dg_rows_keep(&catalog->memory, &rows, 4).data;
        column->is_long = may_be_long(table, column);
    }
    table->columns = dg_alloc(&catalog->memory, table->n_columns + 1, sizeof(*columns));
    memcpy(table->columns, columns, table->n_columns * sizeof(*columns));
    free(columns);
    return dg_rows_close(&rows, DG_OK, err);
}

static const struct dg_catalog_table *find(const struct dg_catalog *catalog,
                                           const char *name)
{
    size_t i = 0;

    while (strcmp(catalog->tables[i].name, name))
        i++;
    return &catalog->tables[i];
}

/* Which column leads to the program of a row: the first that always leads somewhere
 * else, or the first that may. */
static const struct dg_catalog_column *
find_leading(const struct dg_catalog_table *table)
{
    const struct dg_catalog_column *found = NULL;

    for (size_t i = 0; i < table->n_columns; i++) {
        const struct dg_catalog_column *column = &table->columns[i];

        if (!column->refers || !strcmp(column->refers, table->name))
            continue;
        if (column->not_null)
            return column;
        found = found ? found : column;
    }
    return found;
}

/* Rows that lead to no program, but rows of a program lead to them. */
static const struct {
    const char *table, *from, *column;
} used[] = {
    {"op", "node", "op_id"},
    {"op", "plan_operator", "op_id"},
    {"module", "node", "module_id"},
    {"trace", "node", "trace_id"},
};

/* Modules that are around others may have no node of their own. Ids of a program are
 * one stretch: it begins behind what nodes of the program before have, and where an
 * outermost module ("") comes between both, there. A .pte has modules of its program
 * only. */
static const char around_sql[] =
    " UNION SELECT * FROM (WITH modelled AS MATERIALIZED (SELECT artifact_id AS model,"
    "    graph.id AS of FROM method CROSS JOIN graph ON method_id = method.id"
    "    WHERE ir <> 'pte' AND EXISTS (SELECT 1 FROM node WHERE graph_id = graph.id"
    "      AND module_id IS NOT NULL)),"
    "  given AS MATERIALIZED (SELECT value FROM json_each(?1)),"
    "  ordered AS (SELECT model, lag(model) OVER (ORDER BY model) AS before,"
    "    lead(model) OVER (ORDER BY model) AS behind"
    "    FROM (SELECT DISTINCT model FROM modelled)),"
    "  near AS (SELECT model FROM ordered WHERE model IN given OR before IN given"
    "    OR behind IN given),"
    "  span AS (SELECT model, min(module_id) AS low, max(module_id) AS high"
    "    FROM near CROSS JOIN modelled USING (model) CROSS JOIN node ON graph_id = of"
    "    GROUP BY model),"
    "  begun AS (SELECT model, low, coalesce(lag(high) OVER (ORDER BY model), 0) AS"
    "    before FROM span),"
    "  stretch AS (SELECT model, first, lead(first) OVER (ORDER BY model) AS next"
    "    FROM (SELECT model, coalesce((SELECT max(id) FROM module WHERE fqn = ''"
    "      AND id > before AND id <= low), before + 1) AS first FROM begun))"
    " SELECT coalesce(companion_of, model) AS program, module.id FROM stretch"
    "  CROSS JOIN artifact ON artifact.id = model CROSS JOIN module"
    "    ON module.id >= first AND (next IS NULL OR module.id < next)"
    "  WHERE model IN given)";

static const char *write_from(struct dg_writer *out, const struct dg_catalog *catalog,
                              const struct dg_catalog_table *table);

/* The tables that lead to the program of a row, the program first: so the rows come
 * program by program. What says the program, or NULL where nothing does. */
static const char *write_used(struct dg_writer *out, const struct dg_catalog *catalog,
                              const struct dg_catalog_table *table)
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof(used) / sizeof(*used); i++) {
        const struct dg_catalog_table *from = find(catalog, used[i].from);
        struct dg_writer tables = {0};
        const char *program;

        if (strcmp(used[i].table, table->name))
            continue;
        program = write_from(&tables, catalog, from);
        dg_print(out,
                 "%sSELECT %s AS program, %s.%s AS id FROM %s WHERE %s.%s IS NOT NULL",
                 n++ ? " UNION " : "(", program, from->name, used[i].column,
                 tables.data, from->name, used[i].column);
        dg_writer_clear(&tables);
    }
    if (!n)
        return NULL;
    if (!strcmp(table->name, "module"))
        dg_print(out, "%s", around_sql);
    dg_print(out,
             " GROUP BY 1, 2 ORDER BY 1, 2) AS used CROSS JOIN %s ON %s.id = used.id",
             table->name, table->name);
    return "used.program";
}

static const char *write_from(struct dg_writer *out, const struct dg_catalog *catalog,
                              const struct dg_catalog_table *table)
{
    const struct dg_catalog_column *by = table->leads;
    const char *program;

    if (!strcmp(table->name, "artifact")) {
        dg_print(out, "json_each(?1) AS given CROSS JOIN artifact"
                      " ON artifact.id = given.value");
        return "coalesce(artifact.companion_of, artifact.id)";
    }
    if (!by)
        return write_used(out, catalog, table);
    program = write_from(out, catalog, find(catalog, by->refers));
    dg_print(out, " CROSS JOIN %s ON %s.%s = %s.id", table->name, table->name, by->name,
             by->refers);
    return program;
}

static void write_rows_sql(struct dg_catalog *catalog, struct dg_catalog_table *table)
{
    struct dg_writer from = {0}, sql = {0};
    const char *program = write_from(&from, catalog, table);

    if (program) {
        dg_print(&sql, "SELECT %s, %s.* FROM %s", program, table->name, from.data);
        table->rows_sql = dg_keep(&catalog->memory, &sql).data;
    }
    dg_writer_clear(&from);
}

/* Of one store, and not of its programs. */
static bool is_of_store(struct dg_text table)
{
    return dg_text_is(table, "meta") || dg_text_is(table, "setting");
}

enum dg_status dg_catalog_read(struct dg_catalog *catalog, struct dg_error *err)
{
    struct dg_store *store =
        NULL; /* an empty one, whose tables are as they should be */
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_catalog_table *tables = NULL;
    struct dg_entry entry;
    enum dg_status status = dg_store_create(&store, err);

    *catalog = (struct dg_catalog){0};
    while (dg_schema_next(&rest, &entry)) {
        if (dg_text_is(entry.type, "table") && !is_of_store(entry.name))
            DG_APPEND(tables, catalog->n_tables)->name =
                dg_copy(&catalog->memory, entry.name);
    }
    catalog->tables =
        dg_alloc(&catalog->memory, catalog->n_tables + 1, sizeof(*tables));
    memcpy(catalog->tables, tables, catalog->n_tables * sizeof(*tables));
    free(tables);
    for (size_t i = 0; i < catalog->n_tables && !status; i++)
        status = read_columns(catalog, &catalog->tables[i], store, err);
    for (size_t i = 0; i < catalog->n_tables && !status; i++)
        catalog->tables[i].leads = find_leading(&catalog->tables[i]);
    for (size_t i = 0; i < catalog->n_tables && !status; i++)
        write_rows_sql(catalog, &catalog->tables[i]);
    dg_store_close(store);
    return status;
}

void dg_catalog_clear(struct dg_catalog *catalog)
{
    dg_arena_clear(&catalog->memory);
    *catalog = (struct dg_catalog){0};
}
