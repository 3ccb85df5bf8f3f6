/* sum() that cannot fail. */
#ifndef DG_STORE_SUM_H
#define DG_STORE_SUM_H

#include <sqlite3.h>

/* Takes the place of SQLite's own, which ends a query where a sum of integers is no
 * int64: files may state such sizes. Here it ends at the nearest int64. Returns
 * SQLite's result code. */
int dg_sum_register(sqlite3 *db);

#endif
