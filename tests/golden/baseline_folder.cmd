baseline write tests/data/mlp.pt2 --baseline tests
