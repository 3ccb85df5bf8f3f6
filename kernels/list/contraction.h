/* Matrix products, convolutions, attention. */
KERNEL("aten::mm", mm, mm, CONTRACTION, NUMBER, "torch.mm", WIDENS(1),
       LINEAR(0, NOTHING))
KERNEL("aten::mm.dtype", mm, mm, CONTRACTION, FLOAT, "torch.mm", WIDENS(1))
KERNEL("aten::bmm", bmm, bmm, CONTRACTION, NUMBER, "torch.bmm", WIDENS(1),
       LINEAR(0, NOTHING))
KERNEL("aten::bmm.dtype", bmm, bmm, CONTRACTION, FLOAT, "torch.bmm", WIDENS(1))
KERNEL("aten::addmm", addmm, addmm, CONTRACTION, NUMBER, "torch.addmm", WIDENS(2),
       LINEAR(1, 3))
KERNEL("aten::addmm.dtype", addmm_dtype, none, CONTRACTION, FLOAT, "torch.addmm")
KERNEL("aten::baddbmm", baddbmm, baddbmm, CONTRACTION, NUMBER, "torch.baddbmm",
       WIDENS(2), LINEAR(1, 3))
KERNEL("aten::baddbmm.dtype", baddbmm_dtype, none, CONTRACTION, FLOAT, "torch.baddbmm")
KERNEL("aten::addbmm", addbmm, none, CONTRACTION, NUMBER, "torch.addbmm")
KERNEL("aten::addmv", addmv, none, CONTRACTION, NUMBER, "torch.addmv")
KERNEL("aten::mv", mv, mv, CONTRACTION, NUMBER, "torch.mv")
KERNEL("aten::dot", dot, dot, CONTRACTION, NUMBER, "torch.dot")
KERNEL("aten::vdot", dot, dot, CONTRACTION, NUMBER, "torch.vdot")
KERNEL("aten::addr", addr, none, REDUCTION, ANY, "torch._refs.addr")
KERNEL("aten::outer", outer, none, ROUNDED, NUMBER, "torch.outer")
KERNEL("aten::ger", outer, none, ROUNDED, NUMBER, "torch.outer")
KERNEL("aten::kron", kron, none, ROUNDED, ANY, "torch.kron")
KERNEL("aten::inner", inner, none, CONTRACTION, NUMBER, "torch.inner")
KERNEL("aten::matmul", matmul, matmul, CONTRACTION, NUMBER, "torch.matmul",
       WIDENS(1), LINEAR(0, NOTHING))
KERNEL("aten::linalg_matmul", matmul, matmul, CONTRACTION, NUMBER, "torch.matmul",
       WIDENS(1), LINEAR(0, NOTHING))
KERNEL("aten::linear", linear, linear, CONTRACTION, NUMBER,
       "torch.nn.functional.linear", WIDENS(1), LINEAR(0, 2))
KERNEL("aten::_int_mm", int_mm, none, CONTRACTION, INTEGER, "torch._int_mm")
KERNEL("aten::_scaled_mm", scaled_mm, none, CONTRACTION, FLOAT,
       "aten/src/ATen/native/Blas.cpp")
KERNEL("aten::_scaled_mm_v2", scaled_mm_recipes, none, CONTRACTION, FLOAT,
       "aten/src/ATen/native/Blas.cpp")
KERNEL("aten::_weight_int8pack_mm", weight_int8_mm, none, CONTRACTION, FLOAT,
       "aten/src/ATen/native/LinearAlgebra.cpp")
KERNEL("aten::_weight_int4pack_mm_for_cpu", weight_int4_mm, none, CONTRACTION, FLOAT,
       "aten/src/ATen/native/LinearAlgebra.cpp")
KERNEL("aten::_convert_weight_to_int4pack_for_cpu", pack_int4, none, EXACT, INTEGER,
       "aten/src/ATen/native/LinearAlgebra.cpp")
