load tests/data/mlp.pt2 -o "$got/mlp.db" && "$DELEGRAPH" diff tests/data/mlp.pt2 "$got/mlp.db" --store "$got/diff.db" 2>&1 | sed "s|$got|.|g"
