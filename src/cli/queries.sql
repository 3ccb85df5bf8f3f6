-- Named queries: `delegraph query FILE @NAME -p PARAMETER=VALUE`. Each begins with a line
-- "@NAME: what it answers". They read the documented views, so they can be copied.

-- @artifacts: the files of the store
SELECT path, kind, size_bytes, container, version FROM v_artifact ORDER BY artifact_id;

-- @inputs: what each method takes
SELECT method, pos, name, kind, dtype, shape, device, spec, target, planned
  FROM v_signature WHERE direction = 'input' AND graph = '' ORDER BY method_id, pos;

-- @outputs: what each method returns
SELECT method, pos, name, kind, dtype, shape, device, spec, target, planned
  FROM v_signature WHERE direction = 'output' AND graph = '' ORDER BY method_id, pos;

-- @ops: how often each operator is called
SELECT method, op, count(*) AS calls FROM v_node
 WHERE kind IN ('call_function', 'kernel_call')
 GROUP BY method_id, method, op_id, op ORDER BY method_id, calls DESC, op;

-- @kernels: operators that the runtime must have, with the dtypes they make
SELECT v_op.name AS op, count(DISTINCT v_node.node_id) AS calls,
       group_concat(DISTINCT coalesce(v_operand.dtype, v_node.dtype)) AS dtypes,
       v_op.portable
  FROM v_node JOIN v_op USING (op_id)
  LEFT JOIN v_operand ON v_operand.node_id = v_node.node_id AND access <> 'read'
 WHERE v_node.kind IN ('call_function', 'kernel_call')
   AND v_op.namespace NOT IN ('_operator', 'higher_order')
 GROUP BY op_id, v_op.name, v_op.portable ORDER BY calls DESC, op, op_id;

-- @unknown-ops: operators whose schema is not known
SELECT name AS op, namespace, calls FROM v_op
 WHERE args IS NULL AND namespace NOT IN ('_operator', 'higher_order')
 ORDER BY name, op_id;

-- @modules: calls by Python module
SELECT module, module_type, count(*) AS calls, group_concat(DISTINCT op) AS ops
  FROM v_node WHERE kind IN ('call_function', 'kernel_call')
 GROUP BY module, module_type ORDER BY min(node_id);

-- @sources: calls by line of the Python program
SELECT file, line, function, count(*) AS calls, group_concat(DISTINCT op) AS ops
  FROM v_node WHERE file IS NOT NULL GROUP BY file, line, function ORDER BY file, line NULLS FIRST, function;

-- @dtypes: tensors by dtype and device
SELECT method, dtype, device, count(*) AS tensors, sum(nbytes) AS bytes FROM v_value
 WHERE kind = 'tensor' GROUP BY method_id, method, dtype, device
 ORDER BY method_id, bytes DESC NULLS LAST, dtype, device;

-- @delegates: which backends run what
SELECT method, idx, name, backend, calls, location, blob_bytes, lowered_from
  FROM v_delegate ORDER BY method_id, idx;

-- @compile-specs: what delegates were told at compile time
SELECT method, delegate, backend, key, value FROM v_compile_spec
 ORDER BY delegate_id, pos;

-- @coverage: operators, FLOPs and bytes by backend: of delegates, and as the newest plan says
-- Percentages are of what is known; `unknown` calls have no formula. Where what a delegate of
-- a .pte computes is not known, there are none, and its call counts as one.
WITH inside AS (SELECT graph_id, count(*) AS nodes FROM delegate_node
                 WHERE op NOT IN ('CONST', 'CONST_SHAPE') GROUP BY graph_id),
opened AS (SELECT node.id AS node_id, nodes FROM delegate
           JOIN inside ON inside.graph_id = inside_id
           JOIN node ON node.delegate_id = delegate.id AND node.kind = 'delegate_call'),
side AS (
    SELECT method_id, method, coalesce(backend, '(none)') AS backend,
           sum(coalesce(nodes, 1)) AS ops,
           coalesce(sum(flops), 0) AS flops, count(*) - count(flops) AS unknown,
           coalesce(sum(bytes), 0) AS bytes,
           count(*) FILTER (WHERE kind = 'delegate_call' AND flops IS NULL) AS opaque,
           count(*) FILTER (WHERE kind = 'delegate_call' AND nodes IS NULL) AS closed
      FROM v_cost LEFT JOIN opened USING (node_id)
     GROUP BY method_id, method, coalesce(backend, '(none)'))
