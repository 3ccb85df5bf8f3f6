dot tests/data/mlp.pt2 --method nosuch
