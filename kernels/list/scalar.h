/* Arithmetic of Python scalars: sizes, conditions. */
KERNEL("_operator.add", scalar_add, none, EXACT, NONE, "Python")
KERNEL("_operator.sub", scalar_sub, none, EXACT, NONE, "Python")
KERNEL("_operator.mul", scalar_mul, none, EXACT, NONE, "Python")
KERNEL("_operator.truediv", scalar_truediv, none, EXACT, NONE, "Python")
KERNEL("_operator.floordiv", scalar_floordiv, none, EXACT, NONE, "Python")
KERNEL("_operator.mod", scalar_mod, none, EXACT, NONE, "Python")
KERNEL("_operator.pow", scalar_pow, none, EXACT, NONE, "Python")
KERNEL("_operator.eq", scalar_eq, none, EXACT, NONE, "Python")
KERNEL("_operator.ne", scalar_ne, none, EXACT, NONE, "Python")
KERNEL("_operator.lt", scalar_lt, none, EXACT, NONE, "Python")
KERNEL("_operator.le", scalar_le, none, EXACT, NONE, "Python")
KERNEL("_operator.gt", scalar_gt, none, EXACT, NONE, "Python")
KERNEL("_operator.ge", scalar_ge, none, EXACT, NONE, "Python")
KERNEL("_operator.neg", scalar_neg, none, EXACT, NONE, "Python")
KERNEL("_operator.pos", scalar_pos, none, EXACT, NONE, "Python")
KERNEL("_operator.abs", scalar_abs, none, EXACT, NONE, "Python")
KERNEL("_operator.lshift", scalar_lshift, none, EXACT, NONE, "Python")
KERNEL("_operator.rshift", scalar_rshift, none, EXACT, NONE, "Python")
KERNEL("_operator.invert", scalar_invert, none, EXACT, NONE, "Python")
KERNEL("_operator.and_", scalar_and, none, EXACT, NONE, "Python")
KERNEL("_operator.or_", scalar_or, none, EXACT, NONE, "Python")
KERNEL("_operator.xor_", scalar_xor, none, EXACT, NONE, "Python")
KERNEL("_operator.not_", scalar_not, none, EXACT, NONE, "Python")
KERNEL("_operator.inv", scalar_invert, none, EXACT, NONE, "Python")
KERNEL("builtins.round", scalar_round, none, EXACT, NONE, "Python")
KERNEL("builtins.abs", scalar_abs, none, EXACT, NONE, "Python")
KERNEL("builtins.max", scalar_max, none, EXACT, NONE, "Python")
KERNEL("builtins.min", scalar_min, none, EXACT, NONE, "Python")
KERNEL("math.ceil", scalar_ceil, none, EXACT, NONE, "Python")
KERNEL("math.floor", scalar_floor, none, EXACT, NONE, "Python")
KERNEL("math.trunc", scalar_trunc, none, EXACT, NONE, "Python")
KERNEL("math.sqrt", scalar_sqrt, none, EXACT, NONE, "Python")
KERNEL("math.pow", scalar_pow, none, EXACT, NONE, "Python")
KERNEL("math.exp", scalar_exp, none, EXACT, NONE, "Python")
KERNEL("math.log", scalar_log, none, EXACT, NONE, "Python")
KERNEL("math.log2", scalar_log2, none, EXACT, NONE, "Python")
KERNEL("math.cos", scalar_cos, none, EXACT, NONE, "Python")
KERNEL("math.cosh", scalar_cosh, none, EXACT, NONE, "Python")
KERNEL("math.sin", scalar_sin, none, EXACT, NONE, "Python")
KERNEL("math.sinh", scalar_sinh, none, EXACT, NONE, "Python")
KERNEL("math.tan", scalar_tan, none, EXACT, NONE, "Python")
KERNEL("math.tanh", scalar_tanh, none, EXACT, NONE, "Python")
KERNEL("math.acos", scalar_acos, none, EXACT, NONE, "Python")
KERNEL("math.asin", scalar_asin, none, EXACT, NONE, "Python")
KERNEL("math.atan", scalar_atan, none, EXACT, NONE, "Python")
KERNEL("torch.sym_max", scalar_max, none, EXACT, NONE, "torch")
KERNEL("torch.sym_min", scalar_min, none, EXACT, NONE, "torch")
KERNEL("torch.sym_float", scalar_float, none, EXACT, NONE, "torch")
KERNEL("torch.sym_ite", scalar_ite, none, EXACT, NONE, "torch")
KERNEL("torch.sym_not", scalar_not, none, EXACT, NONE, "torch")
KERNEL("torch.sym_sum", scalar_sum, none, EXACT, NONE, "torch")
KERNEL("torch.sym_int", scalar_trunc, none, EXACT, NONE, "torch")
KERNEL("torch._sym_sqrt", scalar_sqrt, none, EXACT, NONE, "torch")
KERNEL("torch._sym_cos", scalar_cos, none, EXACT, NONE, "torch")
KERNEL("torch._sym_cosh", scalar_cosh, none, EXACT, NONE, "torch")
KERNEL("torch._sym_sin", scalar_sin, none, EXACT, NONE, "torch")
KERNEL("torch._sym_sinh", scalar_sinh, none, EXACT, NONE, "torch")
KERNEL("torch._sym_tan", scalar_tan, none, EXACT, NONE, "torch")
KERNEL("torch._sym_tanh", scalar_tanh, none, EXACT, NONE, "torch")
KERNEL("torch._sym_asin", scalar_asin, none, EXACT, NONE, "torch")
KERNEL("torch._sym_acos", scalar_acos, none, EXACT, NONE, "torch")
KERNEL("torch._sym_atan", scalar_atan, none, EXACT, NONE, "torch")
KERNEL("torch._sym_log2", scalar_log2, none, EXACT, NONE, "torch")
KERNEL("torch._sym_exp", scalar_exp, none, EXACT, NONE, "torch")
KERNEL("torch._sym_log", scalar_log, none, EXACT, NONE, "torch")
KERNEL("torch.sym_sqrt", scalar_sqrt, none, EXACT, NONE, "torch")

