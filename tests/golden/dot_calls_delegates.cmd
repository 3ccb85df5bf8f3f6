dot tests/data/two_backends.pte --view calls
