-- id: user/x
-- severity: error
-- text: something holds
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT i AS message FROM n
