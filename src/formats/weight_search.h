/* Looking for the weights of a program in the bytes of a .pte. */
#ifndef DG_FORMATS_WEIGHT_SEARCH_H
#define DG_FORMATS_WEIGHT_SEARCH_H

#include "formats/input.h"

struct dg_searched {
    struct dg_bytes bytes;
    bool tensor; /* the bytes of one tensor */
    bool blob;   /* what a backend made: weights may lie anywhere in it */
};

/* Set `found` of the constants of `program`. A weight is found where a tensor has its
 * elements, in whatever order, or a blob its bytes. O(bytes of both). */
void dg_find_weights(struct dg_program *program, const struct dg_searched *places,
                     size_t n_places);

/* The same in all that `input` has: the program is about to join it. */
enum dg_status dg_input_find_weights(struct dg_program *program,
                                     const struct dg_input *input,
                                     struct dg_error *err);

#endif
