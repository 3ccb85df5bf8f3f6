/* Two readings of a store side by side. */
#ifndef DG_STORE_BESIDE_H
#define DG_STORE_BESIDE_H

#include "store/store.h"

typedef enum dg_status dg_reading_fn(void *object, struct dg_store *store,
                                     struct dg_error *err);

/* here(object, store) and apart(object, store). Of a large file `apart` gets another
 * store, a connection of its own, in a thread: what it keeps (dg_store_keep) becomes
 * this one's, and must not rest on dg_store_memory() or on rows that it read, which go
 * with the connection. They read tables of the file, and write into different parts of
 * *object. Where `apart` fails it has the word, as `here` is then interrupted. Memory
 * that runs out in either is DG_ERR_IO; in the thread it loses the connection, too. */
enum dg_status dg_store_read_both(struct dg_store *store, dg_reading_fn *here,
                                  dg_reading_fn *apart, void *object,
                                  struct dg_error *err);

/* Whether a thread is worth it: others than files never are. */
bool dg_store_is_large(const struct dg_store *store);
/* The same of a large store that nobody has checked so far. `here` NULL: nothing. */
enum dg_status dg_store_read_beside(struct dg_store *store, dg_reading_fn *here,
                                    dg_reading_fn *apart, void *object,
                                    struct dg_error *err);

#endif
