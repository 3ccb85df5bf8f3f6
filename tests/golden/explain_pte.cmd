explain tests/data/tiny.pte
