check tests/data/tiny.pte --report sarif
