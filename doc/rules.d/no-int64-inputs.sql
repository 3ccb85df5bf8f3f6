-- id: user/no-int64-inputs
-- severity: warning
-- text: inputs are no 64-bit integers
-- why: the accelerator has none: each such input costs a copy on the host
-- fix: make the input int32 before export, and widen it in the model where it must be
-- level: pt2 pte
SELECT graph_id, value_id,
       printf('input %d is i64', pos) AS message
  FROM v_signature
 WHERE direction = 'input' AND dtype = 'i64' AND graph = ''
   AND coalesce(spec, 'user_input') = 'user_input'
 ORDER BY graph_id, pos
