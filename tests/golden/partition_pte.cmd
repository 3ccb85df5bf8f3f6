partition tests/data/tiny.pte
