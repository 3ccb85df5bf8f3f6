/* A device for kernels that were compiled for the host. */
#ifndef DG_TESTS_CUDA_HOST_DEVICE_H
#define DG_TESTS_CUDA_HOST_DEVICE_H

#include "exec/device.h"

/* Its memory is that of malloc(): a sanitizer sees every access outside of a tensor. */
extern const struct dg_device host_device;

#endif
