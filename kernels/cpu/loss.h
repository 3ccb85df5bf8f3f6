/* What losses share: what becomes of the losses of all samples. */
#ifndef DG_KERNELS_CPU_LOSS_H
#define DG_KERNELS_CPU_LOSS_H

#include "kernels/kernel.h"

/* As torch numbers them. */
enum dg_loss_reduction { DG_LOSS_EACH, DG_LOSS_MEAN, DG_LOSS_SUM };

/* *weight: one for each class, in memory of the call; left alone where there is no
 * tensor of them. */
enum dg_status dg_load_class_weights(struct dg_call *call, struct dg_tensor *tensor,
                                     int64_t classes, const double **weight);

#endif
