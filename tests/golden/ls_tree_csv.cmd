ls tests/data/mlp.pt2 --tree --format csv
