diff tests/data/xnnpack.pte tests/data/xnnpack_quantized.pte
