check tests/data/external.pte --data tests/data/external.pte
