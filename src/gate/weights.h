/* The files that were given with a program, and how many weights they share. */
#ifndef DG_GATE_WEIGHTS_H
#define DG_GATE_WEIGHTS_H

#include "gate/outcome.h"

/* Fill in `companions` and `weights`. */
enum dg_status dg_weights_read(struct dg_outcome *out, struct dg_store *store,
                               int64_t artifact, struct dg_arena *memory,
                               struct dg_error *err);

#endif
