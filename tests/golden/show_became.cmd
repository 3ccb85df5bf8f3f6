show tests/data/squeeze.pt2 relu_1 --program tests/data/squeeze_xnnpack.pte --format json
