check tests/data/mlp.pt2 --min-snr 100
