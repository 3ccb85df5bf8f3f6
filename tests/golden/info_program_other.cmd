info tests/data/mobilenet_v3_xnnpack.pte --program tests/data/bert.pt2
