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

struct dg_cone_read {
    const struct dg_storage *storage;
    struct dg_cone *cone;
};

/* The same without a run: sizes are not known, and a delegate may hold anything but a
 * scan. Where the program writes into its values, all have what stands behind any. */
void dg_cones_of_plan(struct dg_cone *cones, const struct dg_plan *plan);

/* What is known of a step before it runs: its arguments may be gone afterwards. */
struct dg_cone_step {
    struct dg_cone behind;     /* of all it reads */
    bool floats;               /* among them */
    double sizes[2];           /* elements of the two largest */
    struct dg_cone_read *read; /* where the tensors that it reads lie */
    size_t n_read;
};

/* A cone for each slot. Names of one storage share one, as do views of a .pte and what
 * they show; what a step of a .pt2 gives shares that of what it is a view of. */
struct dg_cone **dg_cones_new(const struct dg_plan *plan, struct dg_arena *memory);

/* `cones`: by slot. *before starts from {0}. `machine` has just run what comes before,
 * or the step itself. */
void dg_cone_before(struct dg_cone_step *before, const struct dg_step *step,
                    const struct dg_machine *machine, struct dg_cone *const *cones);
void dg_cone_after(struct dg_cone **cones, const struct dg_step *step,
                   const struct dg_machine *machine, struct dg_cone_step *before);
void dg_cone_step_clear(struct dg_cone_step *before);

#endif
