/* Every row's verdict, whatever single rows do to the device or to the process. */
#ifndef DG_TESTS_CUDA_REPORT_H
#define DG_TESTS_CUDA_REPORT_H

#include "tests/cuda/rows.h"

struct report_device {
    /* In each process; NULL: there is none, and a line says why. */
    const struct dg_device *(*open)(void);
    void (*close)(void); /* behind the last row */
};

enum report_end { REPORT_WHOLE, REPORT_NO_DEVICE, REPORT_CANNOT };

/* A line for each row of the table that has a CUDA kernel (and matches `op`, unless
 * that is NULL). A row that ends the process, hangs, or leaves a device that nothing
 * runs on has failed, and the next one gets a new process. */
enum report_end report_rows(const struct dg_kernel *kernels, const char *op,
                            const struct report_device *on, struct row_counts *counts);

#endif
