run tests/data/mlp.pt2 --reduce none
