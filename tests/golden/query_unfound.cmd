query tests/data/xnnpack_quantized.pte --program tests/data/quantized_core.pt2 @unfound
