run tests/data/mlp.pt2 --atol 1e-6 --min-snr 200
