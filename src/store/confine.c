/* Fences around SQL that users write. */
#include "store/confine.h"

#include <string.h>
#include <time.h>

enum { INSTRUCTIONS_PER_LOOK = 10000, LONGEST_VALUE = 64 << 20, MOST_MEMORY = 1 << 30 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_late(void *deadline)
{
    return now() > *(const double *)deadline;
}

/* PRAGMAs that only tell; their argument, if any, names a table or index. */
static int tells(const char *pragma)
{
    static const char *const names[] = {
        "table_info",  "table_xinfo",     "index_list",       "index_info",
        "index_xinfo", "table_list",      "user_version",     "application_id",
        "quick_check", "integrity_check", "foreign_key_check"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(pragma, names[i]))
            return 1;
    }
    return 0;
}

static int allow(void *unused, int action, const char *first, const char *second,
                 const char *database, const char *trigger)
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcmp(second, "load_extension") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return tells(first) && (!second || !strstr(first, "_version")) ? SQLITE_OK
                                                                       : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

void dg_confine(sqlite3 *db, double *deadline, double seconds)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_hard_heap_limit64(sqlite3_memory_used() + MOST_MEMORY);
    sqlite3_set_authorizer(db, allow, NULL);
    if (seconds > 0) {
        *deadline = now() + seconds;
        sqlite3_progress_handler(db, INSTRUCTIONS_PER_LOOK, is_late, deadline);
    }
}
