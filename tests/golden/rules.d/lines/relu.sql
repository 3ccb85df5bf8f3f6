-- id: user/relu
-- severity: note
-- text: relu is fused into what is before it

SELECT node_id, 'is a call of its own' AS message FROM v_node
 WHERE op = 'aten::relu.out' ORDER BY node_id
