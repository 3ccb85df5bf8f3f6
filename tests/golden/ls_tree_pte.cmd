ls tests/data/two_backends.pte --tree
