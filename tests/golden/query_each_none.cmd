query --each 'tests/data/none*.pte' 'SELECT 1'
