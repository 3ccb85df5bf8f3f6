/* What each byte of a file belongs to. */
#ifndef DG_REPORTS_STRETCHES_H
#define DG_REPORTS_STRETCHES_H

#include <stddef.h>
#include <stdint.h>

/* What lies deeper comes first: a constant inside a segment takes its bytes. */
enum dg_stretch_layer { DG_STRETCH_DATA, DG_STRETCH_SEGMENT, DG_STRETCH_LAYERS };

struct dg_stretch {
    int64_t begin, end; /* bytes of the file */
    enum dg_stretch_layer layer;
    int64_t own; /* filled in: bytes that count as its own */
};

/* Divide `size` bytes among the stretches, and return how many no stretch has: the sum
 * of both is `size`, whatever the file says. O(n log n). */
int64_t dg_stretches_divide(struct dg_stretch *stretches, size_t n, int64_t size);

#endif
