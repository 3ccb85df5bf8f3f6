/* Making the schema "delegraph", and bringing an older one up to date. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "postgres/dialect.h"
#include "postgres/schema.h"
#include "store/schema.h"

/* What is there of each file and build, whoever pushed it; the next free id. */
static const char begin_sql[] =
    "DO $$ BEGIN IF to_regnamespace('delegraph') IS NULL THEN CREATE SCHEMA delegraph;"
    " END IF; END $$; SET LOCAL search_path = delegraph;"
    "CREATE TABLE IF NOT EXISTS pushed_file"
    " (key text PRIMARY KEY, artifact_id bigint NOT NULL);"
    "CREATE TABLE IF NOT EXISTS pushed_build"
    " (key text PRIMARY KEY, build_id bigint NOT NULL);"
    "CREATE TABLE IF NOT EXISTS pushed (key text PRIMARY KEY, value text NOT NULL);"
    "INSERT INTO pushed VALUES ('ids', '0'), ('generation', '0'), ('made', '')"
    " ON CONFLICT DO NOTHING;";

/* PostgreSQL's. ANY holds numbers and texts: texts, then. Text is compared as bytes, as
 * SQLite does. */
static const char *type_of(const char *type)
{
    static const struct {
        const char *here, *there;
    } types[] = {
        {"INTEGER", "bigint"}, {"REAL", "double precision"}, {"BLOB", "bytea"}};

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (!strcmp(type, types[i].here))
            return types[i].there;
    }
    return "text COLLATE \"C\"";
}

static void write_column(struct dg_writer *out, const struct dg_catalog_column *column)
{
    dg_print(out, "\"%s\" %s", column->name, type_of(column->type));
}

/* PostgreSQL has no key longer than a third of a page. */
static bool has_key(const struct dg_catalog_table *table)
{
    bool has = false;

    for (size_t i = 0; i < table->n_columns; i++) {
        has |= table->columns[i].key;
        if (table->columns[i].key && table->columns[i].is_long)
            return false;
    }
    return has;
}

static void write_table(struct dg_writer *out, const struct dg_catalog_table *table)
{
    int keys = 0;

    dg_print(out, "CREATE TABLE IF NOT EXISTS \"%s\" (", table->name);
    for (size_t i = 0; i < table->n_columns; i++) {
        write_column(out, &table->columns[i]);
        dg_print(out, "%s, ", table->columns[i].not_null ? " NOT NULL" : "");
    }
    for (int place = 1; has_key(table) && place <= (int)table->n_columns; place++) {
        for (size_t i = 0; i < table->n_columns; i++) {
            if (table->columns[i].key == place)
                dg_print(out, "%s\"%s\"", keys++ ? ", " : "PRIMARY KEY (",
                         table->columns[i].name);
        }
    }
    if (!keys)
        out->size -= 2; /* the comma */
    dg_print(out, "%s);\n", keys ? ")" : "");
}

/* Earlier versions made keys of what may be long. */
static void write_key_drop(struct dg_writer *out, const struct dg_catalog_table *table)
{
    if (!has_key(table))
        dg_print(out,
                 "DO $$ BEGIN IF EXISTS (SELECT FROM pg_constraint WHERE conrelid ="
                 " 'delegraph.%s'::regclass AND conname = '%s_pkey') THEN ALTER TABLE"
                 " \"%s\" DROP CONSTRAINT \"%s_pkey\"; END IF; END $$;\n",
                 table->name, table->name, table->name, table->name);
}

/* Asked for one by one: what is not changed is not locked. */
static void write_missing_columns(struct dg_writer *out,
                                  const struct dg_catalog_table *table)
{
    dg_print(out, "DO $$ BEGIN");
    for (size_t i = 0; i < table->n_columns; i++) {
        dg_print(out,
                 " IF NOT EXISTS (SELECT FROM pg_attribute WHERE NOT attisdropped AND"
                 " attrelid = 'delegraph.%s'::regclass AND attname = '%s') THEN"
                 " ALTER TABLE \"%s\" ADD COLUMN ",
                 table->name, table->columns[i].name, table->name);
        write_column(out, &table->columns[i]);
        dg_print(out, "; END IF;");
    }
    dg_print(out, " END $$;\n");
}

/* What leads to the program of a row, where SQLite finds that for itself. */
static void write_leads(struct dg_writer *out, const struct dg_catalog_table *table)
{
    struct dg_writer there = {0};

    if (!table->leads || (table->leads->key == 1 && has_key(table)))
        return;
    dg_print(&there, "ON %s (%s)", table->name, table->leads->name);
    if (!strstr(dg_store_schema(), there.data))
        dg_print(out, "CREATE INDEX IF NOT EXISTS \"%s_leads\" %s;\n", table->name,
                 there.data);
    dg_writer_clear(&there);
}

