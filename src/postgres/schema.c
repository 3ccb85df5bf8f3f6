/* Making the schema "delegraph", and bringing an older one up to date. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "postgres/catalog.h"
#include "postgres/dialect.h"
#include "store/schema.h"

/* What is there of each program and build, whoever pushed it; the next free id. */
static const char begin_sql[] =
    "BEGIN; SELECT pg_advisory_xact_lock(1147623238);" /* "DgrF": one makes it at a time
                                                        */
    "CREATE SCHEMA IF NOT EXISTS delegraph; SET LOCAL search_path = delegraph;"
    "CREATE TABLE IF NOT EXISTS pushed_program"
    " (key text PRIMARY KEY, artifact_id bigint NOT NULL);"
    "CREATE TABLE IF NOT EXISTS pushed_build"
    " (key text PRIMARY KEY, build_id bigint NOT NULL);"
    "CREATE TABLE IF NOT EXISTS pushed (key text PRIMARY KEY, value text NOT NULL);"
    "INSERT INTO pushed VALUES ('ids', '0'), ('generation', '0'), ('views', '')"
    " ON CONFLICT DO NOTHING;";

static void write_column(struct dg_writer *out, const struct dg_pg_column *column)
{
    dg_print(out, "\"%s\" %s", column->name, column->type);
}

static void write_table(struct dg_writer *out, const struct dg_pg_table *table)
{
    int keys = 0;

    dg_print(out, "CREATE TABLE IF NOT EXISTS \"%s\" (", table->name);
    for (size_t i = 0; i < table->n_columns; i++) {
        write_column(out, &table->columns[i]);
        dg_print(out, "%s, ", table->columns[i].not_null ? " NOT NULL" : "");
    }
    for (int place = 1; place <= (int)table->n_columns; place++) {
        for (size_t i = 0; i < table->n_columns; i++) {
            if (table->columns[i].key == place)
                dg_print(out, "%s\"%s\"", keys++ ? ", " : "PRIMARY KEY (",
                         table->columns[i].name);
        }
    }
    if (!keys)
        out->size -= 2; /* the comma */
    dg_print(out, "%s);\n", keys ? ")" : "");
    for (size_t i = 0; i < table->n_columns; i++) {
        dg_print(out, "ALTER TABLE \"%s\" ADD COLUMN IF NOT EXISTS ", table->name);
        write_column(out, &table->columns[i]);
        dg_print(out, ";\n");
    }
}

static void write_indexes(struct dg_writer *out)
{
    struct dg_text rest = dg_text(dg_store_schema()), token;
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        if (!dg_text_is(entry.type, "index"))
            continue;
        for (int i = 0; i < 2; i++) /* CREATE INDEX */
            token = dg_sql_token(&entry.sql);
        (void)token;
        dg_print(out, "CREATE INDEX IF NOT EXISTS");
        dg_write_text(out, entry.sql);
        dg_print(out, ";\n");
    }
}

/* What leads to the program of a row, where SQLite finds that for itself. */
static void write_leads(struct dg_writer *out, const struct dg_pg_table *table)
{
    struct dg_writer there = {0};

    if (!table->leads || table->leads->key == 1)
        return;
    dg_print(&there, "ON %s (%s)", table->name, table->leads->name);
    if (!strstr(dg_store_schema(), there.data))
        dg_print(out, "CREATE INDEX IF NOT EXISTS \"%s_leads\" %s;\n", table->name,
                 there.data);
    dg_writer_clear(&there);
}

static void write_views(struct dg_writer *out, void named(struct dg_writer *out))
{
    struct dg_text rest = dg_text(dg_schema_views());
    struct dg_entry entry;

    dg_print(out, "%s\n", dg_postgres_functions);
    while (dg_schema_next(&rest, &entry)) {
        dg_postgres_write(out, entry.sql);
        dg_print(out, ";\n");
    }
    named(out);
}

/* Views of an older version; those that others made of them stop it. */
static const char drop_views[] =
    "DO $$ DECLARE one text; BEGIN"
    " FOR one IN SELECT format('%I', c.relname) FROM pg_class AS c"
    "   JOIN pg_namespace AS n ON n.oid = c.relnamespace"
    "   WHERE n.nspname = 'delegraph' AND c.relkind = 'v' AND c.relname ~ '^[vq]_'"
    "   ORDER BY c.oid DESC LOOP EXECUTE 'DROP VIEW delegraph.' || one; END LOOP; END "
    "$$;";

static enum dg_status ask_value(struct dg_server *server, const char *key,
                                struct dg_arena *memory, const char **value,
                                struct dg_error *err)
{
    PGresult *result;
    enum dg_status status = dg_server_ask(
        server, "SELECT value FROM pushed WHERE key = $1", &key, 1, &result, err);

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

static enum dg_status make_tables(const struct dg_pg_catalog *catalog,
                                  struct dg_server *server, struct dg_error *err)
{
    struct dg_writer sql = {0};
    enum dg_status status;

    for (size_t i = 0; i < catalog->n_tables; i++) {
        write_table(&sql, &catalog->tables[i]);
        write_leads(&sql, &catalog->tables[i]);
    }
    write_indexes(&sql);
    dg_print(&sql,
             "CREATE INDEX IF NOT EXISTS artifact_companion ON artifact (companion_of)"
             " WHERE companion_of IS NOT NULL;");
    status = dg_server_run(server, sql.data, err);
    dg_writer_clear(&sql);
    return status;
}

static enum dg_status make_views(struct dg_server *server, struct dg_arena *memory,
                                 void named(struct dg_writer *out),
                                 struct dg_error *err)
{
    struct dg_writer sql = {0};
    const char *there, *here;
    enum dg_status status = ask_value(server, "views", memory, &there, err);

    write_views(&sql, named);
    here = dg_xxh3((struct dg_bytes){(const uint8_t *)sql.data, sql.size}, memory).data;
    if (!status && strcmp(there, here)) {
        status = dg_server_run(server, drop_views, err);
        if (!status)
            status = dg_server_run(server, sql.data, err);
        if (!status)
            status = set_value(server, "views", here, err);
    }
    dg_writer_clear(&sql);
    return status;
}

enum dg_status dg_catalog_create(const struct dg_pg_catalog *catalog,
                                 struct dg_server *server,
                                 void named(struct dg_writer *out),
                                 struct dg_error *err)
{
    struct dg_arena memory = {0};
    enum dg_status status = dg_server_run(server, begin_sql, err);

    if (!status)
        status = check_generation(server, &memory, err);
    if (!status)
        status = make_tables(catalog, server, err);
    if (!status)
        status = make_views(server, &memory, named, err);
    if (!status)
        status = set_value(server, "generation",
                           dg_format(&memory, "%d", DG_GENERATION).data, err);
    if (!status)
        status = dg_server_run(server, "COMMIT; SET search_path = delegraph;", err);
    dg_arena_clear(&memory);
    return status;
}
