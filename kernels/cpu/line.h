/* Lines of elements to and from f64 or i64. `stride` counts elements. */
#ifndef DG_KERNELS_CPU_LINE_H
#define DG_KERNELS_CPU_LINE_H

#include "base/tensor.h"

/* Exact for floats; integers beyond 2^53 round. */
void dg_load_f64(double *to, enum dg_type type, const void *from, int64_t stride,
                 int64_t n);
/* What dg_load_f64() gives, rounded. */
void dg_load_f32(float *to, enum dg_type type, const void *from, int64_t stride,
                 int64_t n);
/* Rounds once, half to even, to floats; truncates to integers (out of range: any
 * number), and what is not 0 becomes true. */
void dg_store_f64(enum dg_type type, void *to, int64_t stride, const double *from,
                  int64_t n);
/* Integers as they are, floats truncated (out of range: any number). */
void dg_load_i64(int64_t *to, enum dg_type type, const void *from, int64_t stride,
                 int64_t n);
/* Wraps to narrower integers; what is not 0 becomes true. */
void dg_store_i64(enum dg_type type, void *to, int64_t stride, const int64_t *from,
                  int64_t n);

/* Complex numbers, and others as such; what is stored as another type keeps the real
 * part. */
void dg_load_complex(double _Complex *to, enum dg_type type, const void *from,
                     int64_t stride, int64_t n);
void dg_store_complex(enum dg_type type, void *to, int64_t stride,
                      const double _Complex *from, int64_t n);

/* One element; the offset counts from the first one of the tensor. */
double dg_get_f64(const struct dg_tensor *tensor, int64_t element_offset);
int64_t dg_get_i64(const struct dg_tensor *tensor, int64_t element_offset);

#endif
