info tests/data/tiny.pte tests/data/no_such.pte
