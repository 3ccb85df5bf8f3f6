ls tests/data/squeeze_xnnpack.pte --program tests/data/squeeze.pt2 --what delegate-nodes op_0/Conv*
