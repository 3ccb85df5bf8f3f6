report tests/data/mlp.pt2 --last 3 --label day=1 --format text
