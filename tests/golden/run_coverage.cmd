run tests/data/mobilenet_v3_xnnpack.pte --coverage
