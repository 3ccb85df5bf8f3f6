check tests/data/mlp.pt2 --numerics --inputs tests/data/make_data.py --expected out.npz
