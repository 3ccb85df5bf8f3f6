/* Which integers a program can take: how it uses each of its inputs. */
#ifndef DG_EXEC_INPUTS_USE_H
#define DG_EXEC_INPUTS_USE_H

#include "exec/schedule.h"

struct dg_integer_use {
    bool integer;
    int64_t least, most;
};

/* For each input of `schedule` the integers that every use of it allows; `values` have
 * the sizes of the call. Lives in `memory`. */
struct dg_integer_use *dg_integer_uses(const struct dg_schedule *schedule,
                                       const struct dg_arg *values,
                                       struct dg_arena *memory);

#endif
