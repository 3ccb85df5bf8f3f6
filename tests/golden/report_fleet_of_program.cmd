report tests/data/mlp.pt2 --fleet
