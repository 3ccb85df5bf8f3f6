check tests/data/tiny.pte tests/data/portable.pte --against tests/data/tiny.pte --limit file-size=+2%
