tests/data/tiny.pte
