info tests/data/on_cuda.pte tests/data/xnnpack_quantized.pte
