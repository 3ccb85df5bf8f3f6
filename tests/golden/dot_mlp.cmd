dot tests/data/mlp.pt2
