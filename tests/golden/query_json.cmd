query tests/data/tiny.pte 'SELECT 1 AS a, 2.5 AS b, NULL AS c, x'"'"'00ff'"'"' AS d, 9e999 AS e' --format json
