show tests/data/squeeze_xnnpack.pte op_1 --program tests/data/squeeze.pt2
