check tests/data/mlp.pt2 --limit peak-memory=1MB --select memory
