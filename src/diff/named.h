/* What instructions of a .pte name beside results of others, and what it gives back. */
#ifndef DG_DIFF_NAMED_H
#define DG_DIFF_NAMED_H

#include "base/bytes.h"

/* A tensor that an instruction reads before one writes it, and which is no input. */
struct dg_diff_state {
    uint32_t place, type; /* words */
    struct dg_text method, name;
};

/* What an instruction names and no other one makes. */
enum dg_diff_resource_kind {
    DG_DIFF_CONSTANT,
    DG_DIFF_EXTERNAL, /* a constant outside of the file */
    DG_DIFF_KEPT,     /* state */
    DG_DIFF_CALLED,   /* a delegate */
};

struct dg_diff_resource {
    enum dg_diff_resource_kind kind;
    uint32_t digest; /* word: equal where the resources are; 0: it is not known */
    uint32_t name;   /* word */
    uint64_t hash;   /* of the digest's text; 0: not asked for yet */
};

/* An output of a method of a .pte. */
struct dg_diff_output {
    uint32_t graph; /* row */
    uint32_t place, pos, args;
};

#endif
