/* What a store keeps for others, by kind and row. Private to store/. */
#ifndef DG_STORE_KEPT_H
#define DG_STORE_KEPT_H

#include "base/hash_table.h"

struct dg_kept_object;

struct dg_kept {
    struct dg_kept_object *objects; /* of keys that were ever kept; some are gone */
    uint32_t n_objects;
    struct dg_hash_table table;
    struct dg_arena memory; /* of what is kept */
};

/* What *from has of kinds that *to lacks is kept there, but for rows. */
void dg_kept_move(struct dg_kept *to, struct dg_kept *from);
/* Release all of them. */
void dg_kept_clear(struct dg_kept *kept);

#endif
