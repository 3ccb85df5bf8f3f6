version >/dev/null; cat tests/data/unplanned.pte | "$DELEGRAPH" check - --program tests/data/mlp.pt2 --numerics
