report tests/data/mlp.pt2 --format md --artifact 2
