dot tests/data/mlp.pt2 --around linear_2
