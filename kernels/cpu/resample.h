/* Resampling along one dimension: which input elements make an output, and with which
 * weights. */
#ifndef DG_KERNELS_CPU_RESAMPLE_H
#define DG_KERNELS_CPU_RESAMPLE_H

#include "kernels/cpu/window.h"

enum dg_resample {
    DG_RESAMPLE_NEAREST,
    DG_RESAMPLE_NEAREST_EXACT,
    DG_RESAMPLE_LINEAR,
    DG_RESAMPLE_CUBIC,
    DG_RESAMPLE_LINEAR_SMOOTH, /* wider when it shrinks: "aa" */
    DG_RESAMPLE_CUBIC_SMOOTH,
};

/* Output o is the sum of weights[o * n_taps + k] times input indices[o * n_taps + k].
 */
struct dg_taps {
    int64_t n_taps;
    int64_t *indices;
    double *weights;
};

struct dg_resample_axis {
    int64_t in, out;
    double factor; /* output to input; 0: by the sizes */
    bool align_corners;
    bool wide;        /* weights in f64, else in f32 as torch has them */
    bool own_sums;    /* as far off as f32 may lead */
    bool whole_steps; /* nearest: sizes that are equal or double decide, not the factor
                       */
};

/* False when there is no memory for them, and call->err says so. */
bool dg_taps_make(struct dg_taps *taps, struct dg_call *call, enum dg_resample kind,
                  const struct dg_resample_axis *axis);

/* Planes of two dimensions, of bytes: `taps` are those of the last two, in f64, which
 * are rounded. False as above. */
bool dg_resample_bytes(struct dg_call *call, const struct dg_planes *planes,
                       const struct dg_taps *taps, const unsigned char *from,
                       unsigned char *to);

#endif
