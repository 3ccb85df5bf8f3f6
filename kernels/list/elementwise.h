/* Elementwise arithmetic, comparisons, casts. */

/* Functions of one element. */
KERNEL("aten::acos", acos, acos, FUNCTION, ANY, "torch._refs.acos")
KERNEL("aten::acosh", acosh, acosh, FUNCTION, ANY, "torch._refs.acosh")
KERNEL("aten::angle", angle, none, FUNCTION, ANY, "torch.angle")
KERNEL("aten::asin", asin, asin, FUNCTION, ANY, "torch._refs.asin")
KERNEL("aten::asinh", asinh, asinh, FUNCTION, ANY, "torch._refs.asinh")
KERNEL("aten::atan", atan, atan, FUNCTION, ANY, "torch._refs.atan")
KERNEL("aten::atanh", atanh, atanh, FUNCTION, ANY, "torch._refs.atanh")
KERNEL("aten::cos", cos, cos, POWER, ANY, "torch._refs.cos")
KERNEL("aten::cosh", cosh, cosh, FUNCTION, ANY, "torch._refs.cosh")
KERNEL("aten::erf", erf, erf, FUNCTION, ANY, "torch._refs.erf")
KERNEL("aten::erfc", erfc, erfc, FUNCTION, ANY, "torch._refs.erfc")
KERNEL("aten::erfinv", erfinv, none, POWER, ANY, "torch._refs.erfinv")
KERNEL("aten::exp", exp, exp, FUNCTION, ANY, "torch._refs.exp")
KERNEL("aten::exp2", exp2, exp2, FUNCTION, ANY, "torch._refs.exp2")
KERNEL("aten::expm1", expm1, expm1, FUNCTION, ANY, "torch._refs.expm1")
KERNEL("aten::lgamma", lgamma, lgamma, POWER, ANY, "torch._refs.lgamma")
KERNEL("aten::digamma", digamma, none, POWER, ANY, "torch._refs.digamma")
KERNEL("aten::log", log, log, FUNCTION, ANY, "torch._refs.log")
KERNEL("aten::log10", log10, log10, FUNCTION, ANY, "torch._refs.log10")
KERNEL("aten::log1p", log1p, log1p, FUNCTION, ANY, "torch._refs.log1p")
KERNEL("aten::log2", log2, log2, FUNCTION, ANY, "torch._refs.log2")
KERNEL("aten::reciprocal", reciprocal, reciprocal, FUNCTION, ANY,
       "torch._refs.reciprocal")
