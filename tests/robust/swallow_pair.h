/* What a store is told of its target, the devices predicted for its programs, and a
 * program together with a file that belongs to it. */
#ifndef DG_TESTS_SWALLOW_PAIR_H
#define DG_TESTS_SWALLOW_PAIR_H

#include "store/store.h"

/* Rows of `setting` of every kind that check can write. */
void swallow_settings(struct dg_store *store);

/* The verb devices on each method that is not emitted yet; each is then compared with
 * the first program of `emitted`, unless that is NULL. */
void swallow_devices(struct dg_store *store, struct dg_store *emitted);

/* `pte`, and with it a .ptd or the .pt2 that it was made from. Aborts where
 * swallow_program() would. */
void swallow_pair(struct dg_bytes pte, struct dg_bytes companion);

#endif
