/* Fences around SQL that users write. Private to store/. */
#ifndef DG_STORE_CONFINE_H
#define DG_STORE_CONFINE_H

#include <sqlite3.h>

/* From now on `db` only reads, opens no other file, loads no code; statements still
 * running `seconds` from now (0: no limit) are interrupted. `deadline` outlives db. */
void dg_confine(sqlite3 *db, double *deadline, double seconds);

#endif
