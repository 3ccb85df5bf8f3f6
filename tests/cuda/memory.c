/* Memory of a device: copies between its tensors are those of the host, and what is
 * written outside of them is seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/walk.h"
#include "tests/cuda/rows.h"
#include "tests/cuda/sanitized.h"

enum { ROWS = 4, COLUMNS = 6 };

static void need(bool made, const struct dg_error *err)
{
    if (made)
        return;
    fprintf(stderr, "%s\n", err->text);
    abort();
}

/* 0, 1, 2... as [4,6] */
static struct dg_tensor *numbers(enum dg_type type)
{
    const int64_t sizes[] = {ROWS, COLUMNS};
    struct dg_error err = {0};
    struct dg_tensor *counted =
        dg_tensor_new(&dg_host_memory, DG_TYPE_I64, 2, sizes, &err);
    struct dg_tensor *result = dg_tensor_new(&dg_host_memory, type, 2, sizes, &err);

    need(counted && result, &err);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        ((int64_t *)dg_tensor_data(counted))[i] = i;
    dg_copy_elements(result, counted, 1);
    dg_tensor_drop(counted);
    return result;
}

struct part {
    int rank;
    int64_t sizes[2], strides[2], offset;
};

/* Columns 1, 3 and 5; of another the first three, or the second row for all rows. */
static const struct part written = {2, {ROWS, 3}, {COLUMNS, 2}, 1};
static const struct part read[] = {{2, {ROWS, 3}, {COLUMNS, 1}, 0},
                                   {1, {3}, {1}, COLUMNS}};

static struct dg_tensor *part_of(const struct dg_tensor *tensor,
                                 const struct part *part)
{
    return dg_tensor_view(tensor, part->rank, part->sizes, part->strides, part->offset);
}

typedef enum dg_status copy_fn(struct dg_context *context, struct dg_tensor *to,
                               struct dg_tensor *from, struct dg_error *err);

static enum dg_status copy_part(const struct dg_device *device, copy_fn *copy,
                                const struct dg_tensor *to,
                                const struct dg_tensor *from, const struct part *part)
{
    struct dg_arena scratch = {0};
    struct dg_context context = {.memory = device->memory,
                                 .scratch = &scratch,
                                 .n_threads = 1,
                                 .stream = device->stream};
    struct dg_tensor *into = part_of(to, &written), *out_of = part_of(from, part);
    struct dg_error err = {0};
    enum dg_status status = copy(&context, into, out_of, &err);

    dg_tensor_drop(into);
    dg_tensor_drop(out_of);
    dg_arena_clear(&scratch);
    return status;
}

static void check_copy(const struct dg_device *device, enum dg_type type,
                       enum dg_type from_type, const struct part *part,
                       struct row_counts *counts)
{
    struct dg_tensor *to = numbers(type), *from = numbers(from_type);
    struct dg_tensor *to_there = tensor_there(device, to), *got;
    struct dg_tensor *from_there = tensor_there(device, from);
    enum dg_status status = copy_part(device, device->copy, to_there, from_there, part);

    copy_part(&dg_host, dg_host.copy, to, from, part);
    got = tensor_here(device, to_there);
    if (status == DG_ERR_DEVICE) {
        counts->on_host++;
    } else if (status ||
               memcmp(got->storage->bytes, to->storage->bytes, to->storage->size)) {
        printf("FAIL a copy of %s to %s\n", dg_type_name(from_type),
               dg_type_name(type));
        counts->failed++;
    } else {
        counts->passed++;
    }
    dg_tensor_drop(to);
    dg_tensor_drop(from);
    dg_tensor_drop(to_there);
    dg_tensor_drop(from_there);
    dg_tensor_drop(got);
}

/* A byte before or behind a tensor. */
static void check_guard(const struct dg_device *device, int64_t at,
                        struct row_counts *counts)
{
    const unsigned char byte = 0;
    struct dg_error err = {0};
    struct dg_tensor *host = numbers(DG_TYPE_U8), *there = tensor_there(device, host);
    struct dg_arg value = {DG_ARG_TENSOR, {.tensor = there}};
    bool held = !dg_guards_check(device, &value, 1, &err);

    need(!device->upload(device, there->storage->bytes + at, &byte, 1, &err), &err);
    if (held && dg_guards_check(device, &value, 1, &err) == DG_ERR_IO) {
        counts->passed++;
    } else {
        printf("FAIL what is written at byte %lld of %zu\n", (long long)at,
               there->storage->size);
        counts->failed++;
    }
    dg_tensor_drop(host);
    dg_tensor_drop(there);
}

void check_memory(const struct dg_device *device, struct row_counts *counts)
{
    for (int to = 0; to < DG_TYPE_NONE; to++) {
        for (int from = 0; from < DG_TYPE_NONE; from++) {
            for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
                check_copy(device, (enum dg_type)to, (enum dg_type)from, &read[i],
                           counts);
        }
    }
#ifndef WITH_SANITIZER /* it ends the program there */
    check_guard(device, -1, counts);
    check_guard(device, ROWS * COLUMNS, counts);
#endif
}
