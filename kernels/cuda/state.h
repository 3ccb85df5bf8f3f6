/* What the kernels of a device share: memory->state of their context. */
#ifndef DG_KERNELS_CUDA_STATE_H
#define DG_KERNELS_CUDA_STATE_H

#include "base/error.h"
#include "base/tensor.h"

#ifdef __cplusplus /* nvcc reads this header as C++ */
extern "C" {
#endif

enum { DG_INDEXED_MOST = 4 };
#define DG_NO_FAULT INT64_MIN

/* Written by kernels and read by the host once they have run: of each dimension that is
 * indexed, an index that was out of range; and how many elements a condition chose. */
struct dg_cuda_fault {
    int64_t index[DG_INDEXED_MOST];
    int64_t n_chosen;
};

/* c = alpha * a b + beta * c for each matrix of a batch, in row-major order: element
 * (i, j) of `a` lies at i * rows + j * columns; one of the two is 1. c is dense. */
struct dg_matrix {
    const void *data;
    enum dg_type type;
    int64_t rows, columns, batch; /* strides */
};

struct dg_product_job {
    int64_t m, n, k, n_batch;
    struct dg_matrix a, b, c;
    double alpha, beta;
    bool tf32;
};

struct dg_cuda {
    struct dg_cuda_fault *fault; /* of the host, seen by the device */
    void *stream;
    void *blas; /* cuBLAS handle; NULL before its first use */
    enum dg_status (*finish)(struct dg_cuda *cuda, struct dg_error *err);
    enum dg_status (*multiply)(struct dg_cuda *cuda, const struct dg_product_job *job,
                               struct dg_error *err);
};

#ifdef __cplusplus
}
#endif
#endif
