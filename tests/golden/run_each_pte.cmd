run tests/data/tiny.pte --each
