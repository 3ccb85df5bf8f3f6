check tests/data/tiny.pte --against tests/data/mlp.pt2 --limit file-size=+2%
