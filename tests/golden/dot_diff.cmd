dot tests/data/mlp_core.pt2 --against tests/data/mlp.pt2
