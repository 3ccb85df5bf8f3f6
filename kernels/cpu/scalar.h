/* Numbers outside of tensors: reading and giving them. */
#ifndef DG_KERNELS_CPU_SCALAR_H
#define DG_KERNELS_CPU_SCALAR_H

#include "kernels/kernel.h"

struct dg_number {
    bool is_integer; /* bools are, too */
    int64_t integer;
    double real; /* of integers as well */
};

enum dg_status dg_read_number(struct dg_call *call, size_t i, struct dg_number *number);

/* Result 0. */
enum dg_status dg_give_integer(struct dg_call *call, int64_t value);
enum dg_status dg_give_real(struct dg_call *call, double value);
enum dg_status dg_give_truth(struct dg_call *call, bool value);

#endif
