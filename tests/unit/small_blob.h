/* A small blob of XNNPACK, for rules about what is inside of delegates. */
#ifndef DG_TESTS_SMALL_BLOB_H
#define DG_TESTS_SMALL_BLOB_H

#include "unit/rules.h"

/* x -> Conv2d_0 (filter, bias) -> y -> Clamp_1 -> z, all fp32; the rows of values are 1
 * (x), 2 (filter), 3 (bias), 4 (y) and 5 (z). */
void given_blob(void);

/* The same, and Clamp_1 is something else, named OP_1. */
void given_other(const char *op, const char *args);

/* The same, and it multiplies y and the filter, which is of that shape; Conv2d_0 is
 * left out. */
void given_product(const char *op, const char *shape);

/* Its filter has a scale for each channel. */
void given_channels(void);

void given_args(const char *from, const char *to);

#endif
