info tests/data/tiny.pte --format
