/* Names of the backends that ExecuTorch ships. */
#ifndef DG_VERIFIERS_BACKENDS_H
#define DG_VERIFIERS_BACKENDS_H

#include "base/arena.h"
#include "base/text.h"

/* "XnnpackBackend" for "xnnpack", "XNNPACK" and "Xnnpackbackend"; NULL for the right
 * name and for those of other backends. */
const char *dg_backend_misspelled(struct dg_text name, struct dg_arena *memory);

/* The names in turn; NULL behind the last. */
const char *dg_backend_shipped(size_t i, struct dg_arena *memory);

#endif
