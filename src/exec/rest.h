/* What f64 values are besides f32 ones. */
#ifndef DG_EXEC_REST_H
#define DG_EXEC_REST_H

#include <stdint.h>

/* A rest is kept as so many times it, so that what f32 rounds away of its own least
 * numbers is none of the least of f32. */
#define DG_REST_SCALE 0x1p64

/* The largest of the rest, as it is kept, and of what it is the rest of; NaN and
 * infinity are larger than all others. A rest that f32 cannot keep is infinite, so that
 * one of 0 says that there is none. */
struct dg_rest_sizes {
    float rest, whole;
};

/* rest[i] = DG_REST_SCALE * (whole[i] - known[i]) for i < n */
struct dg_rest_sizes dg_rest_take(float *rest, const double *whole, const float *known,
                                  int64_t n, int n_threads);

/* to[i] += rest[i] / DG_REST_SCALE; the largest rest[i]. */
float dg_rest_add(double *to, const float *rest, int64_t n, int n_threads);

#endif
