run tests/data/mlp.pt2 --seed 1 --expected a.npz --expected b.npz
