run tests/data/custom_ops.pt2
