show tests/data/squeeze.pt2 linear --program tests/data/mlp.pt2
