dot tests/data/mlp.pt2 --view calls --around linear_2
