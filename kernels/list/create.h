/* Tensors from nothing: full, arange, zeros_like. */
KERNEL("aten::full", full, full, EXACT, ANY, "torch._refs.full")
KERNEL("aten::full_like", full_like, full_like, EXACT, ANY, "torch._refs.full_like")
KERNEL("aten::new_full", new_full, new_full, EXACT, ANY, "torch._refs.new_full")
KERNEL("aten::ones", ones, ones, EXACT, ANY, "torch._refs.ones")
KERNEL("aten::ones_like", ones_like, ones_like, EXACT, ANY, "torch._refs.ones_like")
KERNEL("aten::new_ones", new_ones, new_ones, EXACT, ANY, "torch._refs.new_ones")
KERNEL("aten::zeros", zeros, zeros, EXACT, ANY, "torch._refs.zeros")
KERNEL("aten::zeros_like", zeros_like, zeros_like, EXACT, ANY, "torch._refs.zeros_like")
KERNEL("aten::new_zeros", new_zeros, new_zeros, EXACT, ANY, "torch._refs.new_zeros")
KERNEL("aten::zero", zeros_like, zeros_like, EXACT, ANY, "torch._refs.zero")
KERNEL("aten::scalar_tensor", scalar_tensor, scalar_tensor, EXACT, ANY,
       "torch._refs.scalar_tensor")
KERNEL("aten::fill.Scalar", fill, fill, EXACT, ANY, "torch._refs.fill")
KERNEL("aten::fill.Tensor", fill, fill, EXACT, ANY, "torch._refs.fill")

/* Whose elements torch leaves unset: zeros. */
KERNEL("aten::empty.memory_format", zeros, zeros, EXACT, ANY, "torch._refs.empty")
KERNEL("aten::empty_like", zeros_like, zeros_like, EXACT, ANY, "torch._refs.empty_like")
KERNEL("aten::empty_strided", zeros, zeros, EXACT, ANY, "torch._refs.empty_strided")
KERNEL("aten::empty_permuted", zeros, zeros, EXACT, ANY, "torch._refs.empty_permuted")
KERNEL("aten::new_empty", new_zeros, new_zeros, EXACT, ANY, "torch._refs.new_empty")
KERNEL("aten::new_empty_strided", new_zeros, new_zeros, EXACT, ANY,
       "torch._refs.new_empty_strided")
KERNEL("dim_order_ops::_empty_dim_order", zeros, zeros, EXACT, ANY,
       "executorch/exir/passes/dim_order_ops_registry.py")

