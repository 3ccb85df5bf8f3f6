/* How far apart a piece of two tensors is, in vector registers. */
#ifndef DG_EXEC_COMPARE_BLOCK_H
#define DG_EXEC_COMPARE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* So many elements are summed side by side, on every processor: which one a lane adds
 * decides the last bits of a sum. Arrays have room for a multiple of them. */
enum { DG_BLOCK_LANES = 4 };

struct dg_block {
    double largest; /* magnitude of any element */
    double most;    /* error */
    double ref2, got2, error2, product; /* sums of products */
    double error;                       /* of tested - reference */
};

/* false: an element or a difference is not finite, and *block says nothing. Writes
 * zeros behind the `n` elements. */
bool dg_block_measure(struct dg_block *block, double *ref, double *got, int64_t n);

/* Of elements that are finite. */
struct dg_block_relation {
    int64_t mismatches; /* errors beyond atol + rtol * magnitude */
    double relative;    /* largest error by magnitude; infinite where that is 0 */
    double sized;       /* the same of magnitudes beyond atol */
};
void dg_block_relate(struct dg_block_relation *relation, double *ref, double *got,
                     int64_t n, double rtol, double atol);

#endif
