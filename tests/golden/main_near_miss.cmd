inof tests/data/tiny.pte
