/* Sandboxes for files and SQL that others wrote. Private to store/. */
#ifndef DG_STORE_SANDBOX_H
#define DG_STORE_SANDBOX_H

#include <sqlite3.h>
#include <time.h>

struct dg_deadline {
    clockid_t clock;
    double seconds; /* of that clock */
};

/* For a file that somebody else may have written, before its first page is read: what
 * stands in its schema makes SQLite do nothing, `db` writes temporary tables only, and
 * is interrupted when this thread, which alone uses it, has computed for `seconds`
 * more, whatever others do. `deadline` outlives db. */
void dg_sandbox_file(sqlite3 *db, struct dg_deadline *deadline, double seconds);

/* For a user's query: from now on `db` only reads, opens no other file, loads no code;
 * statements still running `seconds` from now (0: no limit) are interrupted. */
void dg_sandbox_queries(sqlite3 *db, struct dg_deadline *deadline, double seconds);

#endif
