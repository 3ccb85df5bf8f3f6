report tests/data/mlp.pt2 --fleet --select memory --format text
