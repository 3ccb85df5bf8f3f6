/* What upsample operators are told, the same for every device. */
#ifndef DG_KERNELS_CPU_UPSAMPLE_H
#define DG_KERNELS_CPU_UPSAMPLE_H

#include "kernels/cpu/window.h"

/* Where their schemas have what is not the same everywhere. */
struct dg_upsample_schema {
    int n_space;
    bool aligned; /* argument 2 is align_corners */
    bool factors; /* argument 1 may be missing; the last one lists factors */
};

/* What a call asks for, of the last dimensions, DG_SPACE_MOST of each: sizes of the
 * output, and factors from input to output (0: by the sizes). Of fewer dimensions the
 * first ones are left as they are. */
enum dg_status dg_upsample_read(int64_t *out, double *factors, struct dg_call *call,
                                const struct dg_upsample_schema *schema,
                                const int64_t *in);

/* Each has an overload with sizes, and one, `_vec`, with sizes or factors: name, how it
 * weighs, dimensions, whether it has align_corners. */
#define DG_UPSAMPLES(UPSAMPLE)                                                         \
    UPSAMPLE(upsample_nearest1d, NEAREST, 1, false)                                    \
    UPSAMPLE(upsample_nearest2d, NEAREST, 2, false)                                    \
    UPSAMPLE(upsample_nearest3d, NEAREST, 3, false)                                    \
    UPSAMPLE(upsample_nearest_exact1d, NEAREST_EXACT, 1, false)                        \
    UPSAMPLE(upsample_nearest_exact2d, NEAREST_EXACT, 2, false)                        \
    UPSAMPLE(upsample_nearest_exact3d, NEAREST_EXACT, 3, false)                        \
    UPSAMPLE(upsample_linear1d, LINEAR, 1, true)                                       \
    UPSAMPLE(upsample_bilinear2d, LINEAR, 2, true)                                     \
    UPSAMPLE(upsample_trilinear3d, LINEAR, 3, true)                                    \
    UPSAMPLE(upsample_bicubic2d, CUBIC, 2, true)

#endif
