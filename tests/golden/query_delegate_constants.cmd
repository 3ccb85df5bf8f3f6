query tests/data/xnnpack_quantized.pte @delegate-constants
