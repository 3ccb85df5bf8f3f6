explain tests/data/mlp.pt2
