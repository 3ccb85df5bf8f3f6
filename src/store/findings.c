/* Broken rules as rows. */
#include <stdio.h>

#include "base/hash.h"
#include "base/text.h"
#include "store/database.h"

/* A value or node names its graph, a graph its method, a method its artifact. */
static const char complete_sql[] =
    "WITH given(artifact, method, graph, node, value) AS (VALUES (?1, ?2, ?3, ?4, ?5)),"
    " g AS (SELECT coalesce(graph, (SELECT graph_id FROM node WHERE id = given.node),"
    "              (SELECT graph_id FROM value WHERE id = given.value)) AS id FROM "
    "given),"
    " m AS (SELECT coalesce(method, (SELECT method_id FROM graph WHERE id = g.id)) AS "
    "id"
    "       FROM given, g)"
    "SELECT coalesce(artifact, (SELECT artifact_id FROM method WHERE id = m.id),"
    "                (SELECT id FROM artifact WHERE (SELECT count(*) FROM artifact) = "
    "1)),"
    " m.id, g.id, (SELECT name FROM method WHERE id = m.id),"
    " (SELECT path FROM graph WHERE id = g.id), (SELECT name FROM node WHERE id = "
    "node),"
    " (SELECT coalesce(name, kind) FROM value WHERE id = value) FROM given, g, m";

static void bind_id(struct dg_rows *rows, int parameter, int64_t id)
{
    if (id)
        dg_rows_bind_int(rows, parameter, id);
}

/* Numbers move from export to export: they do not tell findings apart. */
static void write_normal(struct dg_writer *out, struct dg_text message)
{
    for (size_t i = 0; i < message.size; i++) {
        bool digit = message.data[i] >= '0' && message.data[i] <= '9';

        if (!digit)
            dg_write(out, message.data + i, 1);
        else if (!out->size || out->data[out->size - 1] != '#')
            dg_write(out, "#", 1);
    }
}

static void write_place(struct dg_writer *out, const struct dg_rows *rows)
{
    for (int column = 3; column <= 6; column++) {
        dg_write_text(out, dg_rows_slice(rows, column));
        dg_write(out, "\x1f", 1);
    }
}

/* The same fingerprint a second time gets "-2", and so on. */
static enum dg_status count_same(struct dg_store *store, const char *fingerprint,
                                 int64_t *count, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT count(*) FROM finding WHERE fingerprint GLOB ?1 || '*'",
        err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(fingerprint));
    *count = dg_rows_next(&rows) ? dg_rows_int(&rows, 0) : 0;
    return dg_rows_close(&rows, DG_OK, err);
}

static void bind_finding(sqlite3_stmt *insert, const struct dg_finding *finding,
                         const struct dg_rows *place, const char *fingerprint)
{
    sqlite3_bind_text(insert, 2, finding->rule, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(insert, 3, finding->severity, -1, SQLITE_TRANSIENT);
    for (int i = 0; i < 3; i++) {
        static const int parameters[] = {1, 4, 5}; /* artifact, method, graph */

        if (!dg_rows_null(place, i))
            sqlite3_bind_int64(insert, parameters[i], dg_rows_int(place, i));
    }
    if (finding->node)
        sqlite3_bind_int64(insert, 6, finding->node);
    if (finding->value)
        sqlite3_bind_int64(insert, 7, finding->value);
    sqlite3_bind_text64(insert, 8, finding->message.data, finding->message.size,
                        SQLITE_TRANSIENT, SQLITE_UTF8);
    sqlite3_bind_text64(insert, 9, finding->witness.data ? finding->witness.data : "[]",
                        finding->witness.data ? finding->witness.size : 2,
                        SQLITE_TRANSIENT, SQLITE_UTF8);
    sqlite3_bind_text(insert, 10, fingerprint, -1, SQLITE_TRANSIENT);
}

static enum dg_status insert(struct dg_store *store, const struct dg_finding *finding,
                             const struct dg_rows *place, const char *fingerprint,
                             struct dg_error *err)
{
    static const char sql[] =
        "INSERT INTO finding VALUES (NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)";
    sqlite3_stmt **statement = &store->add_finding;

    if (!*statement && sqlite3_prepare_v2(store->db, sql, -1, statement, NULL))
        return dg_store_fail(store, err);
    bind_finding(*statement, finding, place, fingerprint);
    if (sqlite3_step(*statement) != SQLITE_DONE)
        dg_store_fail(store, err);
    else
        err->status = DG_OK;
    sqlite3_reset(*statement);
    sqlite3_clear_bindings(*statement);
    return err->status;
}

static enum dg_status add(struct dg_store *store, const struct dg_finding *finding,
                          const struct dg_rows *place, struct dg_error *err)
{
    struct dg_writer identity = {0};
    struct dg_arena memory = {0};
    char fingerprint[48];
    int64_t count = 0;
    enum dg_status status;

    dg_print(&identity, "%s\x1f", finding->rule);
    write_place(&identity, place);
    write_normal(&identity, finding->message);
    snprintf(
        fingerprint, sizeof(fingerprint), "%.16s",
        dg_xxh3((struct dg_bytes){(uint8_t *)identity.data, identity.size}, &memory)
            .data);
    status = count_same(store, fingerprint, &count, err);
    if (count)
        snprintf(fingerprint + 16, sizeof(fingerprint) - 16, "-%lld",
                 (long long)count + 1);
    if (!status)
        status = insert(store, finding, place, fingerprint, err);
    dg_writer_clear(&identity);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_store_add_finding(struct dg_store *store,
                                    const struct dg_finding *finding,
                                    struct dg_error *err)
{
    struct dg_rows place;
    enum dg_status status = dg_rows_open(&place, store, complete_sql, err);

    if (status)
        return status;
    bind_id(&place, 1, finding->artifact);
    bind_id(&place, 2, finding->method);
    bind_id(&place, 3, finding->graph);
    bind_id(&place, 4, finding->node);
    bind_id(&place, 5, finding->value);
    if (dg_rows_next(&place))
        status = add(store, finding, &place, err);
    return dg_rows_close(&place, status, err);
}
