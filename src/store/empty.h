/* A store without rows. Private to store/. */
#ifndef DG_STORE_EMPTY_H
#define DG_STORE_EMPTY_H

#include <sqlite3.h>
#include <stdbool.h>

/* Make the tables of schema.sql in a database without any, outside of a transaction. A
 * code of SQLite. */
int dg_empty_tables(sqlite3 *db, bool in_memory);

#endif
