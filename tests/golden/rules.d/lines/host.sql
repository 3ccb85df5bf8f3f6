-- id: user/host
-- severity: note
-- text: nothing is left to the host

SELECT node_id, 'runs on the host' AS message FROM v_node
 WHERE kind = 'kernel_call' ORDER BY node_id
