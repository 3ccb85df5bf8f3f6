run tests/data/mlp.pt2 --rtol 1e-3 --format json
