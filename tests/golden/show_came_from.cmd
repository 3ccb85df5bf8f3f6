show tests/data/squeeze_xnnpack.pte op_0/Conv2d_4 --program tests/data/squeeze.pt2
