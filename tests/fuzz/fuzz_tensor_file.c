/* Tensor files: every element of what was accepted can be read. */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/tensor_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first and the last element, wherever strides lead. */
static void touch(const struct dg_tensor *tensor)
{
    static volatile unsigned char seen;
    size_t bytes = dg_type_bytes(tensor->type);
    int64_t last = tensor->offset;

    if (!dg_tensor_count(tensor))
        return;
    for (int i = 0; i < tensor->rank; i++)
        last += (tensor->sizes[i] - 1) * tensor->strides[i];
    seen = tensor->storage->bytes[(size_t)tensor->offset * bytes];
    seen = tensor->storage->bytes[((size_t)last + 1) * bytes - 1];
    (void)seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    struct dg_value_set set;
    struct dg_error err = {0};

    if (file < 0)
        file = memfd_create("values", MFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    if (dg_value_set_open(&set, path, &err) && !err.text[0])
        abort();
    for (size_t i = 0; i < set.n_values; i++) {
        if (set.values[i].value.kind == DG_ARG_TENSOR)
            touch(set.values[i].value.as.tensor);
    }
    dg_value_set_clear(&set);
    return 0;
}
