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
    " (SELECT path FROM graph WHERE id = g.id),"
    " n.name, (SELECT coalesce(name, kind) FROM value WHERE id = value), n.target,"
    " (SELECT fqn FROM module WHERE id = n.module_id),"
    " coalesce((SELECT name FROM op WHERE id = n.op_id),"
    "          (SELECT backend FROM delegate WHERE id = n.delegate_id))"
    " FROM given, g, m LEFT JOIN node AS n ON n.id = given.node";

enum place { ARTIFACT, METHOD = 3, GRAPH, NODE, VALUE, TARGET, MODULE, OP };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* How many bytes at `i` are the number that export appends to a name: "_12" of add_12,
 * which a node before it moves. */
static size_t suffix_at(struct dg_text text, size_t i)
{
    size_t end = i + 1;

    if (text.data[i] != '_' || !i || !is_word(text.data[i - 1]))
        return 0;
    while (end < text.size && is_digit(text.data[end]))
        end++;
    return end > i + 1 && (end == text.size || !is_word(text.data[end])) ? end - i : 0;
}

/* Without what moves from export to export: numbers of names, and numbers. */
static void write_normal(struct dg_writer *out, struct dg_text text)
{
    for (size_t i = 0, size; i < text.size; i += size) {
        size = suffix_at(text, i);
        if (size)
            continue;
        size = 1;
        if (!is_digit(text.data[i]))
            dg_write(out, text.data + i, 1);
        else if (!out->size || out->data[out->size - 1] != '#')
            dg_write(out, "#", 1);
    }
    dg_write(out, "\x1f", 1);
}

static struct dg_text part(sqlite3_stmt *place, enum place column)
{
    return dg_text((const char *)sqlite3_column_text(place, column));
}

/* A module and a parameter are known by their whole name: layers.0 is not layers.1. */
static void write_place(struct dg_writer *out, sqlite3_stmt *place)
{
    static const enum place named[] = {METHOD, MODULE, OP, TARGET};

    for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
        dg_write_text(out, part(place, named[i]));
        dg_write(out, "\x1f", 1);
    }
    write_normal(out, part(place, GRAPH));
    if (!part(place, TARGET).data)
        write_normal(out, part(place, NODE));
    write_normal(out, part(place, VALUE));
}

/* How often this fingerprint came in the program, this time included. */
static unsigned count_same(struct dg_fingerprints *seen, uint64_t hash,
                           int64_t artifact)
{
    uint32_t number =
        dg_int_set_add(&seen->hashes, hash ^ (uint64_t)artifact * 0x9e3779b97f4a7c15u);

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
    if (finding->counts)
        dg_write_text(&identity, finding->message);
    else
        write_normal(&identity, finding->message);
    hash = dg_xxh3_64(dg_written(&identity));
    count = count_same(&store->fingerprints, hash,
                       sqlite3_column_int64(store->complete_place, ARTIFACT));
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
    return dg_unwritten_write_named(store, insert_sql, err);
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
