run tests/data/mlp.pt2 --against tests/data/bert.pt2
