partition tests/data/mlp.pt2
