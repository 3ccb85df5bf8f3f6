run tests/data/mlp.pt2 --device gpu