KERNEL("aten::rsqrt", rsqrt, rsqrt, FUNCTION, ANY, "torch._refs.rsqrt")
KERNEL("aten::sigmoid", sigmoid, sigmoid, FUNCTION, ANY, "torch._refs.sigmoid")
KERNEL("aten::sin", sin, sin, POWER, ANY, "torch._refs.sin")
KERNEL("aten::sinc", sinc, none, POWER, ANY, "torch._refs.sinc")
KERNEL("aten::sinh", sinh, sinh, FUNCTION, ANY, "torch._refs.sinh")
KERNEL("aten::sqrt", sqrt, sqrt, FUNCTION, ANY, "torch._refs.sqrt")
KERNEL("aten::tan", tan, tan, POWER, ANY, "torch._refs.tan")
KERNEL("aten::tanh", tanh, tanh, FUNCTION, ANY, "torch._refs.tanh")
KERNEL("aten::arccos", acos, acos, FUNCTION, ANY, "torch._refs.acos")
KERNEL("aten::arccosh", acosh, acosh, FUNCTION, ANY, "torch._refs.acosh")
KERNEL("aten::arcsin", asin, asin, FUNCTION, ANY, "torch._refs.asin")
KERNEL("aten::arcsinh", asinh, asinh, FUNCTION, ANY, "torch._refs.asinh")
KERNEL("aten::arctan", atan, atan, FUNCTION, ANY, "torch._refs.atan")
KERNEL("aten::arctanh", atanh, atanh, FUNCTION, ANY, "torch._refs.atanh")
KERNEL("aten::special_expit", sigmoid, sigmoid, FUNCTION, ANY, "torch._refs.sigmoid")
KERNEL("aten::special_erf", erf, erf, FUNCTION, ANY, "torch._refs.erf")
KERNEL("aten::special_erfc", erfc, erfc, FUNCTION, ANY, "torch._refs.erfc")
KERNEL("aten::special_erfinv", erfinv, none, POWER, ANY, "torch._refs.erfinv")
KERNEL("aten::special_exp2", exp2, exp2, FUNCTION, ANY, "torch._refs.exp2")
KERNEL("aten::special_expm1", expm1, expm1, FUNCTION, ANY, "torch._refs.expm1")
KERNEL("aten::special_log1p", log1p, log1p, FUNCTION, ANY, "torch._refs.log1p")
KERNEL("aten::special_sinc", sinc, none, POWER, ANY, "torch._refs.sinc")
KERNEL("aten::special_gammaln", lgamma, lgamma, POWER, ANY, "torch._refs.lgamma")
KERNEL("aten::special_digamma", digamma, none, POWER, ANY, "torch._refs.digamma")
KERNEL("aten::special_psi", digamma, none, POWER, ANY, "torch._refs.digamma")
KERNEL("aten::abs", abs, abs, EXACT, ANY, "torch._refs.abs")
KERNEL("aten::ceil", ceil, ceil, EXACT, ANY, "torch._refs.ceil")
KERNEL("aten::floor", floor, floor, EXACT, ANY, "torch._refs.floor")
KERNEL("aten::neg", neg, neg, EXACT, ANY, "torch._refs.neg")
KERNEL("aten::relu", relu, relu, EXACT, ANY, "torch._refs.relu")
KERNEL("aten::sign", sign, sign, EXACT, ANY, "torch._refs.sign")
KERNEL("aten::square", square, square, ROUNDED, ANY, "torch._refs.square")
KERNEL("aten::trunc", trunc, trunc, EXACT, ANY, "torch._refs.trunc")
KERNEL("aten::absolute", abs, abs, EXACT, ANY, "torch._refs.absolute")
KERNEL("aten::negative", neg, neg, EXACT, ANY, "torch._refs.negative")
KERNEL("aten::positive", pass, pass, EXACT, ANY, "torch._refs.positive")
KERNEL("aten::fix", trunc, trunc, EXACT, ANY, "torch._refs.fix")
KERNEL("aten::sgn", sign, sign, EXACT, ANY, "torch._refs.sgn")
KERNEL("aten::frac", frac, frac, EXACT, FLOAT, "torch._refs.frac")
KERNEL("aten::round", round, round, EXACT, NUMBER, "torch._refs.round")
KERNEL("aten::round.decimals", round_decimals, none, ROUNDED, NUMBER,
       "aten/src/ATen/native/cpu/UnaryOpsKernel.cpp")
KERNEL("aten::special_round", round, round, EXACT, NUMBER, "torch._refs.round")
KERNEL("aten::nan_to_num", nan_to_num, nan_to_num, EXACT, ANY, "torch._refs.nan_to_num")
KERNEL("aten::isfinite", isfinite, isfinite, EXACT, ANY, "torch._refs.isfinite")
KERNEL("aten::isinf", isinf, isinf, EXACT, ANY, "torch._refs.isinf")
KERNEL("aten::isnan", isnan, isnan, EXACT, ANY, "torch._refs.isnan")
KERNEL("aten::isneginf", isneginf, isneginf, EXACT, ANY, "torch._refs.isneginf")
KERNEL("aten::isposinf", isposinf, isposinf, EXACT, ANY, "torch._refs.isposinf")
KERNEL("aten::logical_not", logical_not, logical_not, EXACT, ANY,
       "torch._refs.logical_not")
KERNEL("aten::signbit", signbit, signbit, EXACT, ANY, "torch._refs.signbit")

KERNEL("aten::isreal", isreal, none, EXACT, ANY, "torch.isreal")
KERNEL("aten::deg2rad", deg2rad, none, ROUNDED, ANY, "torch._refs.deg2rad")
KERNEL("aten::rad2deg", rad2deg, none, ROUNDED, ANY, "torch._refs.rad2deg")

/* Activation functions. */
KERNEL("aten::celu", celu, celu, FUNCTION, FLOAT, "torch._refs.nn.functional.celu")
KERNEL("aten::elu", elu, elu, FUNCTION, FLOAT, "torch._decomp.decompositions.elu")
KERNEL("aten::gelu", gelu, gelu, DIFFERENCE, FLOAT, "torch._refs.nn.functional.gelu")
KERNEL("aten::hardsigmoid", hardsigmoid, hardsigmoid, FUNCTION, FLOAT,
       "torch._decomp.decompositions.hardsigmoid")
