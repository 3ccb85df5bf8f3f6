-- id: user/short
-- severity: note
-- text: no sum at all
SELECT node_id, 'a sum' AS message FROM v_node WHERE op GLOB 'aten::add.*' ORDER BY 1
