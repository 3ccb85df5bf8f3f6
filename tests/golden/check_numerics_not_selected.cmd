check tests/data/mlp.pt2 --numerics --expected out.npz --ignore numerics/output
