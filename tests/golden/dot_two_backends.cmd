dot tests/data/two_backends.pte
