ls tests/data/tiny.pte --what node
