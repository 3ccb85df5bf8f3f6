check tests/data/tiny.pte --report sarif=- --report md=-
