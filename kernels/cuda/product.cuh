/* Products of matrices: by cuBLAS for floats, by a kernel for integers. */
#ifndef DG_KERNELS_CUDA_PRODUCT_CUH
#define DG_KERNELS_CUDA_PRODUCT_CUH

#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/state.h"

/* Matrices of a batch, [batch, rows, columns], each of which a product can read. */
struct factor {
    struct dg_tensor view;
    struct dg_tensor *held; /* a share of what it is a view of; NULL: nothing */

    ~factor()
    {
        dg_tensor_drop(held);
    }
};

/* The last two dimensions of `tensor` as matrices of `type`, the others broadcast to
 * those sizes. */
enum dg_status take_factor(struct dg_call *call, struct factor *factor,
                           const struct dg_tensor *tensor, enum dg_type type,
                           int batch_rank, const int64_t *batch_sizes);

/* c = alpha * a b + beta * c; `c` is contiguous, whatever its shape. */
enum dg_status multiply(struct dg_call *call, const struct dg_tensor *c,
                        const struct factor *a, const struct factor *b, double alpha,
                        double beta);

/* `self` with the dimensions that a shape of `rank` gives it, for a call. */
struct dg_tensor shaped(const struct dg_tensor *self, int rank, const int64_t *sizes,
                        const int64_t *strides);

#endif
