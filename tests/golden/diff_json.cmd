diff tests/data/mlp.pt2 tests/data/mlp_core.pt2 --ignore names,metadata --format json
