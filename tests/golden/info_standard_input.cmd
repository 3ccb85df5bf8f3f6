info - < tests/data/tiny.pte
