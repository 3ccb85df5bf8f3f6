check tests/data/no_such.pte tests/data/tiny.pte --select memory/extent --exit-zero
