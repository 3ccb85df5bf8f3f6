/* dg_f16(x): the half-precision number nearest to x, ties to even; NULL of what is no
 * number. Private to store/. */
#ifndef DG_STORE_HALF_H
#define DG_STORE_HALF_H

#include <sqlite3.h>

/* Returns SQLite's result code. */
int dg_half_register(sqlite3 *db);

#endif
