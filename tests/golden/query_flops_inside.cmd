query tests/data/xnnpack_quantized.pte @flops-inside
