run tests/data/cond.pt2 --each