SELECT method, backend, ops,
       CASE WHEN sum(closed) OVER method = 0
            THEN round(100.0 * ops / sum(ops) OVER method, 2) END AS percent,
       CASE WHEN unknown < ops THEN flops END AS flops,
       CASE WHEN sum(opaque) OVER method = 0
            THEN round(100.0 * flops / nullif(sum(flops) OVER method, 0), 2)
       END AS flops_percent, unknown, bytes,
       CASE WHEN sum(opaque) OVER method = 0
            THEN round(100.0 * bytes / nullif(sum(bytes) OVER method, 0), 2)
       END AS bytes_percent
  FROM side WINDOW method AS (PARTITION BY method_id)
 ORDER BY method_id, ops DESC, backend;

-- @flops: operators by what they cost
WITH side AS (
    SELECT method_id, method, op, count(*) AS calls, coalesce(sum(flops), 0) AS flops,
           count(*) - count(flops) AS unknown, coalesce(sum(bytes), 0) AS bytes
      FROM v_cost GROUP BY method_id, method, op)
SELECT method, op, calls, flops,
       round(100.0 * flops / nullif(sum(flops) OVER (PARTITION BY method_id), 0), 2)
       AS percent, unknown, bytes
  FROM side ORDER BY method_id, flops DESC, calls DESC, op NULLS FIRST;

-- @flops-inside: nodes inside of delegates by what they cost, and their share of their delegates
SELECT method, graph, name, op, flops,
       round(100.0 * flops / nullif(sum(flops) OVER (PARTITION BY method), 0), 2) AS percent,
       bytes
  FROM v_delegate_cost ORDER BY flops DESC NULLS LAST, bytes DESC NULLS LAST, node_id;

-- @graph-breaks: calls between two delegates that no delegate runs
WITH call AS (SELECT node_id FROM v_node WHERE kind = 'delegate_call'
                 OR op = 'higher_order::executorch_call_delegate')
SELECT method, graph, name, op, module, file, line FROM v_node
 WHERE kind IN ('call_function', 'kernel_call') AND node_id NOT IN (SELECT node_id FROM call)
   AND op <> '_operator.getitem'
   AND node_id IN (WITH RECURSIVE after(id) AS (SELECT dst_id FROM v_edge
                    WHERE src_id IN (SELECT node_id FROM call)
                   UNION SELECT dst_id FROM after JOIN v_edge ON src_id = id)
                   SELECT id FROM after)
   AND node_id IN (WITH RECURSIVE before(id) AS (SELECT src_id FROM v_edge
                    WHERE dst_id IN (SELECT node_id FROM call)
                   UNION SELECT src_id FROM before JOIN v_edge ON dst_id = id)
                   SELECT id FROM before)
 ORDER BY node_id;

-- @traffic: bytes that enter and leave each delegate call
SELECT v_node.method, v_node.name, backend,
       sum(v_value.nbytes) FILTER (WHERE access <> 'write') AS bytes_in,
       sum(v_value.nbytes) FILTER (WHERE access <> 'read') AS bytes_out
  FROM v_node JOIN v_operand USING (node_id)
  LEFT JOIN v_value ON v_value.value_id = v_operand.value_id
 WHERE v_node.kind = 'delegate_call' GROUP BY node_id, v_node.method, v_node.name, backend
 ORDER BY node_id;

-- @device-crossings: copies between host and devices; of a lowered .pt2 those to come
WITH spec AS (SELECT delegate_id, lower(trim(CAST(value AS TEXT))) AS text
                FROM v_compile_spec AS told WHERE key = 'target_device'
                 AND pos = (SELECT min(pos) FROM v_compile_spec AS one
                             WHERE one.delegate_id = told.delegate_id
                               AND one.key = told.key)),
call AS (SELECT node_id, CASE text WHEN 'cuda' THEN 'cuda:0' ELSE text END AS device
           FROM spec JOIN v_node USING (delegate_id)
          WHERE kind = 'call_function' AND graph = ''),
item AS (SELECT v_node.node_id, call.device
           FROM call JOIN v_edge ON src_id = call.node_id
           JOIN v_node ON v_node.node_id = dst_id WHERE op = '_operator.getitem'),
