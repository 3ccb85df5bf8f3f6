/* Fences around files and SQL that others wrote. */
#include "store/sandbox.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "store/format.h"

enum {
    INSTRUCTIONS_PER_LOOK = 10000,
    LONGEST_VALUE = 64 << 20,
    LONGEST_SQL = 1 << 20,
    MOST_MEMORY = 1 << 30
};

static double seconds_of(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_late(void *state)
{
    const struct dg_deadline *deadline = state;

    return seconds_of(deadline->clock) > deadline->seconds;
}

/* PRAGMAs that tell: of a table or index that their argument names, or without one. */
static int tells(const char *pragma, const char *argument)
{
    static const char *const of_table[] = {
        "table_info",  "table_xinfo",     "index_list",
        "index_info",  "index_xinfo",     "table_list",
        "quick_check", "integrity_check", "foreign_key_check"};
    static const char *const alone[] = {"user_version", "application_id", "page_count",
                                        "page_size"};

    for (size_t i = 0; i < sizeof(of_table) / sizeof(*of_table); i++) {
        if (!strcmp(pragma, of_table[i]))
            return 1;
    }
    for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++) {
        if (!strcmp(pragma, alone[i]))
            return !argument;
    }
    return 0;
}

/* Functions that load code, or take pointers from SQL. */
static int reaches_out(const char *function)
{
    return !strcmp(function, "load_extension") || !strcmp(function, "fts3_tokenizer");
}

static int allow_reading(void *unused, int action, const char *first,
                         const char *second, const char *database, const char *trigger)
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return reaches_out(second) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return tells(first, second) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* And temporary tables beside the file. */
static int allow_beside(void *unused, int action, const char *first, const char *second,
                        const char *database, const char *trigger)
{
    switch (action) {
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_DROP_TEMP_TABLE:
        return SQLITE_OK;
    case SQLITE_CREATE_TABLE: /* json_each() declares x; the file takes no table */
        return strcmp(first, "x") ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        if (!strcmp(first, "sqlite_master"))
            return SQLITE_OK;
        return database && !strcmp(database, "temp") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        if (!strcmp(first, "cache_size"))
            return SQLITE_OK;
        break;
    }
    return allow_reading(unused, action, first, second, database, trigger);
}

/* The same statements stay prepared, whoever comes: SQLite asks where it prepares one,
 * and would prepare all anew for another authorizer. What loads rows is nobody's. */
static int allow_by_state(void *state, int action, const char *first,
                          const char *second, const char *database, const char *trigger)
{
    const struct dg_sandbox *sandbox = state;

    if (!sandbox->closed && !sandbox->given)
        return SQLITE_OK;
    if (!sandbox->closed)
        return allow_beside(NULL, action, first, second, database, trigger);
    if (action == SQLITE_READ && !strcmp(first, "dg_bulk"))
        return SQLITE_DENY;
    return allow_reading(NULL, action, first, second, database, trigger);
}

/* What a schema could make SQLite do by itself. The functions of JSON that give rows
 * are the only tables that are not stored, but for what loads rows. */
static void disarm(sqlite3 *db)
{
    static const int off[] = {
        SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
        SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION};
    const char *kept[] = {"json_each", "json_tree", "dg_bulk", "dg_resident", NULL};

    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++)
        sqlite3_db_config(db, off[i], 0, NULL);
    sqlite3_drop_modules(db, kept);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, LONGEST_SQL);
}

static void limit_time(sqlite3 *db, struct dg_deadline *deadline, clockid_t clock,
                       double seconds)
{
    *deadline = (struct dg_deadline){clock, seconds_of(clock) + seconds};
    sqlite3_progress_handler(db, INSTRUCTIONS_PER_LOOK, is_late, deadline);
}

void dg_sandbox_file(sqlite3 *db)
{
    disarm(db);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL); /* but TEMP ones */
    sqlite3_set_authorizer(db, allow_beside, NULL);
}

void dg_sandbox_limit_time(sqlite3 *db, struct dg_deadline *deadline, double seconds)
{
    limit_time(db, deadline, CLOCK_THREAD_CPUTIME_ID, seconds);
}

/* They declare a table at first use, which no query may. */
static void connect_json(sqlite3 *db)
{
    sqlite3_exec(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL, NULL,
                 NULL);
}

/* SQLite has one bound for a process: it holds while any thread runs queries of users,
 * and whoever begins has his share behind what the others have. */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static int n_bounded;

static void bound_memory(int change)
{
    pthread_mutex_lock(&memory_lock);
    n_bounded += change;
    if (change > 0)
        sqlite3_hard_heap_limit64(sqlite3_memory_used() + MOST_MEMORY);
    else if (!n_bounded)
        sqlite3_hard_heap_limit64(0);
    pthread_mutex_unlock(&memory_lock);
}

/* Once for a db. */
static void prepare(sqlite3 *db, struct dg_sandbox *sandbox)
{
    disarm(db);
    connect_json(db);
    dg_format_register(db, LONGEST_VALUE);
    sqlite3_set_authorizer(db, allow_by_state, sandbox);
    sandbox->prepared = true;
}

void dg_sandbox_close(sqlite3 *db, struct dg_sandbox *sandbox,
                      struct dg_deadline *deadline, double seconds)
{
    if (!sandbox->prepared)
        prepare(db, sandbox);
    sandbox->closed = true;
    sandbox->left = deadline->seconds - seconds_of(deadline->clock);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    bound_memory(1);
    if (seconds > 0)
        limit_time(db, deadline, CLOCK_MONOTONIC, seconds);
    else
        sqlite3_progress_handler(db, 0, NULL, NULL);
}

void dg_sandbox_open(sqlite3 *db, struct dg_sandbox *sandbox,
                     struct dg_deadline *deadline)
{
    sandbox->closed = false;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, INT_MAX);
    bound_memory(-1);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    if (sandbox->given)
        limit_time(db, deadline, CLOCK_THREAD_CPUTIME_ID, sandbox->left);
}
