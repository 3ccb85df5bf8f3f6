/* Convolutions between a fine and a coarse image.
 *
 * A convolution reads the fine image and gives the coarse one; a transposed one, and
 * the gradient of the input, go the other way with the same geometry: element `fine`
 * meets element `coarse` by kernel element k where fine = coarse * stride - padding + k
 * * dilation. */
#ifndef DG_KERNELS_CPU_CONV_H
#define DG_KERNELS_CPU_CONV_H

#include "kernels/kernel.h"

enum { DG_CONV_AXES = 3 };

struct dg_conv_axis {
    int64_t fine, coarse, kernel, stride, padding, dilation;
};

struct dg_conv {
    struct dg_conv_axis axes[DG_CONV_AXES]; /* leading ones are trivial */
    int64_t samples, groups, fine_channels, coarse_channels;
    int64_t n_fine, n_coarse, n_kernel; /* elements of a channel */
};

/* What a call asks for, before sizes are known. */
struct dg_conv_options {
    int n_axes;
    int64_t stride[DG_CONV_AXES], padding[DG_CONV_AXES], dilation[DG_CONV_AXES];
    int64_t padding_more[DG_CONV_AXES];   /* behind than in front */
    int64_t output_padding[DG_CONV_AXES]; /* of a transposed one */
    int64_t groups;
    bool transposed;
    bool same; /* padding so that the size stays; `padding` is not read */
};

/* Places of a call's arguments; 0: there is none. */
struct dg_conv_places {
    size_t input, weight, stride, padding, dilation, output_padding, groups;
};

/* Tensors checked, lists read; options->n_axes 0: as the weight has. */
enum dg_status dg_conv_read(struct dg_call *call, struct dg_conv_options *options,
                            const struct dg_conv_places *places);

/* Geometry of a call. Fails naming the sizes that do not fit. */
enum dg_status dg_conv_begin(struct dg_call *call, struct dg_conv *conv,
                             const struct dg_conv_options *options,
                             const struct dg_tensor *input,
                             const struct dg_tensor *weight);

/* All tensors are contiguous; `weight` is [coarse, fine / groups, kernel]. `bias` has
 * one element for each channel of the result; NULL: none. */
enum dg_status dg_conv_shrink(struct dg_call *call, const struct dg_conv *conv,
                              struct dg_tensor *fine, struct dg_tensor *weight,
                              struct dg_tensor *bias, struct dg_tensor *coarse);
enum dg_status dg_conv_grow(struct dg_call *call, const struct dg_conv *conv,
                            struct dg_tensor *coarse, struct dg_tensor *weight,
                            struct dg_tensor *bias, struct dg_tensor *fine);
/* dg_conv_shrink() where each channel of the result reads one channel: a direct loop.
 */
enum dg_status dg_conv_depthwise(struct dg_call *call, const struct dg_conv *conv,
                                 struct dg_tensor *fine, struct dg_tensor *weight,
                                 struct dg_tensor *bias, struct dg_tensor *coarse);

/* dg_conv_shrink() of images of two axes whose channels lie side by side: [samples,
 * pixels, channels], by a weight [coarse, kernel, fine / groups] of any type that
 * floats or codes have, as f64. */
void dg_conv_pixels(struct dg_call *call, const struct dg_conv *conv,
                    const struct dg_tensor *fine, const struct dg_tensor *weight,
                    const struct dg_tensor *bias, struct dg_tensor *coarse);
/* The same where each channel of the result reads one channel, by a weight [kernel,
 * coarse]. */
enum dg_status dg_conv_pixels_apart(struct dg_call *call, const struct dg_conv *conv,
                                    const struct dg_tensor *fine,
                                    const struct dg_tensor *weight,
                                    const struct dg_tensor *bias,
                                    struct dg_tensor *coarse);

/* Every element of the result reads the one at its own place. */
bool dg_conv_is_pointwise(const struct dg_conv *conv);

/* Coarse elements whose fine element at kernel element k exists: from *from to before
 * *to. */
void dg_conv_range(const struct dg_conv_axis *axis, int64_t k, int64_t *from,
                   int64_t *to);

#endif
