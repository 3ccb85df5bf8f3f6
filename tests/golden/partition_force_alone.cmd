partition tests/data/mlp.pt2 --force
