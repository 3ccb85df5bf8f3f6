run tests/data/mlp.pt2 --nodes linear --reduce none
