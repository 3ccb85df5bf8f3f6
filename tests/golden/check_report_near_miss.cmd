check tests/data/tiny.pte --report sraif=x
