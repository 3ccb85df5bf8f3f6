ls tests/data/mlp.pt2 --depth 2