/* Of the runtime. */
KERNEL("executorch_prim::add.Scalar", scalar_add, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::sub.Scalar", scalar_sub, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::mul.Scalar", scalar_mul, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::floordiv.Scalar", scalar_floordiv, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::truediv.Scalar", scalar_truediv, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::eq.Scalar", scalar_eq, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::ge.Scalar", scalar_ge, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::gt.Scalar", scalar_gt, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::le.Scalar", scalar_le, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::lt.Scalar", scalar_lt, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::mod.Scalar", scalar_mod, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::neg.Scalar", scalar_neg, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::ceil.Scalar", scalar_ceil, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::round.Scalar", scalar_round, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::trunc.Scalar", scalar_trunc, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::floordiv.int", scalar_floordiv, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::mod.int", scalar_mod, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::sym_float.Scalar", scalar_float, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::sym_int.Scalar", scalar_trunc, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::sym_ite.Scalar", scalar_ite, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::sym_max.Scalar", scalar_max, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::sym_min.Scalar", scalar_min, none, EXACT, NONE,
       "executorch/kernels/prim_ops")
KERNEL("executorch_prim::sym_not.Scalar", scalar_not, none, EXACT, NONE,
       "executorch/kernels/prim_ops")

/* Numbers of tensors. */
KERNEL("aten::sym_size.int", sym_size, none, EXACT, NONE,
       "ATen/native/TensorProperties.cpp")
KERNEL("aten::sym_stride.int", sym_stride, none, EXACT, NONE,
       "ATen/native/TensorProperties.cpp")
KERNEL("aten::sym_numel", sym_numel, none, EXACT, NONE,
       "ATen/native/TensorProperties.cpp")
KERNEL("aten::sym_storage_offset", sym_storage_offset, none, EXACT, NONE,
       "ATen/native/TensorProperties.cpp")
KERNEL("aten::sym_is_contiguous", sym_is_contiguous, none, EXACT, NONE,
       "ATen/native/TensorProperties.cpp")
KERNEL("aten::size.int", sym_size, none, EXACT, NONE, "ATen/native/TensorProperties.cpp")
KERNEL("aten::stride.int", sym_stride, none, EXACT, NONE,
       "ATen/native/TensorProperties.cpp")
KERNEL("aten::numel", sym_numel, none, EXACT, NONE, "ATen/native/TensorProperties.cpp")
KERNEL("aten::item", item, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::_local_scalar_dense", item, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::ScalarImplicit", item, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::Int.Tensor", item_integer, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::IntImplicit", item_integer, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::Float.Tensor", item_real, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::FloatImplicit", item_real, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::Bool.Tensor", item_truth, none, EXACT, ANY, "ATen/native/Scalar.cpp")
KERNEL("aten::Int.Scalar", scalar_trunc, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")
KERNEL("aten::Int.bool", scalar_trunc, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")
KERNEL("aten::Int.float", scalar_trunc, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")
KERNEL("aten::Float.Scalar", scalar_float, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")
KERNEL("aten::Float.int", scalar_float, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")
KERNEL("aten::Float.bool", scalar_float, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")
KERNEL("aten::Bool.int", scalar_bool, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")
KERNEL("aten::Bool.float", scalar_bool, none, EXACT, NONE,
       "torch/csrc/jit/runtime/register_prim_ops.cpp")

/* Assertions. */
KERNEL("aten::_assert_scalar", assert_scalar, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::_assert_async", assert_async, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::_assert_async.msg", assert_async, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::_functional_assert_scalar", functional_assert_scalar, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::_functional_assert_async.msg", functional_assert_async, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::_assert_tensor_metadata", assert_metadata, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::sym_constrain_range", constrain_range, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::sym_constrain_range_for_size", constrain_range, none, EXACT, ANY,
       "ATen/native/TensorCompare.cpp")
KERNEL("aten::_functional_sym_constrain_range", functional_constrain_range, none, EXACT,
       ANY, "ATen/native/TensorCompare.cpp")
KERNEL("aten::_functional_sym_constrain_range_for_size", functional_constrain_range,
       none, EXACT, ANY, "ATen/native/TensorCompare.cpp")
