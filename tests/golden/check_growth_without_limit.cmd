check tests/data/tiny.pte --against tests/data/tiny.pte --limit file-size=1MB
