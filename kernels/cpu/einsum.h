/* Equations of einsum: which label each dimension of an operand has. */
#ifndef DG_KERNELS_CPU_EINSUM_H
#define DG_KERNELS_CPU_EINSUM_H

#include "kernels/kernel.h"

/* Labels: letters by their bytes, then dimensions of "..." from the last one back. */
enum { DG_LETTERS = 128, DG_LABELS = DG_LETTERS + DG_RANK_MOST };

/* Labels in order. */
struct dg_einsum_labels {
    int n;
    unsigned char at[DG_LABELS];
};

/* A tensor, and what a step along each label adds to the offset: 0 along those that it
 * has not. */
struct dg_einsum_operand {
    struct dg_tensor *tensor; /* holds a share */
    bool has[DG_LABELS];
    int64_t strides[DG_LABELS];
};

struct dg_einsum_equation {
    const char *inputs, *output; /* output NULL: as the inputs suggest */
    int64_t sizes[DG_LABELS];    /* 0 before it is known */
    int n_uses[DG_LABELS];
};

/* Fills zeroed operands, of which each holds a share afterwards, and the labels of the
 * result. DG_ERR_FORMAT: the equation is none of these tensors. */
enum dg_status dg_einsum_read(struct dg_call *call, struct dg_einsum_equation *equation,
                              const struct dg_arg *tensors, size_t n,
                              struct dg_einsum_operand *operands,
                              struct dg_einsum_labels *output);

#endif
