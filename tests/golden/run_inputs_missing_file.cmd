run tests/data/mlp.pt2 --inputs no_such.npz
