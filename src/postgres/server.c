#include "postgres/server.h"

#include <stdlib.h>
#include <string.h>

#include "postgres/refusal.h"

enum { OLDEST = 130000 }; /* the oldest release that is still mended, and known to do */

/* The first line of what libpq or the server says. `result`: NULL where there is none.
 */
static enum dg_status fail(struct dg_server *server, const PGresult *result,
                           const char *doing, struct dg_error *err)
{
    const char *why = server->pq.PQerrorMessage(server->connection);
    const char *state =
        result ? server->pq.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    struct dg_arena memory = {0};

    why = dg_copy(&memory, (struct dg_text){why, strcspn(why, "\n")});
    if (dg_refusal_tells(&server->pq, server->connection, why))
        dg_fail(err, DG_ERR_DEVICE, "PostgreSQL: %s: SQLSTATE %s", doing,
                state ? state : "unknown");
    else
        dg_fail(err, DG_ERR_DEVICE, "PostgreSQL: %s: %s", doing,
                why + (strncmp(why, "ERROR:  ", 8) ? 0 : 8));
    dg_arena_clear(&memory);
    return err->status;
}

/* A password with "/" in it: what is before that would be a host and a port, which
 * messages tell, and the rest the name of a database. */
static bool is_cut_short(const char *conninfo)
{
    const char *host = strstr(conninfo, "://");
    const char *path = host ? strchr(host + 3, '/') : NULL;

    return dg_text_begins(dg_text(conninfo), "postgres") && path && strchr(path, '@');
}

static enum dg_status check_words(struct dg_server *server, const char *conninfo,
                                  struct dg_error *err)
{
    char *why = NULL;
    PQconninfoOption *words = server->pq.PQconninfoParse(conninfo, &why);
    bool password = false;

    for (PQconninfoOption *word = words; word && word->keyword; word++)
        password |= word->val && (*word->dispchar == '*' || /* not to be shown */
                                  strstr(word->keyword, "password"));
    server->pq.PQconninfoFree(words);
    server->pq.PQfreemem(why); /* it repeats what was given */
    if (is_cut_short(conninfo))
        return dg_fail(err, DG_ERR_USAGE,
                       "the connection has an \"@\" behind its first \"/\", where only"
                       " the database and options are: in a name \"/\" is written"
                       " %%2F, and \"@\" %%40");
    if (!words)
        return dg_fail(
            err, DG_ERR_USAGE,
            "the connection is not written as libpq has it, for instance"
            " \"host=db.example dbname=fleet\", \"service=fleet\", or as a URI");
    if (password)
        return dg_fail(err, DG_ERR_USAGE,
                       "the connection holds a password, which others can read in the"
                       " list of processes: put it into ~/.pgpass (PGPASSFILE) or a"
                       " service");
    return DG_OK;
}

static void ignore(void *data, const PGresult *notice)
{
    (void)data;
    (void)notice;
}

static enum dg_status check_server(struct dg_server *server, struct dg_error *err)
{
    int version = server->pq.PQserverVersion(server->connection);
    const char *encoding =
        server->pq.PQparameterStatus(server->connection, "server_encoding");

    if (version < OLDEST)
        return dg_fail(err, DG_ERR_DEVICE,
                       "PostgreSQL: version %d, expected %d or newer", version / 10000,
                       OLDEST / 10000);
    if (!encoding ||
        (strcmp(encoding, "UTF8") != 0 && strcmp(encoding, "SQL_ASCII") != 0))
        return dg_fail(
            err, DG_ERR_DEVICE,
            "PostgreSQL: the database is in %s, which lacks characters; expected"
            " one in UTF8",
            encoding ? encoding : "an unknown encoding");
    return DG_OK;
}

/* Once more from the start, and to the end: by then libpq knows that it is to print
 * nothing, and that of the server's words only the SQLSTATE is wanted. */
static enum dg_status connect_silently(struct dg_server *server, struct dg_error *err)
{
    struct dg_pq *pq = &server->pq;
    struct dg_arena memory = {0};
    const char *said =
        dg_copy(&memory, dg_text(pq->PQerrorMessage(server->connection)));
    enum dg_status status = DG_OK;

