/* Which operators of ATen the kinds of XNNPACK's nodes stand for. */
#include "base/xnnpack_ops.h"

#include <string.h>

static const struct dg_xnn_meaning meanings[] = {
    {"Abs", " abs "},
    {"Add", " add "},
    {"ArgMaxPooling2d", " max_pool2d max "},
    {"AvgPooling2d", " avg_pool2d avg_pool1d adaptive_avg_pool2d "},
    {"BatchMatrixMultiply", " bmm matmul scaled_dot_product_attention baddbmm "},
    {"Ceiling", " ceil "},
    {"Clamp", " clamp relu relu6 hardtanh clamp_min clamp_max "},
    {"Concatenate2", " cat concat stack "},
    {"Concatenate3", " cat concat stack "},
    {"Concatenate4", " cat concat stack "},
    {"Concatenate5", " cat concat stack "},
    {"Conv2d", " conv2d conv1d convolution _convolution "},
    {"ConvTranspose2d", " conv_transpose2d conv_transpose1d convolution "},
    {"Convert",
     " _to_copy to quantize_per_tensor dequantize_per_tensor type_as "
     "quantize_affine dequantize_affine quantize_per_token dequantize_per_token "},
    {"Copy", " clone contiguous dropout alias detach "},
    {"Cos", " cos "},
    {"DepthwiseConv2d",
     " conv2d conv1d convolution _convolution batch_norm native_batch_norm"
     " _native_batch_norm_legit_no_training "},
    {"Div", " div true_divide "},
    {"ELU", " elu "},
    {"Exp", " exp "},
    {"Floor", " floor "},
    {"FullyConnected", " linear mm addmm matmul "},
    {"Gelu", " gelu "},
    {"GlobalAvgPooling2d", " mean adaptive_avg_pool2d "},
    {"Hardswish", " hardswish "},
    {"LeakyReLU", " leaky_relu "},
    {"Log", " log "},
    {"Maximum", " maximum max "},
    {"MaxPooling2d", " max_pool2d max_pool1d amax adaptive_max_pool2d "},
    {"Minimum", " minimum min "},
    {"Multiply", " mul "},
    {"Negate", " neg "},
    {"PReLU", " prelu _prelu_kernel "},
    {"ReciprocalSquareRoot", " rsqrt "},
    {"Sigmoid", " sigmoid "},
    {"Sin", " sin "},
    {"Softmax", " softmax _softmax scaled_dot_product_attention "},
    {"Square", " square pow "},
    {"SquareRoot", " sqrt "},
    {"StaticConstantPad", " constant_pad_nd pad "},
    {"StaticReshape",
     " view reshape flatten unflatten squeeze unsqueeze "
     "_unsafe_view view_copy conv1d squeeze_copy unsqueeze_copy expand repeat "},
    {"StaticResizeBilinear2D", " upsample_bilinear2d interpolate "},
    {"StaticSlice", " narrow slice select chunk split slice_copy "},
    {"StaticTranspose", " permute transpose t movedim permute_copy transpose_copy "},
    {"Subtract", " sub rsub "},
    {"Tanh", " tanh "},
};

const struct dg_xnn_meaning *dg_xnn_meaning(struct dg_text kind)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
        if (dg_text_is(kind, meanings[i].kind))
            return &meanings[i];
    }
    return NULL;
}

bool dg_xnn_has_kind_of(const char *op)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
        if (strstr(meanings[i].ops, op))
            return true;
    }
    return false;
}
