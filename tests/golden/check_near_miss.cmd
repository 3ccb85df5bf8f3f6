check tests/data/tiny.pte --ignore memory/extend
