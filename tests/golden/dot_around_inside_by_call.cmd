dot tests/data/squeeze_xnnpack.pte --around op_0/Conv2d_4 --hops 1
