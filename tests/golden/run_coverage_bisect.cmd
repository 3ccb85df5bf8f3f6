run tests/data/mlp.pt2 --coverage --bisect
