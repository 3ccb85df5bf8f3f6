/* Looking for the weights of a program in the bytes of a .pte. */
#ifndef DG_FORMATS_WEIGHT_SEARCH_H
#define DG_FORMATS_WEIGHT_SEARCH_H

#include "base/dtype.h"
#include "formats/input.h"

struct dg_searched {
    struct dg_bytes bytes;
    bool tensor; /* the bytes of one tensor */
    bool blob;   /* what a backend made: weights may lie anywhere in it */
    bool known;  /* set: it is a weight of the program, or has one inside */
    const struct dg_dtype *dtype; /* of the tensor; NULL: nothing says it */
};

/* Set `found` of the constants of `program` that lack it, and sort `places`. A weight
 * is found where a tensor has its elements, in whatever order (halves also as f32), or
 * a blob its bytes. Of those that are not, as many are "other" as there are tensors of
 * their type and size that are no weight, and the rest "uniform" where one has equal
 * elements, which fit any checkpoint. O(bytes of both). */
void dg_find_weights(struct dg_program *program, struct dg_searched *places,
                     size_t n_places);

/* Before that: weights of delegates that the .pte in `input` has, too, are "inside",
 * and what those read is known. */
enum dg_status dg_find_delegates(struct dg_program *program,
                                 const struct dg_input *input,
                                 struct dg_searched *places, size_t n_places,
                                 struct dg_error *err);

/* Bytes of the file of that artifact; data NULL where they are not in it. */
struct dg_bytes dg_input_slice(const struct dg_input *input, int64_t artifact,
                               int64_t offset, int64_t size);

/* Both in all that `input` has: the program is about to join it. */
enum dg_status dg_input_find_weights(struct dg_program *program,
                                     const struct dg_input *input,
                                     struct dg_error *err);

#endif