KERNEL("aten::linalg_vecdot", vecdot, none, CONTRACTION, FLOAT, "torch.linalg.vecdot")
KERNEL("aten::einsum", einsum, none, CONTRACTION, NUMBER, "torch.einsum")
KERNEL("aten::tensordot", tensordot, none, CONTRACTION, NUMBER, "torch.tensordot")
KERNEL("aten::bilinear", bilinear, none, CONTRACTION, FLOAT,
       "torch.nn.functional.bilinear")
KERNEL("aten::cross", cross_first, none, REDUCTION, NUMBER, "torch._refs.linalg.cross")
KERNEL("aten::linalg_cross", cross, none, REDUCTION, NUMBER, "torch._refs.linalg.cross")
KERNEL("aten::vander", vander, none, SCAN, NUMBER, "torch.vander")
KERNEL("aten::linalg_vander", linalg_vander, none, SCAN, NUMBER, "torch.linalg.vander")
KERNEL("aten::convolution", convolution, convolution, CONTRACTION, NUMBER,
       "torch.nn.functional.conv2d", WIDENS(1), CONVOLVES)
KERNEL("aten::_convolution", convolution, convolution, CONTRACTION, NUMBER,
       "torch.nn.functional.conv2d", WIDENS(1), CONVOLVES)
KERNEL("aten::_convolution.deprecated", convolution, convolution, CONTRACTION, NUMBER,
       "torch.nn.functional.conv2d", WIDENS(1), CONVOLVES)
KERNEL("aten::conv1d", conv1d, conv_nd, CONTRACTION, NUMBER,
       "torch.nn.functional.conv1d", WIDENS(1), CONVOLVES)
KERNEL("aten::conv2d", conv2d, conv_nd, CONTRACTION, NUMBER,
       "torch.nn.functional.conv2d", WIDENS(1), CONVOLVES)
KERNEL("aten::conv3d", conv3d, conv_nd, CONTRACTION, NUMBER,
       "torch.nn.functional.conv3d", WIDENS(1), CONVOLVES)
KERNEL("aten::conv1d.padding", conv1d_padding, conv_nd, CONTRACTION, NUMBER,
       "torch.nn.functional.conv1d", WIDENS(1), CONVOLVES)
KERNEL("aten::conv2d.padding", conv2d_padding, conv_nd, CONTRACTION, NUMBER,
       "torch.nn.functional.conv2d", WIDENS(1), CONVOLVES)
KERNEL("aten::conv3d.padding", conv3d_padding, conv_nd, CONTRACTION, NUMBER,
       "torch.nn.functional.conv3d", WIDENS(1), CONVOLVES)
KERNEL("aten::conv_transpose1d", conv_transpose1d, conv_transpose_nd, CONTRACTION,
       NUMBER, "torch.nn.functional.conv_transpose1d")
KERNEL("aten::conv_transpose2d.input", conv_transpose2d, conv_transpose_nd, CONTRACTION,
       NUMBER, "torch.nn.functional.conv_transpose2d")
KERNEL("aten::conv_transpose3d.input", conv_transpose3d, conv_transpose_nd, CONTRACTION,
       NUMBER, "torch.nn.functional.conv_transpose3d")
KERNEL("aten::scaled_dot_product_attention", attention, attention, ATTENTION, FLOAT,
       "torch.nn.functional.scaled_dot_product_attention")
KERNEL("aten::_scaled_dot_product_attention_math", attention_math, attention_math,
       ATTENTION, FLOAT, "torch.nn.functional.scaled_dot_product_attention")
KERNEL("aten::_scaled_dot_product_flash_attention_for_cpu", attention_flash,
       attention_flash, ATTENTION, FLOAT,
       "torch.nn.functional.scaled_dot_product_attention")
KERNEL("aten::convolution_backward", convolution_backward, none, CONTRACTION, FLOAT,
       "torch.autograd")
