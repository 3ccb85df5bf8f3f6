/* What stands behind each value of a run: which steps that round, and how. */
#ifndef DG_EXEC_SLICE_H
#define DG_EXEC_SLICE_H

#include "exec/machine.h"

struct dg_slice {
    enum dg_tolerance tolerance; /* the loosest */
    size_t depth;                /* inexact steps one after the other */
    int64_t longest_sum;         /* terms, about */
    enum dg_type narrowest;      /* of what inexact steps made; BOOL: none did */
    /* Of a list of vectors and values that are known without these (the step that gave
     * it, else NULL): the loosest of what the values rest on. */
    const struct dg_step *maker;
    enum dg_tolerance settled;
    bool exponential; /* exp is among the steps */
    int64_t
        half_sum; /* terms of the longest sum that XNNPACK may make in f16; 0: none */
};

/* Whether it runs a schedule again on what that gave: a loop, a scan. */
bool dg_step_has_turns(const struct dg_step *step);

/* That of item `i` of a list; whether it is another than that of the list, as it does
 * not hang on vectors that are items, too. */
bool dg_slice_item(struct dg_slice *item, const struct dg_slice *list, int64_t i);

/* Notes in the outputs of a schedule that steps call what its own steps lead to. Those
 * that it calls have theirs, or say VECTORS. */
void dg_slices_of_outputs(struct dg_schedule *schedule);

struct dg_slice_read {
    const struct dg_storage *storage;
    struct dg_slice *slice;
};

/* The same without a run: sizes are not known, and a delegate may hold anything but a
 * scan. Where the program writes into its values, all have what stands behind any. */
void dg_slices_of_schedule(struct dg_slice *slices, const struct dg_schedule *schedule);

/* What is known of a step before it runs: its arguments may be gone afterwards. */
struct dg_slice_step {
    struct dg_slice behind; /* of all it reads */
    bool floats, complex;   /* among them */
    double sizes[2];        /* elements of the two largest */
    int64_t side;           /* the shorter one of the largest matrix of floats */
    int64_t line; /* what is summed at most where one sum is made for each row */
    struct dg_slice_read *read; /* where the tensors that it reads lie */
    size_t n_read;
};

/* A slice for each slot. Names of one storage share one, as do views of a .pte and what
 * they show; what a step of a .pt2 gives shares that of what it is a view of. */
struct dg_slice **dg_slices_new(const struct dg_schedule *schedule,
                                struct dg_arena *memory);

/* `slices`: by slot. *before starts from {0}. `machine` has just run what comes before,
 * or the step itself. */
void dg_slice_before(struct dg_slice_step *before, const struct dg_step *step,
                     const struct dg_machine *machine, struct dg_slice *const *slices);
void dg_slice_after(struct dg_slice **slices, const struct dg_step *step,
                    const struct dg_machine *machine, struct dg_slice_step *before);
void dg_slice_step_clear(struct dg_slice_step *before);

#endif
