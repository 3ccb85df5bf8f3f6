query tests/data/tiny.pte 'SELECT 1 AS a, 2 AS a' --format jsonl
