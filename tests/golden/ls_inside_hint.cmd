ls tests/data/squeeze_xnnpack.pte "Conv2d*"
