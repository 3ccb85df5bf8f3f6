/* Which type torch computes in when the types of operands differ. */
#ifndef DG_KERNELS_CPU_PROMOTE_H
#define DG_KERNELS_CPU_PROMOTE_H

#include "base/promote.h"
#include "kernels/kernel.h"

/* The type of a Python number: i64, f32 (the default dtype), bool, c64; NONE of others.
 */
enum dg_type dg_number_type(const struct dg_arg *number);

/* A number as a 0-d tensor of f64, i64 or c128, which borrows it: one share. */
struct dg_tensor *dg_number_tensor(const struct dg_arg *number);

/* Of all of these: tensors with dimensions decide unless a 0-d tensor, and those unless
 * a number, is of a higher category (bool < integer < float < complex). Missing ones do
 * not count. */
enum dg_type dg_common_type(const struct dg_arg *args, size_t n_args);

#endif
