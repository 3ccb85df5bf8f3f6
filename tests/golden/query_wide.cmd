query tests/data/mlp.pt2 "SELECT 1 AS a, hex(zeroblob(300)) AS b, 3 AS c UNION SELECT 2, 'x', 4"
