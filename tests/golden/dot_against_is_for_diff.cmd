dot tests/data/mlp.pt2 --view modules --against tests/data/mlp.pt2
