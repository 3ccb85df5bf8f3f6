query tests/data/tiny.pte @impact
