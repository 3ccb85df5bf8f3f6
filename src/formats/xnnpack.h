/* What the payload of an XNNPACK delegate says of the calls that it can be used in. */
#ifndef DG_FORMATS_XNNPACK_H
#define DG_FORMATS_XNNPACK_H

#include "base/arena.h"
#include "base/bytes.h"

/* The first operands of a call, all of them tensors: what the payload takes and gives.
 */
struct dg_xnnpack_call {
    size_t n; /* 0 for bytes that are no such payload */
    struct dg_xnnpack_operand {
        uint8_t bytes; /* of one element, as the payload reads or writes it; 0: not
                          known */
        bool gives;    /* the payload writes it */
    } * operands;      /* in the memory of the call */
};

/* Takes the bytes that it looks at from *effort, as many delegates may have one
 * payload; where that is not enough the payload is not read. */
struct dg_xnnpack_call dg_xnnpack_call(struct dg_bytes payload, uint64_t *effort,
                                       struct dg_arena *memory);

#endif
