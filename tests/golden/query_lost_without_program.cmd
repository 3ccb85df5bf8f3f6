query tests/data/squeeze_xnnpack.pte @lost
