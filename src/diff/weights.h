/* Weights, buffers and constants of one of two programs. */
#ifndef DG_DIFF_WEIGHTS_H
#define DG_DIFF_WEIGHTS_H

#include "diff/diff_parts.h"

struct dg_diff_weight {
    struct dg_text method, name, type, shape, strides; /* of named data: dim order */
    struct dg_text role;   /* of what a delegate reads: "Conv2d filter qcint8" */
    struct dg_text reader; /* "delegate_0/Conv2d_2 filter" */
    struct dg_text digest;
    struct dg_bytes bytes; /* data NULL: they are not at hand */
    int64_t nbytes;        /* below 0: the file does not say it */
    int64_t storage_offset;
    int64_t id;  /* of table constant; 0: none */
    bool keyed;  /* named data: its name may be made of its bytes */
    bool shared; /* its digest is that of an entry which holds more than it */
    bool matched;
};

struct dg_diff_weights {
    struct dg_diff_weight *items;
    size_t n_items;
};

enum dg_status dg_diff_weights_read(struct dg_diff_weights *weights,
                                    struct dg_diffing *diffing, int side,
                                    struct dg_error *err);

/* "f32 [2,3]" */
struct dg_text dg_diff_weight_type(const struct dg_diff_weight *weight,
                                   struct dg_arena *memory);

/* Two that are one weight. */
void dg_diff_weight_compare(struct dg_diffing *diffing,
                            const struct dg_diff_weight *old,
                            const struct dg_diff_weight *new);

#endif