static bool is_long(const struct dg_catalog *catalog, struct dg_text table,
                    struct dg_text column)
{
    for (size_t i = 0; i < catalog->n_tables; i++) {
        const struct dg_catalog_table *one = &catalog->tables[i];

        for (size_t j = 0; j < one->n_columns && dg_text_is(table, one->name); j++) {
            if (dg_text_is(column, one->columns[j].name))
                return one->columns[j].is_long;
        }
    }
    return false;
}

/* Of what may be long, by its hash: PostgreSQL finds what is equal so, of any length.
 * Earlier versions made the other kind. */
static void write_hash_index(struct dg_writer *out, struct dg_text name,
                             struct dg_text table, struct dg_text column)
{
    dg_print(out,
             "DO $$ BEGIN IF EXISTS (SELECT FROM pg_class JOIN pg_am ON pg_am.oid ="
             " relam WHERE pg_class.oid = to_regclass('delegraph.%.*s') AND amname <>"
             " 'hash') THEN DROP INDEX %.*s; END IF; END $$;\n",
             (int)name.size, name.data, (int)name.size, name.data);
    dg_print(out, "CREATE INDEX IF NOT EXISTS %.*s ON %.*s USING hash (%.*s);\n",
             (int)name.size, name.data, (int)table.size, table.data, (int)column.size,
             column.data);
}

/* CREATE INDEX name ON table (column... */
static void write_index(struct dg_writer *out, const struct dg_catalog *catalog,
                        struct dg_text sql)
{
    struct dg_text behind, table, column;

    dg_sql_token(&sql); /* CREATE */
    dg_sql_token(&sql); /* INDEX */
    behind = sql;
    dg_sql_token(&behind); /* name */
    dg_sql_token(&behind); /* ON */
    table = dg_sql_token(&behind);
    dg_sql_token(&behind); /* ( */
    column = dg_sql_token(&behind);
    if (is_long(catalog, table, column)) {
        write_hash_index(out, dg_sql_token(&sql), table, column);
        return;
    }
    dg_print(out, "CREATE INDEX IF NOT EXISTS");
    dg_write_text(out, sql);
    dg_print(out, ";\n");
}

static void write_indexes(struct dg_writer *out, const struct dg_catalog *catalog)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        if (dg_text_is(entry.type, "index"))
            write_index(out, catalog, entry.sql);
    }
    dg_print(out,
             "CREATE INDEX IF NOT EXISTS artifact_companion ON artifact (companion_of)"
             " WHERE companion_of IS NOT NULL;\n");
}

static void write_tables(struct dg_writer *out, const struct dg_catalog *catalog)
{
    for (size_t i = 0; i < catalog->n_tables; i++) {
        write_table(out, &catalog->tables[i]);
        write_missing_columns(out, &catalog->tables[i]);
        write_key_drop(out, &catalog->tables[i]);
        write_leads(out, &catalog->tables[i]);
    }
    write_indexes(out, catalog);
}

static void write_views(struct dg_writer *out, dg_pg_queries *queries)
{
    struct dg_text rest = dg_text(dg_schema_views());
    struct dg_entry entry;
    struct dg_pg_query query;
    const char *cursor = NULL;

    dg_print(out, "%s\n", dg_postgres_functions);
    while (dg_schema_next(&rest, &entry)) {
        dg_postgres_write(out, entry.sql);
        dg_print(out, ";\n");
    }
    while (queries(&cursor, &query)) {
        dg_print(out, "CREATE OR REPLACE VIEW \"%s\" AS ", query.name);
        dg_postgres_write(out, query.sql);
        dg_print(out, "\n");
    }
}

/* The queries first, and of the views those that others rest on last. */
static void write_drops(struct dg_writer *out, dg_pg_queries *queries)
{
    struct dg_text rest = dg_text(dg_schema_views());
    struct dg_entry entry;
    struct dg_pg_query query;
    const char *cursor = NULL;

    dg_print(out, "DROP VIEW IF EXISTS ");
    while (queries(&cursor, &query))
        dg_print(out, "\"%s\", ", query.name);
    for (size_t n = 0; dg_schema_next(&rest, &entry); n++)
        dg_print(out, "%s%.*s", n ? ", " : "", (int)entry.name.size, entry.name.data);
    dg_print(out, ";\n");
}