crossing AS (
    SELECT v_node.node_id, CASE WHEN instr(op, '_h2d') > 0 THEN 'to device' ELSE 'to host' END
           AS direction,
           CASE WHEN instr(op, '_h2d') > 0 THEN made.device ELSE used.device END AS device,
           coalesce(used.name, 'value ' || used.idx) AS value, used.nbytes
      FROM v_node JOIN v_operand AS r ON r.node_id = v_node.node_id AND r.pos = 0
      JOIN v_operand AS w ON w.node_id = v_node.node_id AND w.pos = 1
      JOIN v_value AS used ON used.value_id = r.value_id
      JOIN v_value AS made ON made.value_id = w.value_id
     WHERE op IN ('et_copy::_h2d_copy.out', 'et_copy::_d2h_copy.out')
    UNION ALL
    SELECT call.node_id, 'to device', call.device, src, nbytes
      FROM call JOIN v_edge ON dst_id = call.node_id
      LEFT JOIN item ON item.node_id = src_id
     WHERE value_id IS NOT NULL AND item.device IS NOT call.device
    UNION ALL
    SELECT node_id, 'to host', item.device, name, nbytes FROM item JOIN v_node
     USING (node_id)
     WHERE EXISTS (SELECT 1 FROM v_edge LEFT JOIN call ON call.node_id = dst_id
                    WHERE src_id = item.node_id AND call.device IS NOT item.device))
SELECT method, name AS node, direction, crossing.device, crossing.value,
       crossing.nbytes
  FROM crossing JOIN v_node USING (node_id) ORDER BY node_id, direction, value;

-- @roundtrips: copies to the host whose result is copied back to a device
SELECT a.method, a.name AS to_host, b.name AS to_device FROM v_edge
  JOIN v_node AS a ON a.node_id = src_id JOIN v_node AS b ON b.node_id = dst_id
 WHERE instr(a.op, '_d2h_copy') > 0 AND instr(b.op, '_h2d_copy') > 0 ORDER BY a.node_id, b.node_id;

-- @size: where the bytes of the file are
SELECT artifact, v_segment.kind, count(*) AS segments, sum(stored_bytes) AS bytes,
       round(100.0 * sum(stored_bytes) / v_artifact.size_bytes, 1) AS percent
  FROM v_segment JOIN v_artifact USING (artifact_id)
 GROUP BY artifact_id, artifact, v_segment.kind, v_artifact.size_bytes
 ORDER BY artifact_id, bytes DESC, v_segment.kind;

-- @segments: each stretch of the file
SELECT idx, kind, name, file_offset, size_bytes, stored_bytes FROM v_segment
 ORDER BY segment_id;

-- @constants: weights, buffers and constants, the biggest first
SELECT coalesce(fqn, idx) AS name, kind, dtype, shape, nbytes, file_offset, segment
  FROM v_constant WHERE kind <> 'reserved' ORDER BY nbytes DESC NULLS LAST, constant_id;

-- @delegate-constants: weights and scales inside of delegates, the biggest first
WITH held AS (
    SELECT v.value_id, v.method, v.graph, v.name AS value, 'weight' AS kind, datatype, v.shape,
           v.nbytes, v.key
      FROM v_delegate_value AS v WHERE role = 'constant'
    UNION ALL
    SELECT v.value_id, v.method, v.graph, v.name, 'scales', NULL, NULL, c.nbytes, c.key
      FROM v_delegate_value AS v JOIN v_delegate_constant AS c
        ON c.graph_id = v.graph_id AND c.idx = json_extract(quantization, '$.scale_constant'))
SELECT held.method, held.graph, value, o.node, o.name AS operand, kind, datatype,
       held.shape, held.nbytes, key
  FROM held LEFT JOIN v_delegate_operand AS o
    ON o.value_id = held.value_id AND access = 'read'
 ORDER BY held.nbytes DESC NULLS LAST, held.value_id, kind DESC, o.node_id NULLS FIRST;

-- @slowest: instructions by what they took on the device (an ETDump: --etdump), and their share
-- A delegate is many nodes: `modules` has those of all that an ETRecord says it was made from.
SELECT t.method, t.node, coalesce(t.op, t.backend) AS op, coalesce(module,
       (SELECT group_concat(DISTINCT nullif(made.module, '')) FROM instruction_handle AS h
          JOIN method AS record ON record.id = h.method_id AND record.name = t.method
          JOIN artifact AS a ON a.id = record.artifact_id AND a.companion_of = t.artifact_id
          JOIN v_node AS made ON made.method_id = record.id
           AND made.debug_handle = h.debug_handle
         WHERE h.instruction = v_node.idx AND h.part IS NULL
           AND t.backend IS NOT NULL)) AS modules,
       file, line, runs, calls,
       t.median, least, most,
       round(CAST(100.0 * t.median / sum(t.median) OVER (PARTITION BY t.method_id) AS NUMERIC), 1)
       AS percent
  FROM v_timing AS t JOIN v_node USING (node_id)
 WHERE part IS NULL ORDER BY t.artifact_id, t.median DESC, node_id;

-- @slowest-parts: what delegates say of parts of their calls (an ETDump: --etdump)
SELECT method, node, backend, part, runs, calls, median, least, most
  FROM v_timing WHERE part IS NOT NULL ORDER BY artifact_id, median DESC, node_id, part;

