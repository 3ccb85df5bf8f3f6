dot tests/data/mlp.pt2 --against tests/data/xnnpack.pte
