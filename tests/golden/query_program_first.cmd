query tests/data/squeeze.pt2 --program tests/data/squeeze_xnnpack.pte @lost
