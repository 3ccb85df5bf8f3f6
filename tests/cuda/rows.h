/* Holds CUDA kernels to their references, row by row of the operator table. */
#ifndef DG_TESTS_CUDA_ROWS_H
#define DG_TESTS_CUDA_ROWS_H

#include "exec/device.h"
#include "kernels/kernel.h"

struct row_counts {
    int passed, failed;
    int on_host; /* types that the kernel leaves to the host */
};

/* Whether a row has a CUDA kernel, and matches `op`, unless that is NULL. */
bool row_is_meant(const struct dg_kernel *kernel, const char *op);
/* Every recipe of one of the rows `kernels` in every type, layout and kind of numbers.
 * One without any recipe fails. */
void check_row(const struct dg_kernel *kernels, const struct dg_kernel *kernel,
               const struct dg_device *device, struct row_counts *counts);
/* Of all that are meant. */
void check_rows(const struct dg_kernel *kernels, const char *op,
                const struct dg_device *device, struct row_counts *counts);
/* Every call of a file of tests/kernels; op NULL: of all operators. */
int check_case_file(const struct dg_kernel *kernels, const char *path, const char *op,
                    const struct dg_device *device, struct row_counts *counts);

/* The storage of a tensor on the device, or back on the host, and the same view of it:
 * one share. */
struct dg_tensor *tensor_there(const struct dg_device *device,
                               struct dg_tensor *tensor);
struct dg_tensor *tensor_here(const struct dg_device *device, struct dg_tensor *tensor);

/* memory.c: copies between tensors of the device, and zones around them. */
void check_memory(const struct dg_device *device, struct row_counts *counts);

#endif
