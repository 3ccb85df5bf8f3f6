/* Calls that every CUDA kernel is held to. */
#include "tests/cuda/recipes.h"

#include <stddef.h>

/* Shapes with lines that packs divide and that they do not, broadcasts, nothing. */
#define UNARY(op, kind)                                                                \
    {op, kind "[3,5,7]"}, {op, kind "[2,16]"}, {op, kind "[]"}, {op, kind "[0,3]"},
#define BINARY(op, kind, more)                                                         \
    {op, kind "[3,5,7] " kind "[3,5,7]" more}, {op, kind "[4,16] " kind "[16]" more},  \
        {op, kind "[2,1,9] " kind "[1,3,1]" more}, {op, kind "[] " kind "[5]" more},   \
        {op, kind "[0,3] " kind "[3]" more},
#define SCALAR(op, kind, more)                                                         \
    {op, kind "[3,5,7] 3" more}, {op, kind "[33] 2" more}, {op, kind "[4] 0.25" more},
#define REDUCED(op, kind)                                                              \
    {op, kind "[3,5,7] (1) false"}, {op, kind "[4,33] (1) true"},                      \
        {op, kind "[2,3,4,5] (0,2) false"}, {op, kind "[700,3] (0) false"},            \
        {op, kind "[3,700] (-1) true"},

#define RECIPE(op, args) {op, args},

