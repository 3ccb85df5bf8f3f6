/* Whether a result is what torch gave, within the tolerance of its operator. */
#ifndef DG_TESTS_KERNELS_AGREE_H
#define DG_TESTS_KERNELS_AGREE_H

#include "kernels/kernel.h"
#include "tests/kernels/cases.h"

/* 1: it is, 0: not, and `why` says where. */
int agree(const struct dg_kernel *kernel, const struct op_case *one, size_t result,
          const struct dg_arg *got, char *why, size_t room);

#endif