-- @lineage: which nodes of the program it was made from an instruction is (--program)
SELECT method, node, op, inside, from_node, from_op, module, file, line FROM v_lineage
 ORDER BY node_id, inside_id NULLS FIRST, from_id;

-- @lost: nodes of an ETRecord that no instruction of the .pte came from (--program)
-- Folded away, computed beforehand, or a view that memory planning made superfluous. A .pt2 does
-- not tell: what of it was not found is in @unfound, which may live on all the same.
SELECT method, graph, name AS node, op, debug_handle, module, file, line FROM v_node
 WHERE kind = 'call_function' AND debug_handle IS NOT NULL
   AND method_id IN (SELECT from_method_id FROM v_lineage)
   AND method_id IN (SELECT method_id FROM instruction_handle)
   AND (method_id, debug_handle) NOT IN (SELECT method_id, debug_handle FROM instruction_handle)
 ORDER BY node_id;

-- @unfound: nodes of the program it was made from of which nobody knows what became of them (--program)
-- They live on inside of delegates that are closed, or where it is not sure, or nowhere.
WITH handle AS (SELECT DISTINCT method_id, debug_handle FROM instruction_handle),
made AS (SELECT method_id, artifact_id FROM v_method JOIN v_artifact USING (artifact_id)
          WHERE role = 'program'),
recorded AS (SELECT method_id, artifact_id FROM made
              WHERE method_id IN (SELECT method_id FROM handle))
SELECT method, graph, name AS node, op, debug_handle, module, file, line FROM v_node
 WHERE kind = 'call_function' AND node_id NOT IN (SELECT from_id FROM lineage)
   AND CASE WHEN method_id IN (SELECT method_id FROM recorded)
            THEN debug_handle IS NOT NULL
             AND ((method_id, debug_handle) IN (SELECT method_id, debug_handle FROM handle)
                  OR method_id NOT IN (SELECT from_method_id FROM v_lineage))
            ELSE graph = '' AND method_id IN (SELECT method_id FROM made
                  WHERE artifact_id NOT IN (SELECT artifact_id FROM recorded)) END
 ORDER BY node_id;

-- @named-data: data by key, the biggest first
SELECT key, size_bytes, dtype, shape, file_offset FROM v_named_data
 ORDER BY size_bytes DESC NULLS LAST, artifact_id, idx;

-- @duplicates: the same bytes stored more than once (needs --hash or a store)
WITH stored(artifact, name, file_offset, nbytes, digest) AS (
    SELECT path, coalesce(fqn, v_constant.kind || ' ' || idx), file_offset, nbytes,
           v_constant.sha256 FROM v_constant JOIN v_artifact USING (artifact_id)
    UNION ALL
    SELECT artifact, v_delegate.method || ' delegate ' || v_delegate.idx, blob_offset,
           blob_bytes, blob_sha256 FROM v_delegate JOIN v_method USING (method_id)
    UNION ALL
    SELECT artifact, key, v_segment.file_offset, v_segment.size_bytes, sha256
      FROM v_named_data JOIN v_segment USING (segment_id))
SELECT artifact, count(DISTINCT file_offset) AS copies, nbytes,
       (count(DISTINCT file_offset) - 1) * nbytes AS wasted,
       group_concat(DISTINCT name) AS names, digest AS sha256
  FROM stored WHERE nbytes > 0 AND digest IS NOT NULL
 GROUP BY artifact, digest, nbytes HAVING count(DISTINCT file_offset) > 1
 ORDER BY wasted DESC, artifact, digest;

-- @arenas: planned memory
SELECT method, idx, size_bytes, device, tensors FROM v_arena ORDER BY method_id, idx;

-- @live: planned tensors with the instructions they live for; -1: from the start
-- State is kept from run to run: it lives through the whole method.
SELECT method, value, name, dtype, shape, bytes, arena, "offset", first, last, via, state
  FROM v_lifetime ORDER BY value_id, first;

-- @peak: the tensors that live when planned memory is fullest, for each method and arena
WITH filled AS (
    SELECT *, max(bytes) OVER (PARTITION BY graph_id, arena) AS most FROM v_occupancy),
peak AS (SELECT graph_id, arena, min(idx) AS at, bytes FROM filled
          WHERE bytes = most GROUP BY graph_id, arena, bytes)
SELECT method, peak.arena, at AS instruction, peak.bytes AS peak_bytes, value, name,
       dtype, shape, v_lifetime.bytes AS nbytes, via, state
  FROM peak JOIN v_lifetime USING (graph_id)
 WHERE v_lifetime.arena = peak.arena AND at BETWEEN first AND last
 ORDER BY method_id, peak.arena, v_lifetime.bytes DESC, value_id;

