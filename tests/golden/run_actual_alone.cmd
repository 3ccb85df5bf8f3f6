run tests/data/mlp.pt2 --actual out.npz
