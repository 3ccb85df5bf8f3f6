/* Tensors in memory, and the memory of the host. */
#include "base/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/heap.h"

enum { GUARD = 64, PATTERN = 0xa5 };

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [DG_TYPE_BOOL] = {"bool", 1},
    [DG_TYPE_U8] = {"u8", 1},
    [DG_TYPE_I8] = {"i8", 1},
    [DG_TYPE_I16] = {"i16", 2},
    [DG_TYPE_I32] = {"i32", 4},
    [DG_TYPE_I64] = {"i64", 8},
    [DG_TYPE_F16] = {"f16", 2},
    [DG_TYPE_BF16] = {"bf16", 2},
    [DG_TYPE_F32] = {"f32", 4},
    [DG_TYPE_F64] = {"f64", 8},
    [DG_TYPE_U16] = {"u16", 2},
    [DG_TYPE_U32] = {"u32", 4},
    [DG_TYPE_U64] = {"u64", 8},
    [DG_TYPE_F8E5M2] = {"f8e5m2", 1},
    [DG_TYPE_F8E4M3FN] = {"f8e4m3fn", 1},
    [DG_TYPE_F8E5M2FNUZ] = {"f8e5m2fnuz", 1},
    [DG_TYPE_F8E4M3FNUZ] = {"f8e4m3fnuz", 1},
    [DG_TYPE_F8E8M0FNU] = {"f8e8m0fnu", 1},
    [DG_TYPE_C64] = {"c64", 8},
    [DG_TYPE_C128] = {"c128", 16},
    [DG_TYPE_NONE] = {"none", 0},
};

const char *dg_type_name(enum dg_type type)
{
    return types[type].name;
}

enum dg_type dg_type_named(const char *dtype)
{
    for (int type = 0; dtype && type < DG_TYPE_NONE; type++) {
        if (!strcmp(types[type].name, dtype))
            return (enum dg_type)type;
    }
    return DG_TYPE_NONE;
}

size_t dg_type_bytes(enum dg_type type)
{
    return types[type].bytes;
}

size_t dg_type_alignment(enum dg_type type)
{
    return types[type].bytes > 8 ? 8 : types[type].bytes;
}

bool dg_type_is_float(enum dg_type type)
{
    return type >= DG_TYPE_F16 && type <= DG_TYPE_F64;
}

bool dg_type_is_integer(enum dg_type type)
{
    return (type >= DG_TYPE_U8 && type <= DG_TYPE_I64) ||
           (type >= DG_TYPE_U16 && type <= DG_TYPE_U64);
}

bool dg_type_is_complex(enum dg_type type)
{
    return type == DG_TYPE_C64 || type == DG_TYPE_C128;
}

enum dg_type dg_type_part(enum dg_type type)
{
    return type == DG_TYPE_C64    ? DG_TYPE_F32
           : type == DG_TYPE_C128 ? DG_TYPE_F64
                                  : type;
}

enum dg_type dg_type_complex(enum dg_type part)
{
    return part == DG_TYPE_F64 ? DG_TYPE_C128 : DG_TYPE_C64;
}

bool dg_host_guards_hold(const void *bytes, size_t size)
{
    const unsigned char *before = (const unsigned char *)bytes - GUARD;
    const unsigned char *behind = (const unsigned char *)bytes + size;

    for (size_t i = 0; i < GUARD; i++) {
        if (before[i] != PATTERN || behind[i] != PATTERN)
            return false;
    }
    return true;
}

static enum dg_status host_allocate(struct dg_memory *memory, size_t size, void **bytes,
                                    struct dg_error *err)
{
    size_t room = (size + 2 * GUARD + GUARD - 1) / GUARD * GUARD;
    unsigned char *block = NULL;

    if (room > size && dg_memory_has(memory, size))
        block = aligned_alloc(GUARD, room);
    if (!block)
        return dg_fail(err, DG_ERR_FORMAT,
                       "%zu bytes are more than the memory that is left", size);
    dg_prefer_large_pages(block, room);
    dg_heap_prefer_large_pages();
    memset(block, PATTERN, GUARD);
    memset(block + GUARD + size, PATTERN, GUARD);
    memory->used += size;
    if (memory->used > memory->peak)
        memory->peak = memory->used;
    *bytes = block + GUARD;
    return DG_OK;
}

