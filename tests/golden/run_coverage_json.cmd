run tests/data/custom_ops.pt2 --coverage --format json
