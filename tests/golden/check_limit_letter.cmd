check tests/data/two_backends.pte --limit peak-memory=20K
