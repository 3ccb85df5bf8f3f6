/* What losses share: what becomes of the losses of all samples. */
#ifndef DG_KERNELS_CPU_LOSS_H
#define DG_KERNELS_CPU_LOSS_H

/* As torch numbers them. */
enum dg_loss_reduction { DG_LOSS_EACH, DG_LOSS_MEAN, DG_LOSS_SUM };

#endif
