/* Where a machine's tensors live, and how they get there. */
#ifndef DG_EXEC_DEVICE_H
#define DG_EXEC_DEVICE_H

#include "base/arg.h"
#include "base/error.h"

struct dg_context;

struct dg_device {
    const char *name; /* "cpu", "cuda:0" */
    struct dg_memory *memory;
    void *stream;
    enum dg_status (*upload)(const struct dg_device *device, void *to, const void *from,
                             size_t size, struct dg_error *err);
    enum dg_status (*download)(const struct dg_device *device, void *to,
                               const void *from, size_t size, struct dg_error *err);
    /* Elements of one of its tensors into another, where each has a place of its own:
     * converted as torch's `to` does, broadcast. DG_ERR_DEVICE: not of these types. */
    enum dg_status (*copy)(struct dg_context *context, struct dg_tensor *to,
                           struct dg_tensor *from, struct dg_error *err);
    /* Whether what ran so far wrote nothing around a block of its memory. */
    enum dg_status (*guards)(const struct dg_device *device, const void *bytes,
                             size_t size, bool *hold, struct dg_error *err);
    enum dg_status (*finish)(const struct dg_device *device, struct dg_error *err);
};

extern const struct dg_device dg_host;

/* Fails where a kernel wrote around tensors of `values` that are in memory of `device`.
 */
enum dg_status dg_guards_check(const struct dg_device *device,
                               const struct dg_arg *values, size_t n,
                               struct dg_error *err);

/* Device `ordinal`; DG_ERR_DEVICE says what is there and what is needed: no CUDA in
 * this build, no driver, one too old, no such device. Close it even so. */
enum dg_status dg_cuda_open(struct dg_device *device, int ordinal,
                            struct dg_error *err);
void dg_cuda_close(struct dg_device *device);
/* "NVIDIA H100, compute capability 9.0, driver 580.65, runtime 13.0" */
const char *dg_cuda_describe(const struct dg_device *device, char *text, size_t room);

#endif
