check tests/data/mlp.pt2 --program tests/data/mlp.pt2
