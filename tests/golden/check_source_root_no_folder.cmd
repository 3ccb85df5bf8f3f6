check tests/data/tiny.pte --report sarif=- --source-root tests/data/tiny.pte
