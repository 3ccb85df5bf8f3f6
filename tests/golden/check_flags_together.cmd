check -qv tests/data/mlp.pt2 -o /dev/null 2>/dev/null
