run tests/data/mlp.pt2 --partition tag0
