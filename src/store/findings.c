/* Broken rules as rows. */
#include <stdio.h>
#include <stdlib.h>

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

static void write_place(struct dg_writer *out, sqlite3_stmt *place)
{
    for (int column = 3; column <= 6; column++) {
        dg_write_text(out, dg_text((const char *)sqlite3_column_text(place, column)));
        dg_write(out, "\x1f", 1);
    }
}

/* How often this fingerprint came, this time included. */
static unsigned count_same(struct dg_fingerprints *seen, uint64_t hash)
{
    uint32_t number = dg_int_set_add(&seen->hashes, hash);

    if (number == seen->n_counts)
        (void)DG_APPEND(seen->counts, seen->n_counts);
    return ++seen->counts[number];
}

void dg_fingerprints_clear(struct dg_fingerprints *fingerprints)
{
    dg_int_set_clear(&fingerprints->hashes);
    free(fingerprints->counts);
    *fingerprints = (struct dg_fingerprints){0};
}

static void bind_finding(sqlite3_stmt *insert, const struct dg_finding *finding,
                         sqlite3_stmt *place, const char *fingerprint)
{
    sqlite3_bind_text(insert, 2, finding->rule, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(insert, 3, finding->severity, -1, SQLITE_TRANSIENT);
    for (int i = 0; i < 3; i++) {
        static const int parameters[] = {1, 4, 5}; /* artifact, method, graph */

        if (sqlite3_column_type(place, i) != SQLITE_NULL)
            sqlite3_bind_int64(insert, parameters[i], sqlite3_column_int64(place, i));
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

/* Run a prepared statement to its end and make it ready for the next time. */
static enum dg_status finish(struct dg_store *store, sqlite3_stmt *statement,
                             struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (sqlite3_step(statement) != SQLITE_DONE)
        status = dg_store_fail(store, err);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

/* The same fingerprint a second time gets "-2", and so on. */
static enum dg_status add(struct dg_store *store, const struct dg_finding *finding,
                          struct dg_error *err)
{
    struct dg_writer identity = {0};
    char fingerprint[48];
    uint64_t hash;
    unsigned count;
    int length;

    dg_print(&identity, "%s\x1f", finding->rule);
    write_place(&identity, store->complete_place);
    write_normal(&identity, finding->message);
    hash = dg_xxh3_64(dg_written(&identity));
    count = count_same(&store->fingerprints, hash);
    length = snprintf(fingerprint, sizeof(fingerprint), "%016llx", (long long)hash);
    if (count > 1)
        snprintf(fingerprint + length, sizeof(fingerprint) - (size_t)length, "-%u",
                 count);
    bind_finding(store->add_finding, finding, store->complete_place, fingerprint);
    dg_writer_clear(&identity);
    return finish(store, store->add_finding, err);
}

static enum dg_status prepare(struct dg_store *store, struct dg_error *err)
{
    static const char insert_sql[] =
        "INSERT INTO finding VALUES (NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)";

    if (!store->add_finding &&
        (sqlite3_prepare_v2(store->db, insert_sql, -1, &store->add_finding, NULL) ||
         sqlite3_prepare_v2(store->db, complete_sql, -1, &store->complete_place, NULL)))
        return dg_store_fail(store, err);
    return DG_OK;
}

enum dg_status dg_store_add_finding(struct dg_store *store,
                                    const struct dg_finding *finding,
                                    struct dg_error *err)
{
    const int64_t ids[] = {finding->artifact, finding->method, finding->graph,
                           finding->node, finding->value};
    enum dg_status status = prepare(store, err);

    if (status)
        return status;
    for (int i = 0; i < 5; i++) {
        if (ids[i])
            sqlite3_bind_int64(store->complete_place, i + 1, ids[i]);
    }
    if (sqlite3_step(store->complete_place) == SQLITE_ROW)
        status = add(store, finding, err);
    if (!status)
        return finish(store, store->complete_place, err);
    sqlite3_reset(store->complete_place);
    return status;
}
