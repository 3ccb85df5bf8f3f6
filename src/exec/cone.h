/* What stands behind each value of a run: which steps that round, and how. */
#ifndef DG_EXEC_CONE_H
#define DG_EXEC_CONE_H

#include "exec/machine.h"

struct dg_cone {
    enum dg_tolerance tolerance; /* the loosest */
    size_t depth;                /* inexact steps one after the other */
    int64_t longest_sum;         /* terms, about */
    enum dg_type narrowest;      /* of what inexact steps made; BOOL: none did */
};

/* What is known of a step before it runs: its arguments may be gone afterwards. */
struct dg_cone_step {
    struct dg_cone behind; /* of all it reads */
    bool floats;           /* among them */
    double sizes[2];       /* elements of the two largest */
};

/* A cone for each slot. Planned values of a .pte that begin on the same byte share one:
 * they may be views of each other without any instruction. */
struct dg_cone **dg_cones_new(const struct dg_plan *plan, struct dg_arena *memory);

/* `cones`: by slot. `machine` has just run what comes before, or the step itself. */
void dg_cone_before(struct dg_cone_step *before, const struct dg_step *step,
                    const struct dg_machine *machine, struct dg_cone *const *cones);
void dg_cone_after(struct dg_cone *const *cones, const struct dg_step *step,
                   const struct dg_machine *machine, const struct dg_cone_step *before);

/* Call fn for each slot that the step reads. */
typedef void dg_slot_fn(void *data, uint32_t slot);
void dg_step_reads(const struct dg_step *step, dg_slot_fn *fn, void *data);

#endif
