check tests/data/mlp.pt2 --numerics --expected no_such.npz
