check tests/data/tiny.pte --select memory/extent --format json
