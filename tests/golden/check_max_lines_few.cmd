check tests/data/tiny.pte --format md --max-lines 4
