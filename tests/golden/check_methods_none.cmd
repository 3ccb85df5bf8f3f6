check tests/data/two_backends.pte --methods ,
