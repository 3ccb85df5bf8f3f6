/* Sandboxes for files and SQL that others wrote. Private to store/. */
#ifndef DG_STORE_SANDBOX_H
#define DG_STORE_SANDBOX_H

#include <sqlite3.h>
#include <stdbool.h>
#include <time.h>

struct dg_deadline {
    clockid_t clock;
    double seconds; /* of that clock */
};

/* For a file that somebody else may have written, before its first page is read: what
 * stands in its schema makes SQLite do nothing, and `db` writes temporary tables only.
 */
void dg_sandbox_file(sqlite3 *db);

/* It is interrupted when this thread, which alone uses it, has computed for `seconds`
 * more, whatever others do. `deadline` outlives db. */
void dg_sandbox_limit_time(sqlite3 *db, struct dg_deadline *deadline, double seconds);

/* For queries of users. Starts with `given` alone. */
struct dg_sandbox {
    bool given;    /* dg_sandbox_file() was for that db */
    bool prepared; /* what its schema could make SQLite do by itself is off */
    bool closed;
    double left; /* of the deadline of the file, while it is closed */
};

/* From now on `db` only reads, opens no other file, loads no code; statements still
 * running `seconds` from now (0: no limit) are interrupted. `sandbox` outlives db. */
void dg_sandbox_close(sqlite3 *db, struct dg_sandbox *sandbox,
                      struct dg_deadline *deadline, double seconds);

/* It may do again what it might before. */
void dg_sandbox_open(sqlite3 *db, struct dg_sandbox *sandbox,
                     struct dg_deadline *deadline);

#endif