KERNEL("aten::hardswish", hardswish, hardswish, FUNCTION, FLOAT,
       "torch._decomp.decompositions.hardswish")
KERNEL("aten::leaky_relu", leaky_relu, leaky_relu, FUNCTION, FLOAT,
       "torch._refs.nn.functional.leaky_relu")
KERNEL("aten::rrelu", rrelu, none, FUNCTION, FLOAT, "torch.nn.functional.rrelu")
KERNEL("aten::rrelu_with_noise", rrelu_with_noise, none, FUNCTION, FLOAT,
       "torch._decomp.decompositions.rrelu_with_noise")
KERNEL("aten::rrelu_with_noise_functional", rrelu_with_noise, none, FUNCTION, FLOAT,
       "torch._decomp.decompositions.rrelu_with_noise")
KERNEL("aten::mish", mish, mish, FUNCTION, FLOAT, "torch._refs.nn.functional.mish")
KERNEL("aten::selu", selu, selu, FUNCTION, FLOAT, "torch._refs.nn.functional.selu")
KERNEL("aten::silu", silu, silu, FUNCTION, FLOAT, "torch._decomp.decompositions.silu")
KERNEL("aten::softplus", softplus, softplus, FUNCTION, FLOAT,
       "torch._refs.nn.functional.softplus")
KERNEL("aten::hardshrink", hardshrink, hardshrink, EXACT, FLOAT,
       "torch._refs.nn.functional.hardshrink")
KERNEL("aten::softshrink", softshrink, softshrink, ROUNDED, FLOAT,
       "torch._refs.nn.functional.softshrink")
KERNEL("aten::glu", glu, glu, FUNCTION, FLOAT, "torch._refs.nn.functional.glu")
KERNEL("aten::log_sigmoid", log_sigmoid, log_sigmoid, FUNCTION, FLOAT,
       "torch._decomp.decompositions.log_sigmoid_forward")
KERNEL("aten::log_sigmoid_forward", log_sigmoid_forward, log_sigmoid_forward, FUNCTION,
       FLOAT, "torch._decomp.decompositions.log_sigmoid_forward")
KERNEL("aten::logit", logit, logit, FUNCTION, ANY, "torch._refs.logit")
KERNEL("aten::special_logit", logit, logit, FUNCTION, ANY, "torch._refs.logit")
KERNEL("aten::prelu", prelu, prelu, ROUNDED, FLOAT, "torch._refs.nn.functional.prelu")
KERNEL("aten::_prelu_kernel", prelu_kernel, prelu_kernel, ROUNDED, FLOAT,
       "torch._refs.nn.functional.prelu")

