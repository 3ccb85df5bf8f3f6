run tests/data/quantized_core.pt2 --against tests/data/xnnpack_quantized.pte --each --seed 4
