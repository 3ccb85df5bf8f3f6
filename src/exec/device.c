/* The host as a device. */
#include "exec/device.h"

#include <string.h>

#include "kernels/cpu/walk.h"

static enum dg_status copy_bytes(const struct dg_device *device, void *to,
                                 const void *from, size_t size, struct dg_error *err)
{
    (void)device;
    (void)err;
    if (size)
        memcpy(to, from, size);
    return DG_OK;
}

static enum dg_status copy_elements(struct dg_context *context, struct dg_tensor *to,
                                    struct dg_tensor *from, struct dg_error *err)
{
    (void)err;
    dg_copy_elements(to, from, context->n_threads);
    return DG_OK;
}

static enum dg_status guards(const struct dg_device *device, const void *bytes,
                             size_t size, bool *hold, struct dg_error *err)
{
    (void)device;
    (void)err;
    *hold = dg_host_guards_hold(bytes, size);
    return DG_OK;
}

static enum dg_status finish(const struct dg_device *device, struct dg_error *err)
{
    (void)device;
    (void)err;
    return DG_OK;
}

const struct dg_device dg_host = {
    "cpu", &dg_host_memory, NULL, copy_bytes, copy_bytes, copy_elements, guards, finish,
};

/* Where the device cannot be asked, the kernel did more than write there. */
static enum dg_status check_block(const struct dg_device *device,
                                  const struct dg_storage *storage,
                                  struct dg_error *err)
{
    struct dg_error fault = {0};
    bool hold = true;

    if (device->guards(device, storage->bytes, storage->size, &hold, &fault))
        return dg_fail(err, DG_ERR_IO, "internal error: the kernel failed: %s",
                       fault.text);
    return hold ? DG_OK
                : dg_fail(err, DG_ERR_IO,
                          "internal error: the kernel wrote outside of its memory");
}

enum dg_status dg_guards_check(const struct dg_device *device,
                               const struct dg_arg *values, size_t n,
                               struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n && !status; i++) {
        const struct dg_arg *value = &values[i];

        if (value->kind == DG_ARG_LIST)
            status = dg_guards_check(device, value->as.list.items,
                                     value->as.list.n_items, err);
        else if (value->kind == DG_ARG_TENSOR &&
                 value->as.tensor->storage->memory == device->memory)
            status = check_block(device, value->as.tensor->storage, err);
    }
    return status;
}
