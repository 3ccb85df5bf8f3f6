query tests/data/tiny.pte 'SELECT 1; SELECT 2'
