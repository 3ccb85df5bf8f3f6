/* Why a server does not let a push in, in words of our own: libpq and the server quote
 * what they were given, and in the wrong place a password may stand anywhere. */
#include "postgres/refusal.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE = 5, SHORTEST_PART = 8, LONGEST_PLACE = 100, LONGEST_NUMBER = 10 };

static bool is_of(const char *text, const char *more)
{
    for (; *text; text++) {
        if (!isalnum((unsigned char)*text) && !strchr(more, *text))
            return false;
    }
    return true;
}

/* Each stretch that is long enough to be told from chance; of what is shorter, all. */
static bool holds_part(const char *text, const char *value)
{
    size_t size = strlen(value);
    size_t n = size < SHORTEST_PART ? size : SHORTEST_PART;
    char part[SHORTEST_PART + 1];

    for (size_t i = 0; n && i + n <= size; i++) {
        memcpy(part, value + i, n);
        part[n] = '\0';
        if (strstr(text, part))
            return true;
    }
    return false;
}

bool dg_refusal_tells(const struct dg_pq *pq, PGconn *connection, const char *text)
{
    PQconninfoOption *options = pq->PQconninfo(connection);
    const char *password = pq->PQpass(connection);
    bool tells = !options || (password && holds_part(text, password));

    for (PQconninfoOption *one = options; one && one->keyword; one++) {
        if (one->val && (*one->dispchar == '*' || !is_of(one->val, "_.-")))
            tells |= holds_part(text, one->val);
    }
    pq->PQconninfoFree(options);
    return tells;
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* A name, an address or a folder of sockets. */
static bool is_host(const char *text)
{
    bool address = strspn(text, "0123456789abcdefABCDEF.:") == strlen(text);

    return *text && strlen(text) <= LONGEST_PLACE &&
           (address || is_of(text, *text == '/' ? "_.-/" : "_.-"));
}

/* Where libpq stopped trying: " to db.example, port 5432"; "" where that looks odd. */
static const char *place(const struct dg_pq *pq, PGconn *connection, char *room,
                         size_t size)
{
    const char *host = pq->PQhost(connection), *port = pq->PQport(connection);

    if (host && port && is_host(host) && is_number(port))
        snprintf(room, size, " to %s, port %s", host, port);
    else
        room[0] = '\0';
    return room;
}

/* The SQLSTATE that the server gave: "FATAL:  28P01", which is all that it says. */
static const char *state_in(const char *line, char state[STATE + 1])
{
    size_t n = strcspn(line, "\n");
    const char *code = line + (n < STATE + 3 ? 0 : n - STATE);

    state[0] = '\0';
    if (code == line || strncmp(code - 3, ":  ", 3) != 0)
        return state;
    for (int i = 0; i < STATE; i++) {
        if (!isdigit((unsigned char)code[i]) && !isupper((unsigned char)code[i]))
            return state;
    }
    memcpy(state, code, STATE);
    state[STATE] = '\0';
    return state;
}

static const char *meaning_of(const char *state)
{
    static const struct {
        const char *state, *meaning;
    } known[] = {
        {"28P01", "the server does not accept the password"},
        {"28000", "the server does not let this user in from here"},
        {"3D000", "the server has no such database"},
        {"42501", "this user may not connect to the database"},
        {"22023", "the server does not take an option of the connection"},
        {"42601", "the server does not take an option of the connection"},
        {"42704", "the server does not take an option of the connection"},
        {"53300", "the server has no connection left"},
        {"57P03", "the server is starting, or stopping"},
        {"57P01", "the server is stopping"},
        {"57P05", "the server ended the connection"},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (!strcmp(known[i].state, state))
            return known[i].meaning;
    }
    return "the server refuses, and its log says why";
}

/* The first line without what stands in quotes, which is how libpq repeats values; ""
 * where that cannot be told for sure. */
static const char *without_values(const struct dg_pq *pq, PGconn *connection,
                                  const char *line, char *room, size_t size)
{
    PQconninfoOption *options = pq->PQconninfo(connection);
    size_t n = 0;
    bool quoted = false, sure = options;

    for (PQconninfoOption *one = options; one && one->keyword; one++)
        sure &= !one->val || !strpbrk(one->val, "\"\n\r");
    pq->PQconninfoFree(options);
    for (; sure && *line && *line != '\n' && n + 4 < size; line++) {
        if (*line == '"')
            quoted = !quoted;
        if (*line == '"' && quoted)
            n = (size_t)(stpcpy(room + n, "...") - room);
        else if (*line != '"' && !quoted)
            room[n++] = *line;
    }
    room[n] = '\0';
    if (quoted || dg_refusal_tells(pq, connection, room))
        room[0] = '\0';
    return room;
}

/* What libpq takes for numbers when it connects, and not before. */
static const char *find_no_number(const struct dg_pq *pq, PGconn *connection)
{
    static const char *const numbers[] = {"port",
                                          "connect_timeout",
                                          "keepalives",
                                          "keepalives_idle",
                                          "keepalives_interval",
                                          "keepalives_count",
                                          "tcp_user_timeout"};
    PQconninfoOption *options = pq->PQconninfo(connection);
    const char *found = NULL;

    for (PQconninfoOption *one = options; one && one->keyword; one++) {
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
            bool is_port = !i;

            if (one->val && !strcmp(one->keyword, numbers[i]) &&
                (strspn(one->val, is_port ? "0123456789, " : "0123456789- ") !=
                     strlen(one->val) ||
                 (is_port && atoll(one->val) > UINT16_MAX)))
                found = numbers[i];
        }
    }
    pq->PQconninfoFree(options);
    return found;
}

