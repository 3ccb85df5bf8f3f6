-- id: user/only-xnnpack
-- severity: error
-- text: every delegate is one of XnnpackBackend
-- why: the product ships no other backend, so the program would not load
-- fix: lower it with XnnpackPartitioner alone
-- level: pt2 pte
SELECT delegate.method_id, call.node_id,
       printf('delegate %d is for %s', delegate.idx,
              coalesce(delegate.backend, 'no backend')) AS message
  FROM v_delegate AS delegate
  LEFT JOIN (SELECT delegate_id, min(node_id) AS node_id FROM v_node
              WHERE kind IN ('delegate_call', 'call_function') GROUP BY delegate_id)
         AS call USING (delegate_id)
 WHERE delegate.backend IS NOT 'XnnpackBackend'
 ORDER BY delegate_id
