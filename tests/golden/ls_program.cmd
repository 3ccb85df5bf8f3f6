ls tests/data/squeeze_xnnpack.pte --program tests/data/squeeze.pt2
