report tests/data/mlp.pt2 --against tests/data/no.pt2 --format text
