query tests/data/tiny.pte @kernel
