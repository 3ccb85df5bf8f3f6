/* Copies between tensors of a device. */
#ifndef DG_KERNELS_CUDA_COPY_H
#define DG_KERNELS_CUDA_COPY_H

#include "kernels/kernel.h"

#ifdef __cplusplus /* nvcc reads this header as C++ */
extern "C" {
#endif

/* The `copy` of a device: exec/device.h. */
enum dg_status dg_cuda_copy_into(struct dg_context *context, struct dg_tensor *to,
                                 struct dg_tensor *from, struct dg_error *err);

#ifdef __cplusplus
}
#endif
#endif
