-- id: user/x
-- severity: error
-- text: something holds
SELECT node, 'bad' AS message
  FROM v_operand
