show tests/data/cond.pt2 cond
