/* What finds out what stands behind a value shares. */
#ifndef DG_EXEC_SLICE_PARTS_H
#define DG_EXEC_SLICE_PARTS_H

#include "exec/slice.h"

/* Terms of a sum, about; `results`: elements of what the step gave. */
int64_t dg_slice_terms(const struct dg_slice_step *before, double results);

/* Terms of a sum that XNNPACK may make in f16; 0: the step makes none. */
int64_t dg_slice_half_sum(const struct dg_step *step, const struct dg_machine *machine);

#endif
