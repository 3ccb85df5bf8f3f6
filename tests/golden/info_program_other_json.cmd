info tests/data/squeeze_xnnpack.pte --program tests/data/squeeze_retrained.pt2 --format json
