/* Which steps of a program became which steps of what it was lowered to. */
#ifndef DG_EXEC_ANCESTRY_H
#define DG_EXEC_ANCESTRY_H

#include "exec/schedule.h"

#define DG_NO_STEP UINT32_MAX

/* DG_NO_STEP: it is not known. */
struct dg_ancestry {
    uint32_t *came_from; /* by step of the lowering: several may come from one */
    uint32_t *became; /* by step of the program: what does its work, and maybe that of
                         others */
};

/* By debug handles inside of delegates, outside by the bytes of weights, operators and
 * who reads whom; what is not sure is not told. In `memory`. Fails where the two have
 * other inputs. */
enum dg_status dg_ancestry_find(struct dg_ancestry *ancestry,
                                const struct dg_schedule *program,
                                const struct dg_schedule *lowered,
                                struct dg_arena *memory, struct dg_error *err);

#endif
