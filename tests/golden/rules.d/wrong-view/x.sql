-- id: user/x
-- severity: error
-- text: something holds
SELECT node_id, 'bad' AS message
  FROM v_nodes