static void host_release(struct dg_memory *memory, void *bytes, size_t size)
{
    memory->damaged += !dg_host_guards_hold(bytes, size);
    memory->used -= size;
    free((unsigned char *)bytes - GUARD);
}

struct dg_memory dg_host_memory = {"cpu", host_allocate, host_release, 0, 0, 0,
                                   0,     NULL};

static void *need(void *pointer)
{
    if (!pointer)
        abort();
    return pointer;
}

static void storage_drop(struct dg_storage *storage)
{
    while (storage && !--storage->holders) {
        struct dg_storage *lender = storage->lender;

        if (storage->memory)
            storage->memory->release(storage->memory, storage->bytes, storage->size);
        free(storage);
        storage = lender;
    }
}

static struct dg_tensor *make(enum dg_type type, int rank, const int64_t *sizes,
                              struct dg_storage *storage)
{
    struct dg_tensor *tensor = need(calloc(1, sizeof(*tensor)));

    tensor->type = type;
    tensor->rank = rank;
    if (rank)
        memcpy(tensor->sizes, sizes, (size_t)rank * sizeof(*sizes));
    dg_contiguous_strides(rank, tensor->sizes, tensor->strides);
    tensor->storage = storage;
    tensor->holders = 1;
    return tensor;
}

bool dg_shape_count(int rank, const int64_t *sizes, enum dg_type type, int64_t *count)
{
    int64_t total = 1, nonzero = 1;

    for (int i = 0; i < rank; i++) {
        if (sizes[i] < 0)
            return false;
        total *= sizes[i] != 0;
        if (sizes[i] && __builtin_mul_overflow(nonzero, sizes[i], &nonzero))
            return false;
    }
    *count = total ? nonzero : 0;
    return !__builtin_mul_overflow(nonzero, (int64_t)dg_type_bytes(type), &nonzero);
}

void dg_contiguous_strides(int rank, const int64_t *sizes, int64_t *strides)
{
    uint64_t step = 1; /* wraps where no tensor can have the shape */

    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = (int64_t)step;
        step *= sizes[i] > 0 ? (uint64_t)sizes[i] : 1;
    }
}

static enum dg_status refuse_shape(int rank, const int64_t *sizes, struct dg_error *err)
{
    struct dg_tensor shape = {.rank = rank > DG_RANK_MOST ? 0 : rank};
    char text[200];

    if (rank > DG_RANK_MOST)
        return dg_fail(err, DG_ERR_DEVICE,
                       "a tensor of rank %d; at most %d is supported", rank,
                       DG_RANK_MOST);
    memcpy(shape.sizes, sizes, (size_t)rank * sizeof(*sizes));
    return dg_fail(err, DG_ERR_FORMAT, "no tensor can have the shape %s",
                   dg_shape_text(&shape, text, sizeof(text)));
}

struct dg_tensor *dg_tensor_new(struct dg_memory *memory, enum dg_type type, int rank,
                                const int64_t *sizes, struct dg_error *err)
{
    struct dg_storage *storage;
    int64_t count;
    void *bytes;

    if (type == DG_TYPE_NONE) {
        dg_fail(err, DG_ERR_DEVICE, "element types that no common one holds");
        return NULL;
    }
    if (rank > DG_RANK_MOST || !dg_shape_count(rank, sizes, type, &count)) {
        refuse_shape(rank, sizes, err);
        return NULL;
    }
    if (memory->allocate(memory, (size_t)count * dg_type_bytes(type), &bytes, err))
        return NULL;
    storage = need(calloc(1, sizeof(*storage)));
    *storage =
        (struct dg_storage){bytes, (size_t)count * dg_type_bytes(type), 1, memory};
    return make(type, rank, sizes, storage);
}

struct dg_tensor *dg_tensor_over(enum dg_type type, int rank, const int64_t *sizes,
                                 const void *bytes)
{
    struct dg_storage *storage = need(calloc(1, sizeof(*storage)));
    int64_t count = 0;

    dg_shape_count(rank, sizes, type, &count);
    *storage = (struct dg_storage){(unsigned char *)bytes,
                                   (size_t)count * dg_type_bytes(type), 1, NULL};
    return make(type, rank, sizes, storage);
}

