/* CUDA devices in a build that has none. */
#include "exec/device.h"

#include <stdio.h>

enum dg_status dg_cuda_open(struct dg_device *device, int ordinal, struct dg_error *err)
{
    *device = (struct dg_device){.name = "cuda"};
    return dg_fail(err, DG_ERR_DEVICE,
                   "this delegraph was built without CUDA: build it where nvcc is");
}

void dg_cuda_close(struct dg_device *device)
{
    *device = (struct dg_device){0};
}

const char *dg_cuda_describe(const struct dg_device *device, char *text, size_t room)
{
    snprintf(text, room, "no CUDA");
    return text;
}
