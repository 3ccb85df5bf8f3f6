info --format yaml tests/data/tiny.pte
