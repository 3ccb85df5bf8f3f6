run tests/data/external.pte
