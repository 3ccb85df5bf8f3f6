/* What makers of tensors share: the dtype asked for, and constant elements. */
#ifndef DG_KERNELS_CPU_CREATE_H
#define DG_KERNELS_CPU_CREATE_H

#include "kernels/kernel.h"

/* The dtype among the arguments, which overloads have at different places. */
enum dg_type dg_requested_type(const struct dg_call *call, enum dg_type otherwise);

/* Argument `i`; NONE where there are fewer. */
const struct dg_arg *dg_number_at(const struct dg_call *call, size_t i);

/* Every element becomes the number, converted to the tensor's type. */
void dg_fill(struct dg_tensor *tensor, const struct dg_arg *number, int n_threads);

#endif
