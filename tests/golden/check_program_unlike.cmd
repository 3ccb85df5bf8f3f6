check tests/data/external.pte --program tests/data/external.pte
