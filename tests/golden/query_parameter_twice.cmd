query tests/data/mlp.pt2 "SELECT :x" -p x=1 -p x=2
