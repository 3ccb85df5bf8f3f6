info tests/data/mlp.pt2 --plan tests/golden/support/near_miss.json
