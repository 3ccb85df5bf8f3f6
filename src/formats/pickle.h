/* Pickles as data: a bounded machine for the opcodes that torch.save writes. Nothing is
 * imported or called; a global outside the known list stays a name (DG_PICKLE_OPAQUE).
 */
#ifndef DG_FORMATS_PICKLE_H
#define DG_FORMATS_PICKLE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/dtype.h"
#include "base/error.h"

enum dg_pickle_type {
    DG_PICKLE_NONE,
    DG_PICKLE_BOOL,
    DG_PICKLE_INT, /* beyond int64: OPAQUE */
    DG_PICKLE_FLOAT,
    DG_PICKLE_STRING,
    DG_PICKLE_BYTES,
    DG_PICKLE_TUPLE,
    DG_PICKLE_LIST,
    DG_PICKLE_DICT, /* items: key, value, key, value...; duplicate keys as stored */
    DG_PICKLE_TENSOR,
    DG_PICKLE_STORAGE,
    DG_PICKLE_OPAQUE, /* text: "module name" of what made it */
};

struct dg_pickle_tensor {
    const struct dg_dtype *dtype; /* NULL when unknown */
    struct dg_text storage;       /* key of the record data/<key>; NULL: no data */
    struct dg_text location;      /* cpu, cuda:0, meta */
    uint64_t storage_bytes;
    int64_t offset; /* elements */
    const int64_t *sizes, *strides;
    size_t rank;
    bool parameter, requires_grad;
    bool conjugated, negated; /* the bytes are those of the conjugate, the negative */
};

struct dg_pickle_value {
    enum dg_pickle_type type;
    int height;      /* of tuples, lists, dicts: levels of values; at most 128 */
    int64_t integer; /* INT, BOOL; of containers: how many values they unfold to */
    double real;
    struct dg_text text; /* STRING, BYTES, OPAQUE; of STORAGE: its key */
    struct dg_pickle_value **items;
    size_t n_items;
    struct dg_pickle_tensor *tensor;
};

/* Read one pickle. The result lives in `memory`; lists and dicts may be shared, but no
 * cycle, depth beyond 128 or explosion of shared parts is accepted, so that callers may
 * recurse. Memory is at most 16 times the input and 32 MB: a state dict of many tiny
 * tensors needs 10 times. Messages name opcode and offset within `source`. */
enum dg_status dg_pickle_read(struct dg_pickle_value **out, struct dg_bytes data,
                              const char *source, struct dg_arena *memory,
                              struct dg_error *err);

/* The value of `key` in a dict (the last, as in Python), or NULL. */
const struct dg_pickle_value *dg_pickle_get(const struct dg_pickle_value *dict,
                                            const char *key);

#endif