struct dg_tensor *dg_tensor_view(const struct dg_tensor *base, int rank,
                                 const int64_t *sizes, const int64_t *strides,
                                 int64_t offset)
{
    struct dg_tensor *view = make(base->type, rank, sizes, base->storage);

    if (rank)
        memcpy(view->strides, strides, (size_t)rank * sizeof(*strides));
    view->offset = offset;
    base->storage->holders++;
    return view;
}

struct dg_tensor *dg_tensor_parts(const struct dg_tensor *tensor)
{
    struct dg_tensor *parts;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int rank = tensor->rank;

    if (rank == DG_RANK_MOST)
        return NULL;
    for (int i = 0; i < rank; i++) {
        sizes[i] = tensor->sizes[i];
        strides[i] = 2 * tensor->strides[i];
    }
    sizes[rank] = 2;
    strides[rank] = 1;
    parts = dg_tensor_view(tensor, rank + 1, sizes, strides, 2 * tensor->offset);
    parts->type = dg_type_part(tensor->type);
    return parts;
}

struct dg_tensor *dg_tensor_borrow(const struct dg_tensor *tensor)
{
    struct dg_storage *storage = need(calloc(1, sizeof(*storage)));
    struct dg_tensor *view;

    *storage = (struct dg_storage){tensor->storage->bytes, tensor->storage->size, 1,
                                   NULL, tensor->storage};
    tensor->storage->holders++;
    view = make(tensor->type, tensor->rank, tensor->sizes, storage);
    memcpy(view->strides, tensor->strides, sizeof(view->strides));
    view->offset = tensor->offset;
    return view;
}

struct dg_tensor *dg_tensor_keep(struct dg_tensor *tensor)
{
    if (tensor)
        tensor->holders++;
    return tensor;
}

void dg_tensor_drop(struct dg_tensor *tensor)
{
    if (!tensor || --tensor->holders)
        return;
    storage_drop(tensor->storage);
    free(tensor);
}

enum dg_status dg_tensor_own(struct dg_tensor *tensor, struct dg_error *err)
{
    struct dg_storage *storage = tensor->storage;
    enum dg_status status;
    void *bytes;

    if (storage->memory)
        return DG_OK;
    status = dg_host_memory.allocate(&dg_host_memory, storage->size, &bytes, err);
    if (status)
        return status;
    memcpy(bytes, storage->bytes, storage->size);
    storage->bytes = bytes;
    storage->memory = &dg_host_memory;
    storage_drop(storage->lender);
    storage->lender = NULL;
    return DG_OK;
}

int64_t dg_tensor_count(const struct dg_tensor *tensor)
{
    int64_t count = 1;

    for (int i = 0; i < tensor->rank; i++)
        count *= tensor->sizes[i];
    return count;
}

int64_t dg_tensor_reach(const struct dg_tensor *tensor)
{
    int64_t last = tensor->offset;

    for (int i = 0; i < tensor->rank; i++) {
        if (!tensor->sizes[i])
            return tensor->offset;
        last += (tensor->sizes[i] - 1) * tensor->strides[i];
    }
    return last + 1;
}

bool dg_tensor_contiguous(const struct dg_tensor *tensor)
{
    int64_t step = 1;

    for (int i = tensor->rank - 1; i >= 0; i--) {
        if (tensor->sizes[i] == 0)
            return true;
        if (tensor->sizes[i] != 1 && tensor->strides[i] != step)
            return false;
        step *= tensor->sizes[i];
    }
    return true;
}

bool dg_tensor_same_shape(const struct dg_tensor *a, const struct dg_tensor *b)
{
    return a->rank == b->rank &&
           !memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof(*a->sizes));
}

bool dg_tensor_same_strides(const struct dg_tensor *a, const struct dg_tensor *b)
{
    return !memcmp(a->strides, b->strides, (size_t)a->rank * sizeof(*a->strides));
}

const char *dg_shape_text(const struct dg_tensor *tensor, char *text, size_t room)
{
    size_t at = (size_t)snprintf(text, room, "[");

    for (int i = 0; i < tensor->rank && at + 24 < room; i++)
        at += (size_t)snprintf(text + at, room - at, i ? ",%lld" : "%lld",
                               (long long)tensor->sizes[i]);
    snprintf(text + at, room - at, "]");
    return text;
}
