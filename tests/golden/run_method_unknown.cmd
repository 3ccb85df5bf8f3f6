run tests/data/mlp.pt2 --method backward
