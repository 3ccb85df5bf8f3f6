run tests/data/mlp.pt2 --against tests/data/mlp.pt2 --repeat 2
