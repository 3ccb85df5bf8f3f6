/* What taking out a part of a program shares. */
#ifndef DG_EXEC_REDUCE_PARTS_H
#define DG_EXEC_REDUCE_PARTS_H

#include "exec/reduce.h"
#include "exec/run_parts.h"

struct dg_reducing {
    struct dg_repro *repro;
    const struct dg_numeric_request *request;
    const struct dg_numeric_call *calls;
    size_t n_calls; /* up to the one that showed it */
    const struct dg_schedule *schedule;
    uint32_t culprit;
    uint32_t *maker; /* by slot: the step that makes it; DG_NO_STEP */
    struct dg_matching matching;
    /* By slot, of the last run of both: what they have there. */
    bool *wanted, *read; /* read: by a chosen step, of the present run */
    struct dg_arg *own, *tested;
    struct dg_arena memory;
    struct dg_error *err;
};

/* Run this program and the tested one, and keep what is wanted of both. */
enum dg_status dg_reducing_run(struct dg_reducing *reducing);
/* The same of this one only, into `values`, by slot. */
enum dg_status dg_reducing_run_own(struct dg_reducing *reducing,
                                   const struct dg_device *device,
                                   struct dg_arg *values);
/* Drop what was kept. */
void dg_reducing_forget(const struct dg_reducing *reducing);

/* Whether a step of the part makes what is in the slot. */
bool dg_reducing_has_inside(const struct dg_reducing *reducing, uint32_t slot);
/* What the tested one has in a slot; what neither computes, both have. NULL: nothing is
 * known of it. */
const struct dg_arg *dg_reducing_value(const struct dg_reducing *reducing,
                                       uint32_t slot);
/* Whether the chosen steps, fed with what the tested one has, give something else than
 * it: make the part, and judge. */
enum dg_status dg_reducing_try(struct dg_reducing *reducing, bool *fails);
void dg_repro_clear_part(struct dg_repro *repro);

#endif
