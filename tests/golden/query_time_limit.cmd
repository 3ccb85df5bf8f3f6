query tests/data/tiny.pte --timeout 0.2 'WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT count(*) FROM r'
