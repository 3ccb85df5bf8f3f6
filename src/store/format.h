/* format() and printf() that fail where SQLite's own give NULL: a result beyond the limit.
 * Private to store/. */
#ifndef DG_STORE_FORMAT_H
#define DG_STORE_FORMAT_H

#include <sqlite3.h>

/* Returns an error code of SQLite. */
int dg_format_register(sqlite3 *db, int longest);

#endif
