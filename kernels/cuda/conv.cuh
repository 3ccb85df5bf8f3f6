/* What convolutions share: which places of an image its kernel looks at. */
#ifndef DG_KERNELS_CUDA_CONV_CUH
#define DG_KERNELS_CUDA_CONV_CUH

#include "kernels/cuda/product.cuh"

enum { AXES = 3 };

/* Depth, height and width; those in front of `first` are not there, and have size 1. A
 * transposed convolution makes the `in` of a window from its `out`. */
struct window {
    int64_t channels; /* of `in` */
    int64_t in[AXES], out[AXES], kernel[AXES], stride[AXES], pad[AXES], dilation[AXES];
    int64_t n_in, n_out, n_kernel; /* places */
    int first;
    bool same; /* padding keeps sizes */
};

/* Contiguous shares. */
struct layers {
    struct dg_tensor *images, *weight, *bias;
    int64_t n_images, features, groups; /* features of the result */

    ~layers()
    {
        dg_tensor_drop(images);
        dg_tensor_drop(weight);
        dg_tensor_drop(bias);
    }
};

/* One number for each of the last `n` axes; one stands for all, none leaves them. */
enum dg_status take_axes(struct dg_call *call, size_t arg, int n, int64_t least,
                         int64_t *values);
/* A window of ones with the kernel of argument 1, for the images of argument 0. */
enum dg_status begin_window(struct dg_call *call, struct window *w);
enum dg_status count_places(struct dg_call *call, struct window *w);
/* Arguments 0 to 2; `features` are set. */
enum dg_status take_layers(struct dg_call *call, struct layers *layers);
/* (input, weight, bias, stride, padding), and where the other arguments are. */
enum dg_status convolve_transposed(struct dg_call *call, size_t output_padding,
                                   size_t dilation, size_t groups);

#endif
