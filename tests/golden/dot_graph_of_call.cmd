dot tests/data/squeeze_xnnpack.pte --graph op_2
