run tests/data/mlp.pt2 --artifact other.pt2
