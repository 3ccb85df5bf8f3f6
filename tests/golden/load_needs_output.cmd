load tests/data/tiny.pte
