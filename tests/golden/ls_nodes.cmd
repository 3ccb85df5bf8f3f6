ls tests/data/cond.pt2