const struct recipe recipes[] = {
#include "tests/cuda/recipes/contraction.h"
#include "tests/cuda/recipes/create.h"
#include "tests/cuda/recipes/elementwise.h"
#include "tests/cuda/recipes/index.h"
#include "tests/cuda/recipes/movement.h"
#include "tests/cuda/recipes/normalization.h"
#include "tests/cuda/recipes/order.h"
#include "tests/cuda/recipes/quantize.h"
#include "tests/cuda/recipes/recurrent.h"
#include "tests/cuda/recipes/reduction.h"
#include "tests/cuda/recipes/space.h"

    UNARY("aten::acos", "F") UNARY("aten::acosh", "P") UNARY("aten::asin", "F") UNARY(
        "aten::asinh", "F") UNARY("aten::atan", "F") UNARY("aten::atanh", "F")
        UNARY("aten::cos", "N") UNARY("aten::cosh", "F") UNARY("aten::erf", "F") UNARY(
            "aten::erfc", "F") UNARY("aten::exp", "N") UNARY("aten::exp2", "F")
            UNARY("aten::expm1", "F") UNARY("aten::log", "N") UNARY(
                "aten::log10", "P") UNARY("aten::log1p", "P") UNARY("aten::log2", "P")
                UNARY("aten::reciprocal", "F") UNARY("aten::rsqrt", "F") UNARY(
                    "aten::sigmoid", "N") UNARY("aten::sin", "N")
                    UNARY("aten::sinh", "F") UNARY("aten::sqrt", "F") UNARY(
                        "aten::tan", "F") UNARY("aten::tanh", "F")
                        UNARY("aten::gelu", "F") UNARY("aten::hardsigmoid", "F") UNARY(
                            "aten::hardswish", "F") UNARY("aten::mish", "F")
                            UNARY("aten::silu", "F") UNARY("aten::log_sigmoid",
                                                           "F") UNARY("aten::abs", "N")
                                UNARY("aten::ceil", "F") UNARY(
                                    "aten::floor", "F") UNARY("aten::neg", "N")
                                    UNARY("aten::relu", "N") UNARY("aten::relu6", "N")
                                        UNARY("aten::round",
                                              "F") UNARY("aten::sign",
                                                         "N") UNARY("aten::trunc", "F")
                                            UNARY("aten::square", "F") UNARY(
                                                "aten::isfinite",
                                                "N") UNARY("aten::isinf", "N")
                                                UNARY("aten::isnan", "N") UNARY(
                                                    "aten::logical_not",
                                                    "N") UNARY("aten::logical_not", "Z")
                                                    UNARY("aten::bitwise_not", "Z"){
                                                        "aten::gelu", "F[2,33] 'tanh'"},
    {"aten::elu", "F[2,33] 1 1 1"},
    {"aten::elu", "F[2,33] 0.5 1.5 2"},
    {"aten::leaky_relu", "F[2,33] 0.25"},
    {"aten::softplus", "F[2,33] 1 20"},
    {"aten::softplus", "F[2,33] 2 0.5"},

    BINARY("aten::add.Tensor", "N", " 1") BINARY("aten::sub.Tensor", "N", " 2") BINARY(
        "aten::rsub.Tensor", "F", " 1") BINARY("aten::mul.Tensor", "N", "")
        BINARY("aten::mul.Tensor", "Z", "") BINARY("aten::div.Tensor", "N", "")
            BINARY("aten::maximum", "N", "") BINARY("aten::minimum", "N", "") BINARY(
                "aten::atan2", "F", "") BINARY("aten::pow.Tensor_Tensor", "P",
                                               "") BINARY("aten::eq.Tensor", "N", "")
                BINARY("aten::ne.Tensor", "Z", "") BINARY("aten::lt.Tensor", "N", "")
                    BINARY("aten::le.Tensor", "N", "") BINARY(
                        "aten::gt.Tensor", "N", "") BINARY("aten::ge.Tensor", "N", "")
                        BINARY("aten::logical_and", "N",
                               "") BINARY("aten::logical_or", "Z",
                                          "") BINARY("aten::logical_xor", "N", "")
                            BINARY("aten::bitwise_and.Tensor", "Z",
                                   "") BINARY("aten::bitwise_or.Tensor", "Z", "")
                                BINARY("aten::bitwise_xor.Tensor", "Z", "") BINARY(
                                    "aten::__and__.Tensor", "Z",
                                    "") BINARY("aten::__or__.Tensor", "Z", "")
                                    BINARY("aten::__xor__.Tensor", "Z", "") BINARY(
                                        "aten::fmod.Tensor", "F",
                                        "") BINARY("aten::remainder.Tensor", "F", "")
                                        BINARY("aten::floor_divide", "F", "") BINARY(
                                            "aten::div.Tensor_mode", "F", " 'floor'")
                                            BINARY("aten::div.Tensor_mode", "S",
                                                   " 'trunc'")
                                                BINARY("aten::div.Tensor_mode", "F",
                                                       " none"){"aten::add.Tensor",
                                                                "F[4,5] S[4,5] 1"},
    {"aten::add.Tensor", "I[5]<9 F[2,5] 0.5"},
    {"aten::mul.Tensor", "F[6] B[6]"},
    {"aten::gt.Tensor", "I[5]<9 F[2,5]"},
    SCALAR("aten::add.Scalar", "F", " 2") SCALAR("aten::add.Tensor", "F", " 1")
        SCALAR("aten::sub.Scalar", "F", " 1") SCALAR("aten::rsub.Scalar", "N", " 1")
            SCALAR("aten::mul.Scalar", "N", "") SCALAR("aten::div.Scalar", "N", "")
                SCALAR("aten::div.Scalar_mode", "F",
                       " 'floor'") SCALAR("aten::fmod.Scalar", "F", "")
                    SCALAR("aten::remainder.Scalar", "F", "")
                        SCALAR("aten::floor_divide.Scalar", "F", "")
                            SCALAR("aten::pow.Tensor_Scalar", "P", "")
                                SCALAR("aten::eq.Scalar", "N", "")
                                    SCALAR("aten::ne.Scalar", "N", "")
                                        SCALAR("aten::lt.Scalar", "N", "")
                                            SCALAR("aten::le.Scalar", "N", "")
                                                SCALAR("aten::gt.Scalar", "N", "")
                                                    SCALAR("aten::ge.Scalar", "N", ""){
                                                        "aten::eq.Scalar", "Z[9] -1"},
    {"aten::bitwise_and.Scalar", "Z[9] 3"},
    {"aten::bitwise_or.Scalar", "Z[9] 3"},
    {"aten::bitwise_xor.Scalar", "Z[9] 3"},
    {"aten::pow.Tensor_Scalar", "F[33] 2"},
    {"aten::pow.Tensor_Scalar", "F[33] 3"},
    {"aten::pow.Tensor_Scalar", "F[33] 0.5"},
    {"aten::pow.Scalar", "2.5 P[9]"},
    {"aten::max.other", "F[4,1] F[5]"},
    {"aten::min.other", "F[4,1] F[5]"},
    {"aten::addcmul", "F[4,5] F[5] F[4,1] 0.5"},
    {"aten::addcdiv", "P[4,5] P[5] P[4,1] 0.5"},
    {"aten::lerp.Scalar", "P[4,5] P[5] 0.25"},
    {"aten::lerp.Tensor", "P[4,5] P[5] P[4,1]"},
    {"aten::clamp", "N[3,9] -1 2"},
    {"aten::clamp", "F[3,9] none 0.5"},
    {"aten::clamp", "N[3,9] 1 none"},
    {"aten::clamp", "I[9]<5 0.5 2.5"},
    {"aten::clamp.Tensor", "F[3,9] F[9] F[3,1]"},
    {"aten::clamp_min", "N[3,9] 1"},
    {"aten::clamp_max", "N[3,9] 1"},
    {"aten::clamp_min.Tensor", "F[3,9] F[9]"},
    {"aten::clamp_max.Tensor", "F[3,9] F[9]"},
    {"aten::hardtanh", "F[3,9] -1 1"},
    {"aten::where.self", "B[3,9] N[9] N[3,1]"},
    {"aten::where.self", "B[3,1] S[] F[3,5]"},
    {"aten::where.ScalarSelf", "B[3,9] 0.5 F[9]"},
    {"aten::where.ScalarOther", "B[3,9] F[9] 2"},
    {"aten::where.Scalar", "B[3,9] 1.5 2"},
    {"aten::masked_fill.Scalar", "N[3,9] B[9] 3"},
    {"aten::masked_fill.Scalar", "F[3,9] B[3,1] -0.5"},
    {"aten::masked_fill.Tensor", "F[3,9] B[3,1] F[]"},

    UNARY("aten::clone", "N") UNARY("aten::clone", "Z")
        UNARY("aten::lift_fresh_copy", "N")
            UNARY("dim_order_ops::_clone_dim_order", "N"){"aten::contiguous", "N[3,5]"},
    {"aten::copy", "N[3,5] S[5]"},
    {"aten::dropout", "F[3,5] 0.5 false"},
    {"aten::to.dtype", "P[3,7] :f16"},
    {"aten::to.dtype", "P[3,7] :bf16"},
    {"aten::to.dtype", "N[3,7] :f32"},
    {"aten::to.dtype", "Z[3,7] :f32"},
    {"aten::to.dtype", "N[3,7] :f64"},
    {"aten::to.dtype", "P[3,7] :i64"},
    {"aten::to.dtype", "P[3,7] :i8"},
    {"aten::to.dtype", "Z[3,7] :i32"},
    {"aten::to.dtype", "N[3,7] :bool"},
    {"aten::_to_copy", "N[3,7] :f32"},
    {"aten::_to_copy", "N[3,7] none"},
    {"aten::to.dtype_layout", "N[3,7] :f32"},
    {"aten::type_as", "N[3,7] S[2]"},
    {"aten::to.other", "N[3,7] S[2]"},
    {"dim_order_ops::_to_dim_order_copy", "N[3,7] :f32"},

    {"aten::full", "(3,5) 2.5"},
    {"aten::full", "(3,5) 3"},
    {"aten::full", "(7) 1 :bool"},
    {"aten::full", "() 0.5 :bf16"},
    {"aten::full_like", "N[3,5] 3"},
    {"aten::zeros", "(3,5) none"},
    {"aten::zeros", "(3,0) :i64"},
    {"aten::ones", "(3,5) :f16"},
    {"aten::zeros_like", "N[3,5] none"},
    {"aten::zero", "N[3,5]"},
    {"aten::ones_like", "N[3,5] :i64"},
    {"aten::new_zeros", "N[2] (3,5)"},
    {"aten::new_ones", "N[2] (3) :f64"},
    {"aten::scalar_tensor", "2.5"},
    {"aten::scalar_tensor", "2 :i64"},
    {"aten::arange", "7"},
    {"aten::arange", "2.5"},
    {"aten::arange.start", "-3 4 :f32"},
    {"aten::arange.start_step", "1 10 3"},
    {"aten::arange.start_step", "1 0 -0.25"},
    {"aten::tril", "N[2,5,7] 0"},
    {"aten::tril", "N[5,5] -1"},
    {"aten::triu", "N[5,7] 2"},

    {"aten::sum", "N[3,5,7] none"},
    {"aten::sum", "Z[40] none"},
    {"aten::sum", "P[40000] none"},
    {"aten::sum", "F[0] none"},
    REDUCED("aten::sum.dim_IntList", "N"){"aten::sum.dim_IntList",
                                          "N[2000,3] (0) false :f32"},
    {"aten::sum.dim_IntList", "F[3,4] none true"},
    {"aten::mean", "F[3,5,7] none"},
    REDUCED("aten::mean.dim", "F"){"aten::prod", "F[3,5] none"},
    {"aten::prod.dim_int", "F[3,5] 1 false"},
    {"aten::any", "N[3,5]"},
    {"aten::any", "Z[40]"},
    {"aten::all", "N[3,5]"},
    {"aten::all", "B[0]"},
    {"aten::any.dim", "N[3,5] 1 false"},
    {"aten::any.dim", "B[3,5] 0 true"},
    {"aten::all.dim", "Z[3,5] 1 false"},
    {"aten::any.dims", "B[3,5,2] (0,2) false"},
    {"aten::all.dims", "B[3,5,2] (0,2) true"},
    REDUCED("aten::amax", "N")
        REDUCED("aten::amin", "N"){"aten::amax", "F[3,5] () false"},
    {"aten::max", "N[3,5]"},
    {"aten::min", "N[3,5]"},
    {"aten::argmax", "N[3,5,7] 1 false"},
    {"aten::argmax", "N[3,5,7] none false"},
    {"aten::argmin", "F[3,500] -1 true"},
    {"aten::argmin", "F[40000] none false"},
    {"aten::max.dim", "N[3,5,7] 1 false"},
    {"aten::min.dim", "F[3,500] 1 true"},
    {"aten::var", "F[3,50] true"},
    {"aten::var.dim", "F[3,50] (1) true false"},
    {"aten::var.correction", "F[3,5,7] (0,2) 1 true"},
    {"aten::var.correction", "F[3,1] (1) 1 false"},
    {"aten::std", "F[3,50] false"},
    {"aten::std.dim", "F[3,50] (1) true false"},
    {"aten::std.correction", "F[300,3] (0) 0 false"},
    {"aten::var_mean", "F[3,50] true"},
    {"aten::var_mean.dim", "F[3,50] (1) true true"},
    {"aten::var_mean.correction", "F[3,500] (1) 0 true"},
    {"aten::std_mean", "F[3,50] true"},
    {"aten::std_mean.dim", "F[3,50] (1) true true"},
    {"aten::std_mean.correction", "F[3,500] (1) 0.5 true"},
    {"aten::cumsum", "N[3,5,7] 1"},
    {"aten::cumsum", "Z[40] 0"},
    {"aten::cumsum", "F[3,50] -1"},

#define SOFTMAX(op, last)                                                              \
    {op, "F[3,5,7] -1 " last}, {op, "F[3,5,7] 1 " last}, {op, "F[2,700] 1 " last},     \
        {op, "F[] 0 " last}, {op, "F[0,3] 1 " last},
    SOFTMAX("aten::_softmax", "false") SOFTMAX("aten::softmax.int", "none") SOFTMAX(
        "aten::_log_softmax", "false") SOFTMAX("aten::log_softmax.int", "none")
        SOFTMAX("aten::_safe_softmax", "none"){"aten::softmax.int", "F[3,40] 1 :f32"},
    {"aten::_softmax", "F[3,40] 1 true"},
    {"aten::layer_norm", "F[3,5,16] (16) F[16] F[16] 1e-5"},
    {"aten::layer_norm", "F[3,5,7] (5,7) none none 0.1"},
    {"aten::native_layer_norm", "F[3,700] (700) F[700] F[700] 1e-5"},
    {"aten::native_layer_norm", "F[3,4,5] (5) none none 1e-5"},
    {"aten::rms_norm", "F[3,5,16] (16) F[16] 1e-6"},
    {"aten::_fused_rms_norm", "F[3,5,16] (16) F[16] 1e-6"},
    {"aten::group_norm", "F[2,6,5] 3 F[6] F[6] 1e-5 false"},
    {"aten::native_group_norm", "F[2,6,4,5] F[6] F[6] 2 6 20 2 1e-5"},
    {"aten::batch_norm", "F[2,3,4,5] F[3] F[3] F[3] P[3] false 0.1 1e-5 false"},
    {"aten::native_batch_norm", "F[2,3,8] F[3] F[3] F[3] P[3] false 0.1 1e-5"},
    {"aten::_native_batch_norm_legit", "F[2,3] F[3] F[3] F[3] P[3] false 0.1 1e-5"},
    {"aten::_native_batch_norm_legit_no_training",
     "F[2,3,4,4] F[3] F[3] F[3] P[3] 0.1 1e-5"},
    {"aten::_native_batch_norm_legit_no_training",
     "F[2,3,4,4] none none F[3] P[3] 0.1 1e-5"},

    {"aten::embedding", "N[10,6] J[3,4]<10 -1 false false"},
    {"aten::embedding", "F[10,6] Q[]<10 -1 false false"},
    {"aten::gather", "N[4,6] 1 J[4,3]<6 false"},
    {"aten::embedding", "F[10,6] I[3,4]<10 -1 false false"},
    {"aten::gather", "F[4,6] 1 J[4,3]<9 false"},
    {"aten::index.Tensor", "F[4,6] {none I[40]<9}"},
    {"aten::gather", "F[4,6,2] 0 J[2,6,1]<4 false"},
    {"aten::index_select", "N[4,6] 1 J[5]<6"},
    {"aten::index_select", "F[4,6,2] 0 Q[]<4"},
    {"aten::index.Tensor", "N[4,6] {I[5]<4}"},
    {"aten::index.Tensor", "F[4,6,3] {none I[2,5]<6}"},
    {"aten::index.Tensor", "F[4,6,3] {I[2,1]<4 I[5]<6}"},
    {"aten::index.Tensor", "F[4,6,3] {I[5]<4 none I[5]<3}"},
    {"aten::_unsafe_index.Tensor", "F[4,6,3] {none I[5,1]<6 I[2]<3}"},
    {"aten::index_put", "N[8,3] {Q[5]<8} N[5,3] false"},
    {"aten::index_put", "F[2,8] {none Q[5]<8} F[5] false"},
    {"aten::scatter.src", "N[1,8] 1 Q[1,5]<8 N[1,6]"},
    {"aten::scatter.value", "N[1,8] 1 Q[1,5]<8 2"},
    {"aten::index_copy", "N[3,8] 1 Q[5]<8 N[3,5]"},
    {"aten::cat", "{N[3,2] N[3,5]} 1"},
    {"aten::cat", "{F[3,2] S[1,2] F[0]} 0"},
    {"aten::concat", "{F[2] F[3]} -1"},
    {"aten::stack", "{N[3,2] N[3,2]} 1"},
    {"aten::stack", "{F[] F[]} 0"},
    {"aten::constant_pad_nd", "N[3,5] (1,2) 3"},
    {"aten::constant_pad_nd", "F[2,3,5] (-1,2,1,-2) 0.5"},
    {"aten::repeat", "N[3,5] (2,1,3)"},
    {"aten::flip", "N[3,5,2] (0,2)"},
    {"aten::slice_scatter", "N[6,4] N[3,4] 0 0 6 2"},
    {"aten::select_scatter", "N[6,4] N[6] 1 -1"},

    {"aten::max_pool1d", "F[2,3,9] (3) (2) (1) (1) false"},
    {"aten::max_pool2d", "F[2,3,9,8] (2,2) () (0) (1) false"},
    {"aten::max_pool2d", "F[3,9,8] (3) (2) (1) (2) true"},
    {"aten::max_pool1d_with_indices", "F[2,3,9] (3) (2) (1) (1) true"},
    {"aten::max_pool2d_with_indices", "F[2,3,9,8] (3,2) (2,1) (1,1) (1) false"},
    {"aten::avg_pool1d", "F[2,3,9] (3) (2) (1) false true"},
    {"aten::avg_pool2d", "F[2,3,9,8] (3,2) (2,1) (1,1) true true none"},
    {"aten::avg_pool2d", "F[3,9,8] (2) () (0) false false none"},
    {"aten::avg_pool2d", "F[3,9,8] (3) (2) (1) false true 5"},
    {"aten::adaptive_avg_pool1d", "F[2,3,9] (4)"},
    {"aten::adaptive_avg_pool2d", "F[2,3,9,8] (1,1)"},
    {"aten::adaptive_avg_pool2d", "F[3,9,8] (4,5)"},
    {"aten::_adaptive_avg_pool2d", "F[3,9,8] (2)"},

    {"aten::mm", "N[3,5] N[5,4]"},
    {"aten::mm", "F[3,0] F[0,4]"},
    {"aten::mm", "F[1,5] F[5,1]"},
    {"aten::bmm", "N[2,3,5] N[2,5,4]"},
    {"aten::addmm", "N[4] N[3,5] N[5,4] 1 1"},
    {"aten::addmm", "F[3,4] F[3,5] F[5,4] 0.5 2"},
    {"aten::addmm", "F[3,1] F[3,5] F[5,4] 0 1"},
    {"aten::baddbmm", "F[2,3,4] F[2,3,5] F[2,5,4] 1 0.5"},
    {"aten::mv", "F[3,5] F[5]"},
    {"aten::dot", "F[5] F[5]"},
    {"aten::vdot", "F[5] F[5]"},
    {"aten::matmul", "F[2,3,5] F[5,4]"},
    {"aten::matmul", "F[2,1,3,5] F[4,5,2]"},
    {"aten::matmul", "F[5] F[2,5,4]"},
    {"aten::matmul", "F[2,3,5] F[5]"},
    {"aten::matmul", "F[5] F[5]"},
    {"aten::linalg_matmul", "F[2,3,5] F[2,5,4]"},
    {"aten::linear", "F[2,3,5] F[4,5] F[4]"},
    {"aten::linear", "F[5] F[4,5] none"},
    {"aten::conv1d", "F[2,3,9] P[4,3,3] F[4] (1) (1) (1) 1"},
    {"aten::conv2d", "F[2,3,9,8] P[4,3,3,2] F[4] (2,1) (1,0) (1,2) 1"},
    {"aten::conv2d", "F[2,4,5,5] P[6,4,1,1] none (1) (0) (1) 1"},
    {"aten::conv2d", "F[4,5,5] P[8,1,3,3] F[8] (1) (1) (1) 4"},
    {"aten::convolution", "F[2,4,7,6] P[6,2,3,3] F[6] (2) (1) (1) false (0) 2"},
    {"aten::convolution", "F[2,4,7] P[6,4,3] none (1) (1) (1) false (0) 1"},
    {"aten::_convolution",
     "F[2,4,7] P[6,4,3] none (1) (1) (1) false (0) 1 false false true true"},

#define ATTENTION "aten::scaled_dot_product_attention"
    {ATTENTION, "F[2,3,5,4] F[2,3,7,4] F[2,3,7,6] none 0.0 false none false"},
    {ATTENTION, "F[2,3,5,4] F[2,3,5,4] F[2,3,5,4] none 0.0 true none false"},
    {ATTENTION, "F[2,3,5,4] F[2,3,7,4] F[2,3,7,4] B[5,7] 0.0 false 0.5 false"},
    {ATTENTION, "F[2,3,5,4] F[2,3,7,4] F[2,3,7,4] F[2,1,5,7] 0.0 false none false"},
    {ATTENTION, "F[2,4,5,4] F[2,2,7,4] F[2,2,7,4] none 0.0 false none true"},
    {ATTENTION, "F[5,4] F[300,4] F[300,4] none 0.0 true none false"},
    {0},
};
