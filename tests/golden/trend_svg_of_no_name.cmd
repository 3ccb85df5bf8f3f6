trend tests/data/mlp.pt2 --format svg
