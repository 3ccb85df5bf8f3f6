diff tests/data/deflated.pt2 tests/data/mlp.pt2
