/* Tensors as kernels want them: of a type, contiguous. */
#ifndef DG_KERNELS_CUDA_CONVERT_CUH
#define DG_KERNELS_CUDA_CONVERT_CUH

#include "kernels/kernel.h"

/* Copy elements, converting as torch's `to` does; `from` broadcasts to `to`, which may
 * be any view. */
enum dg_status copy_elements(struct dg_call *call, const struct dg_tensor *to,
                             const struct dg_tensor *from);
/* All elements become `value`. */
enum dg_status fill_elements(struct dg_call *call, const struct dg_tensor *to,
                             double real, int64_t integer);

/* A share of `tensor` where it is of that type (and contiguous), else of a copy; NULL:
 * failed. */
struct dg_tensor *converted(struct dg_call *call, struct dg_tensor *tensor,
                            enum dg_type type);
struct dg_tensor *contiguous(struct dg_call *call, struct dg_tensor *tensor);
struct dg_tensor *contiguous_as(struct dg_call *call, struct dg_tensor *tensor,
                                enum dg_type type);

#endif
