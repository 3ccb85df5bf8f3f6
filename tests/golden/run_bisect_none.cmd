run tests/data/mlp.pt2 --bisect
