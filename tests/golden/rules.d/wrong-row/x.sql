-- id: user/x
-- severity: error
-- text: something holds
SELECT name AS node_id, 'bad' AS message
  FROM v_node
