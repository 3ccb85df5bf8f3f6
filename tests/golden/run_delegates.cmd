run tests/data/two_backends.pte
