check tests/data/tiny.pte --against tests/data --limit file-size=+0
