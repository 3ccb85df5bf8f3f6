partition tests/data/cond.pt2 --mode min -o - | "$DELEGRAPH" check tests/data/cond.pt2 --plan -
