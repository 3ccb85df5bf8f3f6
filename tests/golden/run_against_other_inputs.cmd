run tests/data/mlp.pt2 --against tests/data/cond.pt2
