query tests/data/squeeze_xnnpack.pte @impact -p node=op_0/Conv2d_4