    pq->PQsetNoticeReceiver(server->connection, ignore, NULL);
    pq->PQsetErrorVerbosity(server->connection, PQERRORS_SQLSTATE);
    pq->PQreset(server->connection);
    if (pq->PQstatus(server->connection) != CONNECTION_OK)
        status = dg_refusal(pq, server->connection, said, err);
    else
        pq->PQsetErrorVerbosity(server->connection, PQERRORS_DEFAULT);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_server_open(struct dg_server *server, const char *conninfo,
                              struct dg_error *err)
{
    const char *const keys[] = {"dbname", "client_encoding", "application_name", NULL};
    const char *const values[] = {conninfo, "UTF8", "delegraph", NULL};
    enum dg_status status;

    *server = (struct dg_server){0};
    status = dg_pq_load(&server->pq, err);
    if (!status)
        status = check_words(server, conninfo, err);
    if (status)
        return status;
    setenv("PGCONNECT_TIMEOUT", DG_SERVER_TIMEOUT, 0); /* behind words and services */
    server->connection = server->pq.PQconnectStartParams(keys, values, 1);
    if (!server->connection)
        dg_out_of_memory();
    status = connect_silently(server, err);
    return status ? status : check_server(server, err);
}

void dg_server_close(struct dg_server *server)
{
    if (server->connection)
        server->pq.PQfinish(server->connection);
    *server = (struct dg_server){0};
}

static enum dg_status judge(struct dg_server *server, PGresult *result,
                            struct dg_error *err)
{
    ExecStatusType state = server->pq.PQresultStatus(result);

    return state == PGRES_COMMAND_OK || state == PGRES_TUPLES_OK ||
                   state == PGRES_COPY_IN
               ? DG_OK
               : fail(server, result, "a statement failed", err);
}

/* What the server says of the rows that it takes in. */
static enum dg_status settle(struct dg_server *server, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    PGresult *result;

    if (!server->takes_in)
        return DG_OK;
    server->takes_in = false;
    while ((result = server->pq.PQgetResult(server->connection))) {
        if (!status)
            status = judge(server, result, err);
        server->pq.PQclear(result);
    }
    return status;
}

enum dg_status dg_server_run(struct dg_server *server, const char *sql,
                             struct dg_error *err)
{
    enum dg_status status = settle(server, err);
    PGresult *result;

    if (status)
        return status;
    result = server->pq.PQexec(server->connection, sql);
    status = judge(server, result, err);
    server->pq.PQclear(result);
    return status;
}

enum dg_status dg_server_ask(struct dg_server *server, const char *sql,
                             const char *const *values, int n, PGresult **result,
                             struct dg_error *err)
{
    enum dg_status status = settle(server, err);

    *result = NULL;
    if (status)
        return status;
    *result = server->pq.PQexecParams(server->connection, sql, n, NULL, values, NULL,
                                      NULL, 0);
    status = judge(server, *result, err);
    if (!status)
        return DG_OK;
    server->pq.PQclear(*result);
    *result = NULL;
    return status;
}

enum dg_status dg_server_change(struct dg_server *server, const char *sql,
                                const char *const *values, int n, int64_t *rows,
                                struct dg_error *err)
{
    PGresult *result;
    enum dg_status status = dg_server_ask(server, sql, values, n, &result, err);

    if (!status && rows)
        *rows = atoll(server->pq.PQcmdTuples(result));
    server->pq.PQclear(result);
    return status;
}

enum dg_status dg_server_send(struct dg_server *server, struct dg_writer *lines,
                              struct dg_error *err)
{
    int sent =
        server->pq.PQputCopyData(server->connection, lines->data, (int)lines->size);

    lines->size = 0;
    return sent == 1 ? DG_OK : fail(server, NULL, "rows could not be sent", err);
}

enum dg_status dg_server_end_copy(struct dg_server *server, struct dg_error *err)
{
    if (server->pq.PQputCopyEnd(server->connection, NULL) != 1)
        return fail(server, NULL, "rows could not be sent", err);
    server->takes_in = true;
    return DG_OK;
}