-- @timeline: live bytes of each arena at each instruction
SELECT v_occupancy.method, arena, v_occupancy.device, v_occupancy.idx AS instruction, op,
       v_occupancy.bytes AS live_bytes, size_bytes AS arena_bytes
  FROM v_occupancy JOIN v_node USING (graph_id, idx)
 ORDER BY v_occupancy.method_id, arena, v_occupancy.idx;

-- @overlap: planned tensors that share bytes while both live, as if code ran straight on
WITH use AS (
    SELECT v_operand.value_id, min(v_node.idx) AS first, max(v_node.idx) AS last
      FROM v_operand JOIN v_node USING (node_id) GROUP BY v_operand.value_id),
live AS MATERIALIZED (
    SELECT v_value.*, CASE WHEN value_id IN (SELECT value_id FROM v_signature
               WHERE direction = 'input') THEN -1 ELSE first END AS first,
           CASE WHEN value_id IN (SELECT value_id FROM v_signature
               WHERE direction = 'output') THEN 9e18 ELSE last END AS last
      FROM v_value JOIN use USING (value_id) WHERE storage = 'planned' AND nbytes > 0)
SELECT a.method, a.mem_id AS arena, a.idx AS a, b.idx AS b,
       CASE WHEN a.mem_offset > b.mem_offset THEN a.mem_offset ELSE b.mem_offset END AS at_byte
  FROM live AS a JOIN live AS b ON b.method_id = a.method_id AND b.mem_id = a.mem_id
   AND a.value_id < b.value_id AND a.first < b.last AND b.first < a.last
   AND a.mem_offset < b.mem_offset + b.nbytes AND b.mem_offset < a.mem_offset + a.nbytes
 ORDER BY a.value_id, b.value_id;

-- @impact: what depends on a node, with the distance (-p node=NAME)
WITH RECURSIVE reached(id, distance) AS (
    SELECT node_id, 0 FROM v_node WHERE name = :node
    UNION SELECT dst_id, distance + 1 FROM reached JOIN v_edge ON src_id = id
     WHERE distance < coalesce(:hops, 8))
SELECT min(distance) AS distance, method, graph, name, op FROM reached
  JOIN v_node ON node_id = id GROUP BY node_id, method, graph, name, op ORDER BY 1, node_id;

-- @depends: what a node depends on, with the distance (-p node=NAME)
WITH RECURSIVE reached(id, distance) AS (
    SELECT node_id, 0 FROM v_node WHERE name = :node
    UNION SELECT src_id, distance + 1 FROM reached JOIN v_edge ON dst_id = id
     WHERE distance < coalesce(:hops, 8))
SELECT min(distance) AS distance, method, graph, name, op FROM reached
  JOIN v_node ON node_id = id GROUP BY node_id, method, graph, name, op ORDER BY 1, node_id;

-- @fan-out: the nodes that most others read
SELECT method, graph, src AS name, count(DISTINCT dst_id) AS readers FROM v_edge
 GROUP BY src_id, method, graph, src ORDER BY readers DESC, src_id LIMIT 20;

-- @mutations: buffers and inputs that a method changes, and calls that write in place
WITH change AS (
    SELECT method_id, 0 AS part, method, pos, name, spec, target, NULL AS op
      FROM v_signature WHERE direction = 'output' AND instr(spec, 'mutation') > 0
    UNION ALL
    SELECT method_id, 1, v_node.method, v_node.idx, v_node.name, 'in_place',
           coalesce((SELECT coalesce(v_value.name, 'value ' || value_idx)
                       FROM v_operand LEFT JOIN v_value USING (value_id)
                      WHERE node_id = v_node.node_id ORDER BY access <> 'both', pos LIMIT 1),
                    (SELECT src FROM v_edge WHERE dst_id = v_node.node_id AND pos = 0)),
           op
      FROM v_op CROSS JOIN v_node USING (op_id)
     WHERE v_op.mutates = 1
       AND NOT (instr(op, '.') > 0 AND substr(op, length(op) - 2) = 'out')
       AND v_node.kind IN ('call_function', 'kernel_call'))
SELECT method, pos, name, spec, target, op FROM change ORDER BY method_id, part, pos;

-- @symbols: what symbolic sizes may be
SELECT method, graph, symbol, min, max FROM v_range ORDER BY graph_id, symbol;

-- @remarks: what the reader noticed
SELECT rule, method, graph, node, text FROM v_remark ORDER BY remark_id;
