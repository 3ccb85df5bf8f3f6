check tests/data/mlp.pt2 --select ,
