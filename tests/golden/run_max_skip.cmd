run tests/data/two_backends.pte --max-skip 2
