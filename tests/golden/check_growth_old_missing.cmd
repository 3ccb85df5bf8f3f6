check tests/data/tiny.pte --against missing.pte --limit file-size=+2%
