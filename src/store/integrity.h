/* Whether the rows of a store are such as delegraph writes. Private to store/. */
#ifndef DG_STORE_INTEGRITY_H
#define DG_STORE_INTEGRITY_H

#include "store/store.h"

/* Pages, types, and references: what readers of a store rely on. The tables are those
 * of schema.sql. It takes a second for a million nodes, so the first reader asks for
 * it: a user's query relies on nothing. */
enum dg_status dg_store_check_integrity(struct dg_store *store, struct dg_error *err);

/* The same, of a store that readers have asked nothing of so far. */
enum dg_status dg_store_check_first(struct dg_store *store, struct dg_error *err);

/* The same, without the name of the file in what is said. */
enum dg_status dg_store_check_content(struct dg_store *store, struct dg_error *err);

/* Pages alone, of a file of any schema. */
enum dg_status dg_store_check_pages(struct dg_store *store, struct dg_error *err);

#endif
