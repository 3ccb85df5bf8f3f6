/* What finds out what stands behind a value shares. */
#ifndef DG_EXEC_SLICE_PARTS_H
#define DG_EXEC_SLICE_PARTS_H

#include "exec/slice.h"

/* Floats and sizes of a value; lists of tensors count as their items. */
struct dg_slice_contents {
    bool floats, complex;
    enum dg_type narrowest;
    double sizes[2], total;
    int64_t side, line;
};

enum dg_type dg_narrower(enum dg_type a, enum dg_type b);
void dg_slice_see(struct dg_slice_contents *seen, const struct dg_arg *value);

/* Terms of a sum, about; `results`: what the step gave. */
int64_t dg_slice_terms(const struct dg_slice_step *before,
                       const struct dg_slice_contents *results);

/* Terms of a sum that XNNPACK may make in f16; 0: the step makes none. */
int64_t dg_slice_half_sum(const struct dg_step *step, const struct dg_machine *machine);

#endif
