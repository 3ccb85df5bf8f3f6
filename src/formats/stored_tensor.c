/* Tensors over bytes of a file. */
#include "formats/stored_tensor.h"

/* Whether every element lies among the first `room`. */
static bool fits(int rank, const int64_t *sizes, const int64_t *strides, int64_t offset,
                 enum dg_type type, int64_t room)
{
    int64_t last = offset, reach, count;

    if (rank > DG_RANK_MOST || !dg_shape_count(rank, sizes, type, &count) || offset < 0)
        return false;
    for (int i = 0; count && i < rank; i++) {
        if (strides[i] < 0 ||
            __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return false;
    }
    return count ? last < room : last <= room;
}

const void *dg_aligned_bytes(struct dg_bytes bytes, size_t size,
                             struct dg_arena *memory)
{
    void *copy;

    if (size && (uintptr_t)bytes.data % size == 0)
        return bytes.data;
    copy = dg_alloc(memory, bytes.size + 1, 1);
    return bytes.size ? memcpy(copy, bytes.data, bytes.size) : copy;
}

bool dg_strides_in_order(int rank, const int64_t *sizes, const int64_t *order,
                         int64_t *strides)
{
    int64_t step = 1;
    uint32_t seen = 0;

    for (int i = rank - 1; i >= 0; i--) {
        if (order[i] < 0 || order[i] >= rank || seen >> order[i] & 1)
            return false;
        seen |= 1u << order[i];
        strides[order[i]] = step;
        if (sizes[order[i]] > 0 && __builtin_mul_overflow(step, sizes[order[i]], &step))
            return false;
    }
    return true;
}

struct dg_tensor *dg_stored_tensor(enum dg_type type, int rank, const int64_t *sizes,
                                   const int64_t *strides, int64_t offset,
                                   struct dg_bytes bytes, struct dg_arena *memory)
{
    int64_t room = (int64_t)(bytes.size / dg_type_bytes(type));
    int64_t contiguous[DG_RANK_MOST];
    struct dg_tensor *storage, *tensor;

    if (rank > DG_RANK_MOST)
        return NULL;
    dg_contiguous_strides(rank, sizes, contiguous);
    strides = strides ? strides : contiguous;
    if (!fits(rank, sizes, strides, offset, type, room))
        return NULL;
    storage = dg_tensor_over(type, 1, &room,
                             dg_aligned_bytes(bytes, dg_type_alignment(type), memory));
    tensor = dg_tensor_view(storage, rank, sizes, strides, offset);
    dg_tensor_drop(storage);
    return tensor;
}

bool dg_stored_bytes(struct dg_bytes file, int64_t offset, int64_t size,
                     struct dg_bytes *bytes)
{
    if (offset < 0 || size < 0 ||
        !dg_inside((uint64_t)offset, (uint64_t)size, file.size))
        return false;
    *bytes = dg_slice(file, (size_t)offset, (size_t)size);
    return true;
}
