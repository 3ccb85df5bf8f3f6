check tests/data/mlp.pt2 --numerics
