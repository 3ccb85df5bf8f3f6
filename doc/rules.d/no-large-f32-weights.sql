-- id: user/no-large-f32-weights
-- severity: warning
-- text: no weight above 16 MiB is f32
-- why: such weights are most of a download, and of what the device reads for each
--   answer
-- fix: quantize them, or keep them as bf16 or f16
-- level: pt2 pte
WITH weight(graph_id, value_id, name, nbytes) AS (
    SELECT graph_id, value_id, coalesce(target, name), nbytes /* of a .pt2 */
      FROM v_signature
     WHERE spec IN ('parameter', 'buffer', 'constant_tensor') AND dtype = 'f32'
    UNION ALL
    SELECT graph_id, value_id, coalesce(name, 'value ' || idx), nbytes /* of a .pte */
      FROM v_value
     WHERE storage IN ('constant', 'external', 'mutable') AND dtype = 'f32')
SELECT graph_id, value_id,
       printf('%s takes %.1f MiB as f32', name, nbytes / 1048576.0) AS message
  FROM weight
 WHERE nbytes > 16 * 1048576
 ORDER BY nbytes DESC, value_id
