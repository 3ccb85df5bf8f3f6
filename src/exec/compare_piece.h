/* How far apart a piece of two tensors is, in vector registers. */
#ifndef DG_EXEC_COMPARE_PIECE_H
#define DG_EXEC_COMPARE_PIECE_H

#include <stdbool.h>
#include <stdint.h>

/* So many elements are summed side by side, on every processor: which one a lane adds
 * decides the last bits of a sum. Arrays have room for a multiple of them. */
enum { DG_PIECE_LANES = 4 };

struct dg_piece_sums {
    double largest;                     /* magnitude of any element */
    double most;                        /* error */
    double ref2, got2, error2, product; /* sums of products */
    double error;                       /* of tested - reference */
};

/* false: an element or a difference is not finite, and *sums says nothing. Writes
 * zeros behind the `n` elements. */
bool dg_piece_measure(struct dg_piece_sums *sums, double *ref, double *got, int64_t n);

/* Of elements that are finite. */
struct dg_piece_relation {
    int64_t mismatches; /* errors beyond atol + rtol * magnitude */
    double relative;    /* largest error by magnitude; infinite where that is 0 */
    double sized;       /* the same of magnitudes beyond atol */
};
void dg_piece_relate(struct dg_piece_relation *relation, double *ref, double *got,
                     int64_t n, double rtol, double atol);

#endif