/* Arithmetic. */
KERNEL("aten::add.Tensor", add, add, ROUNDED, ANY, "torch._refs.add")
KERNEL("aten::add.Scalar", add, add, ROUNDED, ANY, "torch._refs.add")
KERNEL("aten::sub.Tensor", sub, sub, ROUNDED, ANY, "torch._refs.sub")
KERNEL("aten::diff", diff, none, ROUNDED, ANY, "torch._refs.diff")
KERNEL("aten::sub.Scalar", sub, sub, ROUNDED, ANY, "torch._refs.sub")
KERNEL("aten::mul.Tensor", mul, mul, ROUNDED, ANY, "torch._refs.mul")
KERNEL("aten::mul.Scalar", mul, mul, ROUNDED, ANY, "torch._refs.mul")
KERNEL("aten::div.Tensor", div, div, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::div.Scalar", div, div, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::subtract.Tensor", sub, sub, ROUNDED, ANY, "torch._refs.sub")
KERNEL("aten::subtract.Scalar", sub, sub, ROUNDED, ANY, "torch._refs.sub")
KERNEL("aten::multiply.Tensor", mul, mul, ROUNDED, ANY, "torch._refs.mul")
KERNEL("aten::multiply.Scalar", mul, mul, ROUNDED, ANY, "torch._refs.mul")
KERNEL("aten::divide.Tensor", div, div, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::divide.Scalar", div, div, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::true_divide.Tensor", div, div, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::true_divide.Scalar", div, div, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::div.Tensor_mode", div_mode, div_mode, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::div.Scalar_mode", div_mode, div_mode, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::divide.Tensor_mode", div_mode, div_mode, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::divide.Scalar_mode", div_mode, div_mode, FUNCTION, ANY, "torch._refs.div")
KERNEL("aten::rsub.Tensor", rsub, rsub, ROUNDED, NUMBER, "torch._refs.rsub")
KERNEL("aten::rsub.Scalar", rsub, rsub, ROUNDED, NUMBER, "torch._refs.rsub")
KERNEL("aten::floor_divide", floor_divide, floor_divide, ROUNDED, ANY,
       "torch._refs.floor_divide")
KERNEL("aten::floor_divide.Scalar", floor_divide, floor_divide, ROUNDED, ANY,
       "torch._refs.floor_divide")
KERNEL("aten::fmod.Tensor", fmod, fmod, ROUNDED, NUMBER, "torch._refs.fmod")
KERNEL("aten::fmod.Scalar", fmod, fmod, ROUNDED, NUMBER, "torch._refs.fmod")
KERNEL("aten::remainder.Tensor", remainder, remainder, ROUNDED, NUMBER,
       "torch._refs.remainder")
KERNEL("aten::remainder.Scalar", remainder, remainder, ROUNDED, NUMBER,
       "torch._refs.remainder")
KERNEL("aten::remainder.Scalar_Tensor", remainder, remainder, ROUNDED, NUMBER,
       "torch._refs.remainder")
KERNEL("aten::pow.Tensor_Tensor", pow, pow, POWER, ANY, "torch._refs.pow")
KERNEL("aten::pow.Tensor_Scalar", pow_number, pow, POWER, ANY, "torch._refs.pow")
KERNEL("aten::pow.Scalar", pow, pow, POWER, ANY, "torch._refs.pow")
KERNEL("aten::float_power.Tensor_Tensor", float_power, float_power, POWER, ANY,
       "torch._refs.float_power")
KERNEL("aten::float_power.Tensor_Scalar", float_power, float_power, POWER, ANY,
       "torch._refs.float_power")
KERNEL("aten::float_power.Scalar", float_power, float_power, POWER, ANY,
       "torch._refs.float_power")
KERNEL("aten::maximum", maximum, maximum, EXACT, ANY, "torch._refs.maximum")
KERNEL("aten::minimum", minimum, minimum, EXACT, ANY, "torch._refs.minimum")
KERNEL("aten::fmax", fmax, fmax, EXACT, ANY, "torch._refs.fmax")
KERNEL("aten::fmin", fmin, fmin, EXACT, ANY, "torch._refs.fmin")
KERNEL("aten::heaviside", heaviside, heaviside, EXACT, ANY, "torch._refs.heaviside")
KERNEL("aten::max.other", maximum, maximum, EXACT, ANY, "torch._refs.maximum")
KERNEL("aten::min.other", minimum, minimum, EXACT, ANY, "torch._refs.minimum")
KERNEL("aten::atan2", atan2, atan2, FUNCTION, ANY, "torch._refs.atan2")
KERNEL("aten::hypot", hypot, hypot, FUNCTION, ANY, "torch._refs.hypot")
KERNEL("aten::logaddexp", logaddexp, logaddexp, FUNCTION, ANY, "torch._refs.logaddexp")
KERNEL("aten::logaddexp2", logaddexp2, logaddexp2, FUNCTION, ANY,
       "torch._refs.logaddexp2")
KERNEL("aten::arctan2", atan2, atan2, FUNCTION, ANY, "torch._refs.atan2")
KERNEL("aten::copysign.Tensor", copysign, copysign, EXACT, ANY, "torch._refs.copysign")
KERNEL("aten::copysign.Scalar", copysign, copysign, EXACT, ANY, "torch._refs.copysign")
KERNEL("aten::xlogy.Tensor", xlogy, xlogy, FUNCTION, ANY, "torch._refs.xlogy")
KERNEL("aten::xlogy.Scalar_Self", xlogy, xlogy, FUNCTION, ANY, "torch._refs.xlogy")
KERNEL("aten::xlogy.Scalar_Other", xlogy, xlogy, FUNCTION, ANY, "torch._refs.xlogy")
KERNEL("aten::special_xlogy", xlogy, xlogy, FUNCTION, ANY, "torch._refs.xlogy")
KERNEL("aten::special_xlog1py", xlog1py, xlog1py, FUNCTION, ANY,
       "torch._refs.special.xlog1py")
KERNEL("aten::special_xlogy.other_scalar", xlogy, xlogy, FUNCTION, ANY,
       "torch._refs.xlogy")
KERNEL("aten::special_xlog1py.other_scalar", xlog1py, xlog1py, FUNCTION, ANY,
       "torch._refs.special.xlog1py")
KERNEL("aten::special_xlogy.self_scalar", xlogy, xlogy, FUNCTION, ANY,
       "torch._refs.xlogy")
KERNEL("aten::special_xlog1py.self_scalar", xlog1py, xlog1py, FUNCTION, ANY,
       "torch._refs.special.xlog1py")
KERNEL("aten::addcmul", addcmul, addcmul, FUNCTION, NUMBER, "torch._refs.addcmul")
KERNEL("aten::addcdiv", addcdiv, addcdiv, FUNCTION, FLOAT, "torch._refs.addcdiv")
KERNEL("aten::lerp.Scalar", lerp, lerp, FUNCTION, FLOAT, "torch._refs.lerp")
KERNEL("aten::lerp.Tensor", lerp, lerp, FUNCTION, FLOAT, "torch._refs.lerp")

/* Bounds and choices. */
KERNEL("aten::clamp", clamp, clamp, EXACT, ANY, "torch._refs.clamp")
KERNEL("aten::clamp.Tensor", clamp, clamp, EXACT, ANY, "torch._refs.clamp")
KERNEL("aten::clamp_min", clamp_min, clamp, EXACT, ANY, "torch._refs.clamp_min")
KERNEL("aten::clamp_min.Tensor", clamp_min, clamp, EXACT, ANY, "torch._refs.clamp_min")
KERNEL("aten::clamp_max", clamp_max, clamp_max, EXACT, ANY, "torch._refs.clamp_max")
KERNEL("aten::clamp_max.Tensor", clamp_max, clamp_max, EXACT, ANY,
       "torch._refs.clamp_max")
KERNEL("aten::clip", clamp, clamp, EXACT, ANY, "torch._refs.clamp")
KERNEL("aten::clip.Tensor", clamp, clamp, EXACT, ANY, "torch._refs.clamp")
KERNEL("aten::hardtanh", hardtanh, clamp, EXACT, NUMBER,
       "torch._refs.nn.functional.hardtanh")
KERNEL("aten::relu6", relu6, relu6, EXACT, NUMBER, "torch._refs.nn.functional.relu6")
KERNEL("aten::threshold", threshold, threshold, EXACT, NUMBER,
       "torch._refs.nn.functional.threshold")
KERNEL("aten::where.self", where, where, EXACT, ANY, "torch._refs.where")
KERNEL("aten::where.ScalarSelf", where, where, EXACT, ANY, "torch._refs.where")
KERNEL("aten::where.ScalarOther", where, where, EXACT, ANY, "torch._refs.where")
KERNEL("aten::where.Scalar", where, where, EXACT, ANY, "torch._refs.where")
KERNEL("aten::masked_fill.Scalar", masked_fill, masked_fill, EXACT, ANY,
       "torch._refs.masked_fill")
KERNEL("aten::masked_fill.Tensor", masked_fill, masked_fill, EXACT, ANY,
       "torch._refs.masked_fill")

/* Comparisons, logic, bits. */
KERNEL("aten::eq.Tensor", eq, eq, EXACT, ANY, "torch._refs.eq")
KERNEL("aten::eq.Scalar", eq, eq, EXACT, ANY, "torch._refs.eq")
KERNEL("aten::ge.Tensor", ge, ge, EXACT, ANY, "torch._refs.ge")
KERNEL("aten::ge.Scalar", ge, ge, EXACT, ANY, "torch._refs.ge")
KERNEL("aten::gt.Tensor", gt, gt, EXACT, ANY, "torch._refs.gt")
KERNEL("aten::gt.Scalar", gt, gt, EXACT, ANY, "torch._refs.gt")
KERNEL("aten::le.Tensor", le, le, EXACT, ANY, "torch._refs.le")
KERNEL("aten::le.Scalar", le, le, EXACT, ANY, "torch._refs.le")
KERNEL("aten::lt.Tensor", lt, lt, EXACT, ANY, "torch._refs.lt")
KERNEL("aten::lt.Scalar", lt, lt, EXACT, ANY, "torch._refs.lt")
KERNEL("aten::ne.Tensor", ne, ne, EXACT, ANY, "torch._refs.ne")
KERNEL("aten::ne.Scalar", ne, ne, EXACT, ANY, "torch._refs.ne")
KERNEL("aten::greater.Tensor", gt, gt, EXACT, ANY, "torch._refs.gt")
KERNEL("aten::greater.Scalar", gt, gt, EXACT, ANY, "torch._refs.gt")
KERNEL("aten::greater_equal.Tensor", ge, ge, EXACT, ANY, "torch._refs.ge")
KERNEL("aten::greater_equal.Scalar", ge, ge, EXACT, ANY, "torch._refs.ge")
KERNEL("aten::less.Tensor", lt, lt, EXACT, ANY, "torch._refs.lt")
KERNEL("aten::less.Scalar", lt, lt, EXACT, ANY, "torch._refs.lt")
KERNEL("aten::less_equal.Tensor", le, le, EXACT, ANY, "torch._refs.le")
KERNEL("aten::less_equal.Scalar", le, le, EXACT, ANY, "torch._refs.le")
KERNEL("aten::not_equal.Tensor", ne, ne, EXACT, ANY, "torch._refs.ne")
KERNEL("aten::not_equal.Scalar", ne, ne, EXACT, ANY, "torch._refs.ne")
KERNEL("aten::logical_and", logical_and, logical_and, EXACT, ANY,
       "torch._refs.logical_and")
KERNEL("aten::logical_or", logical_or, logical_or, EXACT, ANY, "torch._refs.logical_or")
KERNEL("aten::logical_xor", logical_xor, logical_xor, EXACT, ANY,
       "torch._refs.logical_xor")
KERNEL("aten::isclose", isclose, isclose, EXACT, ANY, "torch._refs.isclose")
KERNEL("aten::bitwise_and.Tensor", bitwise_and, bitwise_and, EXACT, ANY,
       "torch._refs.bitwise_and")
KERNEL("aten::bitwise_and.Scalar", bitwise_and, bitwise_and, EXACT, ANY,
       "torch._refs.bitwise_and")
KERNEL("aten::bitwise_and.Scalar_Tensor", bitwise_and, bitwise_and, EXACT, ANY,
       "torch._refs.bitwise_and")
KERNEL("aten::__and__.Tensor", bitwise_and, bitwise_and, EXACT, ANY,
       "torch._refs.bitwise_and")
KERNEL("aten::__and__.Scalar", bitwise_and, bitwise_and, EXACT, ANY,
       "torch._refs.bitwise_and")
KERNEL("aten::bitwise_or.Tensor", bitwise_or, bitwise_or, EXACT, ANY,
       "torch._refs.bitwise_or")
KERNEL("aten::bitwise_or.Scalar", bitwise_or, bitwise_or, EXACT, ANY,
       "torch._refs.bitwise_or")
KERNEL("aten::bitwise_or.Scalar_Tensor", bitwise_or, bitwise_or, EXACT, ANY,
       "torch._refs.bitwise_or")
KERNEL("aten::__or__.Tensor", bitwise_or, bitwise_or, EXACT, ANY,
       "torch._refs.bitwise_or")
KERNEL("aten::__or__.Scalar", bitwise_or, bitwise_or, EXACT, ANY,
       "torch._refs.bitwise_or")
KERNEL("aten::bitwise_xor.Tensor", bitwise_xor, bitwise_xor, EXACT, ANY,
       "torch._refs.bitwise_xor")
KERNEL("aten::bitwise_xor.Scalar", bitwise_xor, bitwise_xor, EXACT, ANY,
       "torch._refs.bitwise_xor")
KERNEL("aten::bitwise_xor.Scalar_Tensor", bitwise_xor, bitwise_xor, EXACT, ANY,
       "torch._refs.bitwise_xor")
KERNEL("aten::__xor__.Tensor", bitwise_xor, bitwise_xor, EXACT, ANY,
       "torch._refs.bitwise_xor")
KERNEL("aten::__xor__.Scalar", bitwise_xor, bitwise_xor, EXACT, ANY,
       "torch._refs.bitwise_xor")
KERNEL("aten::bitwise_left_shift.Tensor", shift_left, shift_left, EXACT, INTEGER,
       "torch._refs.bitwise_left_shift")
KERNEL("aten::bitwise_left_shift.Tensor_Scalar", shift_left, shift_left, EXACT, INTEGER,
       "torch._refs.bitwise_left_shift")
KERNEL("aten::bitwise_left_shift.Scalar_Tensor", shift_left, shift_left, EXACT, INTEGER,
       "torch._refs.bitwise_left_shift")
KERNEL("aten::__lshift__.Tensor", shift_left, shift_left, EXACT, INTEGER,
       "torch._refs.bitwise_left_shift")
KERNEL("aten::__lshift__.Scalar", shift_left, shift_left, EXACT, INTEGER,
       "torch._refs.bitwise_left_shift")
KERNEL("aten::bitwise_right_shift.Tensor", shift_right, shift_right, EXACT, INTEGER,
       "torch._refs.bitwise_right_shift")
KERNEL("aten::bitwise_right_shift.Tensor_Scalar", shift_right, shift_right, EXACT,
       INTEGER, "torch._refs.bitwise_right_shift")
KERNEL("aten::bitwise_right_shift.Scalar_Tensor", shift_right, shift_right, EXACT,
       INTEGER, "torch._refs.bitwise_right_shift")
KERNEL("aten::__rshift__.Tensor", shift_right, shift_right, EXACT, INTEGER,
       "torch._refs.bitwise_right_shift")
KERNEL("aten::__rshift__.Scalar", shift_right, shift_right, EXACT, INTEGER,
       "torch._refs.bitwise_right_shift")
KERNEL("aten::gcd", gcd, none, EXACT, INTEGER, "torch._refs.gcd")
KERNEL("aten::lcm", lcm, none, EXACT, INTEGER, "torch._refs.lcm")
KERNEL("aten::bitwise_not", bitwise_not, bitwise_not, EXACT, ANY,
       "torch._refs.bitwise_not")

/* Copies and casts. */
KERNEL("aten::_to_copy", to_copy, to, ROUNDED, ANY,
       "torch._decomp.decompositions._to_copy")
KERNEL("aten::to.dtype", to, to, ROUNDED, ANY, "torch._refs.to", KEEPS)
KERNEL("aten::to.dtype_layout", to, to, ROUNDED, ANY, "torch._refs.to", KEEPS)
KERNEL("aten::to.device", to, to, ROUNDED, ANY, "torch._refs.to", KEEPS)
KERNEL("aten::to.other", type_as, to, ROUNDED, ANY, "torch._refs.to", KEEPS)
KERNEL("aten::type_as", type_as, to, ROUNDED, ANY, "torch._refs.type_as", KEEPS)
KERNEL("aten::clone", clone, clone, EXACT, ANY, "torch._refs.clone")
KERNEL("aten::lift_fresh_copy", clone, clone, EXACT, ANY, "torch._refs.clone")
KERNEL("aten::contiguous", contiguous, clone, EXACT, ANY, "torch._refs.contiguous")
KERNEL("aten::copy", copy, copy, ROUNDED, ANY, "torch._decomp.decompositions.copy")
KERNEL("dim_order_ops::_to_dim_order_copy", to_copy, to, ROUNDED, ANY,
       "executorch/exir/passes/dim_order_ops_registry.py")
KERNEL("dim_order_ops::_clone_dim_order", clone, clone, EXACT, ANY,
       "executorch/exir/passes/dim_order_ops_registry.py")
KERNEL("et_copy::_h2d_copy", clone, clone, EXACT, ANY,
       "executorch/exir/passes/_device_copy_ops_registry.py")
KERNEL("et_copy::_d2h_copy", clone, clone, EXACT, ANY,
       "executorch/exir/passes/_device_copy_ops_registry.py")
KERNEL("quantized_decomposed::convert_element_type.no_fuse", to, to, ROUNDED, ANY,
       "torch.ao.quantization.fx._decomposed", KEEPS)
KERNEL("aten::dropout", dropout, dropout, EXACT, ANY,
       "torch._refs.nn.functional.dropout")
KERNEL("aten::feature_dropout", dropout, dropout, EXACT, ANY,
       "torch._refs.nn.functional.dropout")
KERNEL("aten::alpha_dropout", dropout, dropout, EXACT, ANY,
       "torch._refs.nn.functional.dropout")
KERNEL("aten::feature_alpha_dropout", dropout, dropout, EXACT, ANY,
       "torch._refs.nn.functional.dropout")
KERNEL("aten::native_dropout_backward", native_dropout_backward, none, FUNCTION, FLOAT,
       "torch._decomp.decompositions.native_dropout_backward")
KERNEL("aten::native_dropout", native_dropout, none, EXACT, FLOAT,
       "torch._decomp.decompositions.native_dropout")
