run tests/data/custom_ops.pt2 --coverage --max-skip 0
