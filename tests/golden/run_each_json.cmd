run tests/data/mlp.pt2 --each --repeat 2 --format json