static const char *timeout_of(const struct dg_pq *pq, PGconn *connection,
                              char room[LONGEST_NUMBER + 1])
{
    PQconninfoOption *options = pq->PQconninfo(connection);

    room[0] = '\0';
    for (PQconninfoOption *one = options; one && one->keyword; one++) {
        if (one->val && !strcmp(one->keyword, "connect_timeout"))
            snprintf(room, LONGEST_NUMBER + 1, "%s", one->val);
    }
    pq->PQconninfoFree(options);
    return room;
}

static enum dg_status refuse_words(const struct dg_pq *pq, PGconn *connection,
                                   const char *said, struct dg_error *err)
{
    const char *port = pq->PQport(connection);
    char room[200];

    if (!port || !*port)
        return dg_fail(err, DG_ERR_USAGE,
                       "PostgreSQL: the service that is named is in no service file"
                       " (PGSERVICEFILE, ~/.pg_service.conf), or that is not written as"
                       " libpq has it");
    without_values(pq, connection, said, room, sizeof(room));
    return dg_fail(err, DG_ERR_USAGE,
                   "PostgreSQL: libpq does not take the connection%s%s",
                   *room ? ": " : "", room);
}

/* Of the last place that was tried. */
static const char *reason(const struct dg_pq *pq, PGconn *connection, const char *text,
                          char *room, size_t size)
{
    char state[STATE + 1], seconds[LONGEST_NUMBER + 1];

    for (const char *at = text; (at = strstr(at, "failed: ")); text = at)
        at += strlen("failed: ");
    if (*state_in(text, state))
        snprintf(room, size, "%s (SQLSTATE %s)", meaning_of(state), state);
    else if (pq->PQconnectionNeedsPassword(connection))
        snprintf(room, size,
                 "the server asks for a password, and neither ~/.pgpass (PGPASSFILE)"
                 " nor a service has one");
    else if (strstr(text, "timeout expired"))
        snprintf(room, size, "no answer within %s s (connect_timeout)",
                 timeout_of(pq, connection, seconds));
    else
        without_values(pq, connection, text, room, size);
    return *room ? room : "the server cannot be reached";
}

enum dg_status dg_refusal(const struct dg_pq *pq, PGconn *connection, const char *said,
                          struct dg_error *err)
{
    const char *text = pq->PQerrorMessage(connection), *number;
    char where[LONGEST_PLACE + 32], why[200];

    if (!*text)
        return refuse_words(pq, connection, said, err);
    number = find_no_number(pq, connection);
    if (number)
        return dg_fail(err, DG_ERR_USAGE,
                       "PostgreSQL: libpq does not take the connection: invalid %s",
                       number);
    return dg_fail(err, DG_ERR_DEVICE, "PostgreSQL: cannot connect%s: %s",
                   place(pq, connection, where, sizeof(where)),
                   reason(pq, connection, text, why, sizeof(why)));
}
