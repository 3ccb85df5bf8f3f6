check tests/data/mlp.pt2 tests/data/bert.pt2 --numerics --expected out.npz