/* Random numbers: never computed. */
KERNEL("aten::rand", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::randn", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::rand_like", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::randn_like", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::randint", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::randint.low", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::randint_like", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::randint_like.low_dtype", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::randperm", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::normal_functional", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::bernoulli", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::bernoulli.p", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::multinomial", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::uniform", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")
KERNEL("aten::exponential", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::cauchy", random, none, RANDOM, ANY, "ATen/native/Distributions.cpp")
KERNEL("aten::geometric", random, none, RANDOM, ANY, "ATen/native/Distributions.cpp")
KERNEL("aten::log_normal", random, none, RANDOM, ANY, "ATen/native/Distributions.cpp")
KERNEL("aten::random", random, none, RANDOM, ANY, "ATen/native/Distributions.cpp")
KERNEL("aten::random.from", random, none, RANDOM, ANY, "ATen/native/Distributions.cpp")
KERNEL("aten::random.to", random, none, RANDOM, ANY, "ATen/native/Distributions.cpp")
KERNEL("aten::normal_", random, none, RANDOM, ANY, "ATen/native/Distributions.cpp")
KERNEL("aten::normal.float_float", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::normal.Tensor_float", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::normal.Tensor_Tensor", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::normal.float_Tensor", random, none, RANDOM, ANY,
       "ATen/native/TensorFactories.cpp")
KERNEL("aten::poisson", random, none, RANDOM, ANY, "ATen/native/TensorFactories.cpp")

/* Ranges and grids. */
KERNEL("aten::arange", arange, arange, FUNCTION, NUMBER, "torch._refs.arange")
KERNEL("aten::arange.start", arange_start, arange_start, FUNCTION, NUMBER,
       "torch._refs.arange")
KERNEL("aten::arange.start_step", arange_step, arange_step, FUNCTION, NUMBER,
       "torch._refs.arange")
KERNEL("aten::linspace", linspace, none, FUNCTION, NUMBER, "torch._refs.linspace")
KERNEL("aten::linspace.Tensor_Tensor", linspace, none, FUNCTION, NUMBER,
       "torch._refs.linspace")
KERNEL("aten::linspace.Tensor_Scalar", linspace, none, FUNCTION, NUMBER,
       "torch._refs.linspace")
KERNEL("aten::linspace.Scalar_Tensor", linspace, none, FUNCTION, NUMBER,
       "torch._refs.linspace")
KERNEL("aten::logspace", logspace, none, FUNCTION, NUMBER, "torch._refs.logspace")
KERNEL("aten::logspace.Tensor_Tensor", logspace, none, FUNCTION, NUMBER,
       "torch._refs.logspace")
KERNEL("aten::logspace.Tensor_Scalar", logspace, none, FUNCTION, NUMBER,
       "torch._refs.logspace")
KERNEL("aten::logspace.Scalar_Tensor", logspace, none, FUNCTION, NUMBER,
       "torch._refs.logspace")
KERNEL("aten::eye", eye, none, EXACT, ANY, "torch._refs.eye")
KERNEL("aten::eye.m", eye_m, none, EXACT, ANY, "torch._refs.eye")
KERNEL("aten::tril", tril, tril, EXACT, ANY, "torch._refs.tril")
KERNEL("aten::triu", triu, triu, EXACT, ANY, "torch._refs.triu")
KERNEL("aten::tril_indices", tril_indices, none, EXACT, INTEGER,
       "torch._refs.tril_indices")
KERNEL("aten::triu_indices", triu_indices, none, EXACT, INTEGER,
       "torch._refs.triu_indices")
KERNEL("aten::one_hot", one_hot, none, EXACT, INTEGER, "ATen/native/Onehot.cpp")
VIEW("aten::meshgrid", meshgrid, "torch._refs.meshgrid")
VIEW("aten::meshgrid.indexing", meshgrid, "torch._refs.meshgrid")

KERNEL("aten::bartlett_window", bartlett_window, none, REDUCTION, FLOAT,
       "torch.bartlett_window")
KERNEL("aten::bartlett_window.periodic", bartlett_window, none, REDUCTION, FLOAT,
       "torch.bartlett_window")
KERNEL("aten::blackman_window", blackman_window, none, REDUCTION, FLOAT,
       "torch.blackman_window")
KERNEL("aten::blackman_window.periodic", blackman_window, none, REDUCTION, FLOAT,
       "torch.blackman_window")
KERNEL("aten::hann_window", hann_window, none, REDUCTION, FLOAT, "torch.hann_window")
KERNEL("aten::hann_window.periodic", hann_window, none, REDUCTION, FLOAT,
       "torch.hann_window")
KERNEL("aten::hamming_window", hamming_window, none, REDUCTION, FLOAT,
       "torch.hamming_window")
KERNEL("aten::hamming_window.periodic", hamming_window, none, REDUCTION, FLOAT,
       "torch.hamming_window")
KERNEL("aten::hamming_window.periodic_alpha", hamming_window_alpha, none, REDUCTION,
       FLOAT, "torch.hamming_window")
KERNEL("aten::hamming_window.periodic_alpha_beta", hamming_window_alpha_beta, none,
       REDUCTION, FLOAT, "torch.hamming_window")
KERNEL("aten::kaiser_window", kaiser_window, none, POWER, FLOAT,
       "torch.kaiser_window")
KERNEL("aten::kaiser_window.periodic", kaiser_window, none, POWER, FLOAT,
       "torch.kaiser_window")
KERNEL("aten::kaiser_window.beta", kaiser_window_beta, none, POWER, FLOAT,
       "torch.kaiser_window")

KERNEL("aten::complex", complex, none, EXACT, FLOAT, "torch.complex")
KERNEL("aten::polar", polar, none, FUNCTION, FLOAT, "torch.polar")
