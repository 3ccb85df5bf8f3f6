diff tests/data/mlp.pt2 tests/data/mlp.pt2 --max-lines 9
