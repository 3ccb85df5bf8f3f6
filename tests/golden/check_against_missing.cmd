check tests/data/mlp.pt2 tests/data/gate.pt2 --limit file-size=+2% --against nowhere
