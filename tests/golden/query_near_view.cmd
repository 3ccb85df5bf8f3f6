query tests/data/mlp.pt2 "SELECT * FROM nodes"
