diff tests/data/mlp.pt2 tests/data/several_models.pt2 --ignore size,findings