/* Replaced where that can be, so that rights, and views of others over them, stay. */
static enum dg_status make_views(struct dg_server *server, const char *views,
                                 dg_pg_queries *queries, struct dg_error *err)
{
    struct dg_error replaced = {0};
    struct dg_writer drops = {0};
    enum dg_status status = dg_server_run(server, "SAVEPOINT views", err);

    if (status || !dg_server_run(server, views, &replaced))
        return status;
    write_drops(&drops, queries);
    status = dg_server_run(server, "ROLLBACK TO views", err);
    if (!status)
        status = dg_server_run(server, drops.data, err);
    if (!status)
        status = dg_server_run(server, views, err);
    dg_writer_clear(&drops);
    return status;
}

static enum dg_status ask_value(struct dg_server *server, const char *key,
                                struct dg_arena *memory, const char **value,
                                struct dg_error *err)
{
    PGresult *result;
    enum dg_status status =
        dg_server_ask(server, "SELECT value FROM delegraph.pushed WHERE key = $1", &key,
                      1, &result, err);

    if (status)
        return status;
    *value = server->pq.PQntuples(result)
                 ? dg_copy(memory, dg_text(server->pq.PQgetvalue(result, 0, 0)))
                 : "";
    server->pq.PQclear(result);
    return DG_OK;
}

static enum dg_status set_value(struct dg_server *server, const char *key,
                                const char *value, struct dg_error *err)
{
    const char *const values[] = {key, value};

    return dg_server_change(server, "UPDATE pushed SET value = $2 WHERE key = $1",
                            values, 2, NULL, err);
}

static enum dg_status check_generation(struct dg_server *server,
                                       struct dg_arena *memory, struct dg_error *err)
{
    const char *there;
    enum dg_status status = ask_value(server, "generation", memory, &there, err);

    if (!status && atoi(there) > DG_GENERATION)
        return dg_fail(err, DG_ERR_FORMAT,
                       "PostgreSQL: a newer delegraph made the schema \"delegraph\":"
                       " generation %d, expected %d or older",
                       atoi(there), DG_GENERATION);
    return status;
}

/* Whether all is as this version makes it: then nothing has to be locked, nor has
 * whoever pushes to own anything. */
static enum dg_status is_made(struct dg_server *server, const char *made, bool *is,
                              struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char *there = "";
    int64_t n = 0;
    enum dg_status status = dg_server_change(
        server, "SELECT 1 WHERE to_regclass('delegraph.pushed') IS NOT NULL", NULL, 0,
        &n, err);

    if (!status && n)
        status = check_generation(server, &memory, err);
    if (!status && n)
        status = ask_value(server, "made", &memory, &there, err);
    *is = !strcmp(there, made);
    dg_arena_clear(&memory);
    return status;
}

/* One makes it at a time: "DgrF". Whoever waited for that finds it made. */
static const char lock_sql[] = "BEGIN; SELECT pg_advisory_xact_lock(1147623238)";

static enum dg_status make(struct dg_server *server, const char *tables,
                           const char *views, const char *made, dg_pg_queries *queries,
                           struct dg_error *err)
{
    char generation[12];
    bool is = false;
    enum dg_status status = dg_server_run(server, lock_sql, err);

    snprintf(generation, sizeof(generation), "%d", DG_GENERATION);
    if (!status)
        status = is_made(server, made, &is, err);
    if (status || is)
        return status ? status : dg_server_run(server, "COMMIT", err);
    status = dg_server_run(server, begin_sql, err);
    if (!status)
        status = dg_server_run(server, tables, err);
    if (!status)
        status = make_views(server, views, queries, err);
    if (!status)
        status = set_value(server, "generation", generation, err);
    if (!status)
        status = set_value(server, "made", made, err);
    return status ? status : dg_server_run(server, "COMMIT", err);
}

enum dg_status dg_postgres_create(const struct dg_catalog *catalog,
                                  struct dg_server *server, dg_pg_queries *queries,
                                  struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_writer tables = {0}, views = {0}, all = {0};
    const char *made;
    bool is = false;
    enum dg_status status;

    write_tables(&tables, catalog);
    write_views(&views, queries);
    dg_print(&all, "%s%s", tables.data, views.data);
    made =
        dg_xxh3((struct dg_bytes){(const uint8_t *)all.data, all.size}, &memory).data;
    status = is_made(server, made, &is, err);
    if (!status && !is)
        status = make(server, tables.data, views.data, made, queries, err);
    if (!status)
        status = dg_server_run(server, "SET search_path = delegraph", err);
    dg_writer_clear(&tables);
    dg_writer_clear(&views);
    dg_writer_clear(&all);
    dg_arena_clear(&memory);
    return status;
}
