dot tests/data/mlp.pt2 --view diff
