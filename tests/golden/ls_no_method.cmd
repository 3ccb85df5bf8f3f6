ls tests/data/tiny.pte --method froward
