/* Tensors in memory: typed, strided views of a counted storage. */
#ifndef DG_BASE_TENSOR_H
#define DG_BASE_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus /* nvcc reads this header as C++ */
extern "C" {
#endif

enum { DG_RANK_MOST = 16 };

/* Element types that tensors in memory may have. Arithmetic knows U8..BOOL, the floats
 * F16..F64 and complex numbers; the others can be stored, copied and converted. */
enum dg_type {
    DG_TYPE_BOOL,
    DG_TYPE_U8,
    DG_TYPE_I8,
    DG_TYPE_I16,
    DG_TYPE_I32,
    DG_TYPE_I64,
    DG_TYPE_F16,
    DG_TYPE_BF16,
    DG_TYPE_F32,
    DG_TYPE_F64,
    DG_TYPE_U16,
    DG_TYPE_U32,
    DG_TYPE_U64,
    DG_TYPE_F8E5M2,
    DG_TYPE_F8E4M3FN,
    DG_TYPE_F8E5M2FNUZ,
    DG_TYPE_F8E4M3FNUZ,
    DG_TYPE_F8E8M0FNU,
    DG_TYPE_C64, /* two f32: real and imaginary part */
    DG_TYPE_C128,
    DG_TYPE_NONE, /* of no tensor: "no dtype was given", "not one of these" */
};

const char *dg_type_name(enum dg_type type);   /* f32, as base/dtype.h spells it */
enum dg_type dg_type_named(const char *dtype); /* DG_TYPE_NONE: none of these */
size_t dg_type_bytes(enum dg_type type);
size_t dg_type_alignment(enum dg_type type); /* of elements: 8 bytes at most */
bool dg_type_is_float(enum dg_type type);
bool dg_type_is_integer(enum dg_type type); /* not bool */
bool dg_type_is_complex(enum dg_type type);
enum dg_type dg_type_part(enum dg_type type);    /* of a complex number; else itself */
enum dg_type dg_type_complex(enum dg_type part); /* F64: C128, others: C64 */

/* Where bytes live. Host memory puts a guard zone before and behind each block. */
struct dg_memory {
    const char *device; /* "cpu", "cuda:0" */
    /* Room for `size` bytes, aligned to 64; fails with DG_ERR_FORMAT when a limit or
     * the machine ends it, naming the size. */
    enum dg_status (*allocate)(struct dg_memory *memory, size_t size, void **bytes,
                               struct dg_error *err);
    void (*release)(struct dg_memory *memory, void *bytes, size_t size);
    uint64_t used, peak; /* bytes */
    uint64_t limit;      /* 0: none */
    uint64_t damaged;    /* blocks whose guard zone was found overwritten */
    void *state;         /* of a device */
};

extern struct dg_memory dg_host_memory;

/* Whether its limit allows `size` bytes more. */
static inline bool dg_memory_has(const struct dg_memory *memory, uint64_t size)
{
    return !memory->limit ||
           (memory->used <= memory->limit && size <= memory->limit - memory->used);
}

/* Whether nothing was written outside the block that dg_host_memory gave. */
bool dg_host_guards_hold(const void *bytes, size_t size);

/* Counted bytes that several tensors share. */
struct dg_storage {
    unsigned char *bytes;
    size_t size;
    int64_t holders;
    struct dg_memory *memory;  /* NULL: borrowed, and never written */
    struct dg_storage *lender; /* of borrowed bytes: who keeps them; NULL: others do */
    bool lost;                 /* nobody knows any more what should lie there */
};

/* Element (i, j, ...) lies at bytes + (offset + i * strides[0] + ...) * element size.
 */
struct dg_tensor {
    enum dg_type type;
    int rank;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST]; /* elements */
    int64_t offset;                                     /* elements */
    struct dg_storage *storage;
    int64_t holders;
};

/* Makers return one holder's share, or NULL with *err filled. */

/* Contiguous; the bytes are not set. */
struct dg_tensor *dg_tensor_new(struct dg_memory *memory, enum dg_type type, int rank,
                                const int64_t *sizes, struct dg_error *err);
/* Contiguous, over bytes that outlive it and are never written. */
struct dg_tensor *dg_tensor_over(enum dg_type type, int rank, const int64_t *sizes,
                                 const void *bytes);
/* Another shape over the storage of `base`; `strides` and `offset` in elements. */
struct dg_tensor *dg_tensor_view(const struct dg_tensor *base, int rank,
                                 const int64_t *sizes, const int64_t *strides,
                                 int64_t offset);
/* The same view of the same bytes, borrowed: who makes it writable gets a copy. */
struct dg_tensor *dg_tensor_borrow(const struct dg_tensor *tensor);
struct dg_tensor *dg_tensor_keep(struct dg_tensor *tensor); /* NULL stays NULL */
void dg_tensor_drop(struct dg_tensor *tensor);              /* NULL is fine */

/* Complex numbers as pairs of their parts, in one dimension more, over the same bytes;
 * NULL: that is one too many. */
struct dg_tensor *dg_tensor_parts(const struct dg_tensor *tensor);

/* Make borrowed bytes writable: the storage gets its own copy. On the host only. */
enum dg_status dg_tensor_own(struct dg_tensor *tensor, struct dg_error *err);

int64_t dg_tensor_count(const struct dg_tensor *tensor); /* elements */
/* Elements of the storage up to the last one of the tensor; of an empty one up to its
 * offset. */
int64_t dg_tensor_reach(const struct dg_tensor *tensor);
bool dg_tensor_contiguous(const struct dg_tensor *tensor);
bool dg_tensor_same_shape(const struct dg_tensor *a, const struct dg_tensor *b);
/* Of tensors of one rank. */
bool dg_tensor_same_strides(const struct dg_tensor *a, const struct dg_tensor *b);
/* Elements of a shape; false when they or their bytes do not fit int64. */
bool dg_shape_count(int rank, const int64_t *sizes, enum dg_type type, int64_t *count);
void dg_contiguous_strides(int rank, const int64_t *sizes, int64_t *strides);

static inline void *dg_tensor_data(const struct dg_tensor *tensor)
{
    return tensor->storage->bytes +
           (size_t)tensor->offset * dg_type_bytes(tensor->type);
}

/* "[2,3]" into `text` of `room` bytes; returns `text`. */
const char *dg_shape_text(const struct dg_tensor *tensor, char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
