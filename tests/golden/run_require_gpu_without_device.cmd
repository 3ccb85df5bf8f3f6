run tests/data/mlp.pt2 --require-gpu
