-- The views: the public surface. Columns named *_id lead to the rows of other views.

-- Files: one row each.
CREATE VIEW v_artifact AS
SELECT id AS artifact_id, path, kind, size_bytes, sha256, xxh3, version, container,
       companion_of, role
  FROM artifact;

-- Methods of a .pte, models of a .pt2, with how many nodes all their graphs have.
CREATE VIEW v_method AS
SELECT method.id AS method_id, artifact_id, artifact.path AS artifact, idx, name, ir,
       in_spec, out_spec,
       (SELECT count(*) FROM node JOIN graph ON graph.id = node.graph_id
         WHERE graph.method_id = method.id) AS nodes
  FROM method JOIN artifact ON artifact.id = method.artifact_id;

-- Graphs: the method's own (path ''), branches, what delegates were lowered from.
CREATE VIEW v_graph AS
SELECT graph.id AS graph_id, method_id, method.name AS method, path, graph.kind,
       (SELECT count(*) FROM node WHERE graph_id = graph.id) AS nodes
  FROM graph JOIN method ON method.id = method_id;

-- Nodes in execution order. `op` is the operator of a call, `backend` that of a
-- delegate call; type, shape and device are those of a single result; `file`, `line`
-- are the innermost frame of the Python stack that is not torch's own, which ends with
-- what torch generated or called from its packages; one that has a file is preferred.
CREATE VIEW v_node AS
SELECT node.id AS node_id, node.graph_id, graph.method_id, method.name AS method,
       graph.path AS graph, node.idx, node.name, node.kind, op.name AS op, node.target,
       delegate.backend, node.delegate_id, value.dtype, value.shape, value.device,
       value.nbytes, node.value_id, module.fqn AS module, module.type AS module_type,
       frame.file, frame.line, frame.function, node.trace_id, node.op_id, node.op_index,
       node.jump, node.args, node.custom, node.debug_handle, node.meta
  FROM node
  JOIN graph ON graph.id = node.graph_id
  JOIN method ON method.id = graph.method_id
  LEFT JOIN op ON op.id = node.op_id
  LEFT JOIN delegate ON delegate.id = node.delegate_id
  LEFT JOIN value ON value.id = node.value_id
  LEFT JOIN module ON module.id = node.module_id
  LEFT JOIN frame ON frame.trace_id = node.trace_id
   AND frame.pos = (SELECT pos FROM (SELECT pos, file, replace(file, '\', '/') AS path
                                       FROM frame WHERE trace_id = node.trace_id) AS own
                     WHERE NOT (path LIKE '<eval_with_key>%'
                                OR path LIKE '%-packages/torch/%'
                                OR path LIKE '%-packages/torchao/%'
                                OR path LIKE '%-packages/executorch/%'
                               AND path NOT LIKE '%-packages/executorch/examples/%')
                     ORDER BY substr(file, 1, 1) = '<', pos DESC LIMIT 1);

-- Uses: node `dst` reads, as its use number `pos`, what node `src` made.
CREATE VIEW v_edge AS
SELECT edge.src AS src_id, edge.dst AS dst_id, method.name AS method,
       graph.path AS graph, s.name AS src, d.name AS dst, edge.pos, edge.value_id,
       value.dtype, value.shape, value.nbytes, d.graph_id
  FROM edge
  JOIN node AS s ON s.id = edge.src
  JOIN node AS d ON d.id = edge.dst
  JOIN graph ON graph.id = d.graph_id
  JOIN method ON method.id = graph.method_id
  LEFT JOIN value ON value.id = edge.value_id;

-- Values: the EValues of a .pte, the results of the nodes of a .pt2.
CREATE VIEW v_value AS
SELECT value.id AS value_id, value.graph_id, graph.method_id, method.name AS method,
       graph.path AS graph, value.idx, value.name, value.kind, value.dtype, value.shape,
       value.strides, value.dim_order, value.device, value.nbytes, value.storage,
       value.dynamism, value.mem_id, value.mem_offset, value.data_index,
       value.requires_grad, value.storage_offset, value.layout, value.scalar, value.items
  FROM value
  JOIN graph ON graph.id = value.graph_id
  JOIN method ON method.id = graph.method_id;

-- Operators that are called, listed or named, with PyTorch's schema where it is known
-- and how many nodes call them.
CREATE VIEW v_op AS
SELECT op.id AS op_id, name, namespace, args, returns,
       flags & 1 AS core, flags / 2 & 1 AS view, flags / 4 & 1 AS pointwise,
       flags / 8 & 1 AS nondeterministic, flags / 16 & 1 AS portable,
       flags / 32 & 1 AS mutates,
       (SELECT count(*) FROM node WHERE op_id = op.id) AS calls
  FROM op;

-- Parts of a method that a backend runs, and how many nodes call them.
CREATE VIEW v_delegate AS
SELECT delegate.id AS delegate_id, delegate.method_id, method.name AS method,
       delegate.idx, delegate.name, backend, location, blob_index, blob_offset,
       blob_bytes, blob_sha256, blob_xxh3, graph.path AS lowered_from, graph_id,
       (SELECT count(*) FROM node WHERE delegate_id = delegate.id
           AND kind IN ('delegate_call', 'call_function')) AS calls, inside_id
  FROM delegate
  JOIN method ON method.id = delegate.method_id
  LEFT JOIN graph ON graph.id = graph_id;

-- What a delegate was told at compile time.
CREATE VIEW v_compile_spec AS
SELECT delegate_id, method.name AS method, delegate.idx AS delegate, backend, pos, key,
       value
  FROM compile_spec
  JOIN delegate ON delegate.id = delegate_id
  JOIN method ON method.id = method_id;

-- Keys of named data that delegates look up, where the blob says them. nbytes NULL: it
-- takes as many bytes as there are.
CREATE VIEW v_delegate_key AS
SELECT delegate_id, method.name AS method, delegate.idx AS delegate, backend, pos, key,
       delegate_key.kind, nbytes
  FROM delegate_key
  JOIN delegate ON delegate.id = delegate_id
  JOIN method ON method.id = method_id;

-- What delegates compute, where their blobs say it: one graph a blob, and how many
-- delegates have that. v_delegate.inside_id leads here.
CREATE VIEW v_delegate_graph AS
SELECT delegate_graph.id AS graph_id, method_id, method.name AS method, path, kind, format,
       meta,
       (SELECT count(*) FROM delegate WHERE inside_id = delegate_graph.id) AS delegates,
       (SELECT count(*) FROM delegate_node WHERE graph_id = delegate_graph.id) AS nodes
  FROM delegate_graph JOIN method ON method.id = method_id;

-- Nodes inside of delegates, in stored order; type and shape are those of the first result.
CREATE VIEW v_delegate_node AS
SELECT delegate_node.id AS node_id, delegate_node.graph_id, method.name AS method,
       delegate_graph.path AS graph, delegate_node.idx, delegate_node.name, op, args,
       delegate_node.flags, output_min, output_max, debug_handle, dtype, shape,
       delegate_value.id AS value_id
  FROM delegate_node
  JOIN delegate_graph ON delegate_graph.id = delegate_node.graph_id
  JOIN method ON method.id = delegate_graph.method_id
  LEFT JOIN delegate_value ON delegate_value.id =
       (SELECT value_id FROM delegate_operand WHERE node_id = delegate_node.id
           AND access = 'write' ORDER BY pos LIMIT 1);

-- Tensors inside of delegates. role: input, output, constant, internal; key: of the named
-- data that has the bytes.
CREATE VIEW v_delegate_value AS
SELECT delegate_value.id AS value_id, delegate_value.graph_id, method.name AS method,
       delegate_graph.path AS graph, delegate_value.idx,
       CASE WHEN delegate_value.flags & 1 <> 0 THEN 'input'
            WHEN delegate_value.flags & 2 <> 0 THEN 'output'
            WHEN constant_idx IS NOT NULL THEN 'constant' ELSE 'internal' END AS role,
       dtype, datatype, shape, delegate_value.nbytes, quantization, flags, external_id,
       constant_idx, key, node_id, delegate_value.name
  FROM delegate_value
  JOIN delegate_graph ON delegate_graph.id = delegate_value.graph_id
  JOIN method ON method.id = delegate_graph.method_id
  LEFT JOIN delegate_constant ON delegate_constant.graph_id = delegate_value.graph_id
   AND delegate_constant.idx = constant_idx;

-- What nodes inside of delegates read and write. access: read, write. value_id NULL: the
-- blob defines no such value; missing: what it calls it, where it names values.
CREATE VIEW v_delegate_operand AS
SELECT delegate_operand.node_id, delegate_node.name AS node, pos, delegate_operand.name,
       value_idx, value_id, access, dtype, shape, delegate_node.graph_id,
       method.name AS method, path AS graph, missing
  FROM delegate_operand
  JOIN delegate_node ON delegate_node.id = delegate_operand.node_id
  JOIN delegate_graph ON delegate_graph.id = delegate_node.graph_id
  JOIN method ON method.id = method_id
  LEFT JOIN delegate_value ON delegate_value.id = value_id;

-- Uses inside of delegates: node `dst` reads, as its operand `pos`, what node `src` made.
CREATE VIEW v_delegate_edge AS
SELECT s.id AS src_id, d.id AS dst_id, s.name AS src, d.name AS dst, pos, value_id, dtype,
       shape, d.graph_id, method.name AS method, path AS graph
  FROM delegate_operand
  JOIN delegate_value ON delegate_value.id = value_id
  JOIN delegate_node AS s ON s.id = delegate_value.node_id
  JOIN delegate_node AS d ON d.id = delegate_operand.node_id
  JOIN delegate_graph ON delegate_graph.id = d.graph_id
  JOIN method ON method.id = method_id
 WHERE access = 'read';

-- Constants of delegates: bytes that blobs keep (file_offset), or look up by key.
CREATE VIEW v_delegate_constant AS
SELECT graph_id, method.name AS method, path AS graph, delegate_constant.idx, key,
       delegate_constant.offset,
       coalesce(delegate_constant.file_offset,
                (SELECT min(segment.file_offset) FROM named_data
                   JOIN segment ON segment.artifact_id = named_data.artifact_id
                    AND segment.idx = segment_idx
                  WHERE named_data.artifact_id = method.artifact_id
                    AND named_data.key = delegate_constant.key)) AS file_offset, nbytes
  FROM delegate_constant
  JOIN delegate_graph ON delegate_graph.id = graph_id
  JOIN method ON method.id = method_id;

-- What nodes inside of delegates cost, one run of their graph.
CREATE VIEW v_delegate_cost AS
SELECT node_id, delegate_node.graph_id, method.name AS method, path AS graph,
       delegate_node.idx, delegate_node.name, op, flops, bytes
  FROM delegate_cost
  JOIN delegate_node ON delegate_node.id = node_id
  JOIN delegate_graph ON delegate_graph.id = delegate_node.graph_id
  JOIN method ON method.id = method_id;

-- Shared objects that AOTInductor compiled. glibc: the newest version that one asks for;
-- undefined: symbols that others must have; shims: those of the runtime among them.
CREATE VIEW v_library AS
SELECT library.id AS library_id, artifact_id, name, format, machine, soname, build_id,
       file_offset, nbytes, constants_bytes, weights_bytes, weights, meta,
       (SELECT wanted FROM (
            SELECT CASE WHEN name = 'GLIBC_ABI_DT_RELR' THEN '2.36'
                   WHEN substr(name, 7, 1) = 'A' THEN '2.42' ELSE substr(name, 7) END
                   AS wanted FROM library_version
             WHERE library_id = library.id AND weak = 0 AND (name IN
               ('GLIBC_ABI_DT_RELR', 'GLIBC_ABI_GNU2_TLS', 'GLIBC_ABI_DT_X86_64_PLT')
               OR substr(name, 1, 6) = 'GLIBC_' AND substr(name, 7, 1) BETWEEN '0' AND '9')
            ) AS version
         ORDER BY instr(wanted || '.', '.') DESC, substr(wanted, 1, instr(wanted || '.', '.')) DESC,
                  instr(substr(wanted, instr(wanted, '.') + 1) || '.', '.') DESC,
                  substr(wanted, instr(wanted, '.') + 1) DESC
         LIMIT 1) AS glibc,
       (SELECT count(*) FROM library_symbol WHERE library_id = library.id
           AND kind = 'undefined') AS undefined,
       (SELECT count(*) FROM library_symbol WHERE library_id = library.id
           AND kind = 'undefined' AND version IS NULL
           AND (substr(name, 1, 5) = 'aoti_' OR substr(name, 1, 6) = 'torch_')) AS shims
  FROM library;

-- Libraries that must be there when one is loaded.
CREATE VIEW v_library_need AS
SELECT library_id, library.name AS library, pos, library_need.name
  FROM library_need JOIN library ON library.id = library_id;

-- Their dynamic symbols. file: the library that must have the version.
CREATE VIEW v_library_symbol AS
SELECT library_symbol.library_id, library.name AS library, library_symbol.pos,
       library_symbol.name, version, file, kind
  FROM library_symbol JOIN library ON library.id = library_symbol.library_id
  LEFT JOIN library_version ON library_version.library_id = library_symbol.library_id
   AND library_version.pos = (SELECT min(pos) FROM library_version AS v
        WHERE v.library_id = library_symbol.library_id AND v.name = version);

-- Their constants, where the package or the blob lists them.
CREATE VIEW v_library_constant AS
SELECT library_id, library.name AS library, idx, library_constant.name, fqn, dtype, shape,
       strides, library_constant.offset, library_constant.nbytes, folded
  FROM library_constant JOIN library ON library.id = library_id;

-- Code for GPUs, and its kernels: a row for each, and one with kernel NULL of code whose
-- kernels are not read.
CREATE VIEW v_gpu_kernel AS
SELECT gpu_code.id AS code_id, gpu_code.artifact_id, library.name AS library,
       gpu_code.name AS code, gpu_code.format, target, ptx, gpu_code.file_offset,
       gpu_code.nbytes, compressed, gpu_kernel.name AS kernel, registers, shared_bytes,
       stack_bytes
  FROM gpu_code LEFT JOIN library ON library.id = library_id
  LEFT JOIN gpu_kernel ON code_id = gpu_code.id;

-- Stretches of the file: segments of a .pte or .ptd, entries of an archive.
CREATE VIEW v_segment AS
SELECT segment.id AS segment_id, artifact_id, artifact.path AS artifact, idx, name,
       segment.kind, segment.offset, file_offset, segment.size_bytes, stored_bytes,
       segment.sha256, segment.xxh3
  FROM segment JOIN artifact ON artifact.id = artifact_id;

-- Weights, buffers and constants: where their bytes lie in the file.
CREATE VIEW v_constant AS
SELECT constant.id AS constant_id, constant.artifact_id, constant.method_id,
       method.name AS method, constant.idx, fqn, constant.kind, dtype, shape, strides,
       storage_offset, segment_id, segment.name AS segment, constant.file_offset, nbytes,
       constant.sha256, constant.xxh3
  FROM constant
  LEFT JOIN method ON method.id = constant.method_id
  LEFT JOIN segment ON segment.id = segment_id;

-- Data that delegates and programs look up by key.
CREATE VIEW v_named_data AS
SELECT named_data.artifact_id, named_data.idx, key, segment_idx, segment.id AS segment_id,
       named_data.size_bytes, dtype, shape, dim_order, segment.file_offset
  FROM named_data
  LEFT JOIN segment ON segment.artifact_id = named_data.artifact_id
   AND segment.idx = segment_idx;

-- Planned memory, with how many tensors lie in it. Arena 0 is reserved.
CREATE VIEW v_arena AS
SELECT method_id, method.name AS method, arena.idx, size_bytes, arena.device,
       (SELECT count(*) FROM value JOIN graph ON graph.id = value.graph_id
         WHERE graph.method_id = arena.method_id AND storage = 'planned'
           AND mem_id = arena.idx) AS tensors
  FROM arena JOIN method ON method.id = method_id;

-- Python stack of a node, outermost frame first.
CREATE VIEW v_frame AS
SELECT node.id AS node_id, node.name AS node, frame.pos, file, line, function, code,
       frame.trace_id
  FROM node JOIN frame ON frame.trace_id = node.trace_id;

-- Broken rules.
CREATE VIEW v_finding AS
SELECT finding.id AS finding_id, finding.artifact_id, rule, severity,
       method.name AS method, graph.path AS graph, node.name AS node,
       CASE method.ir WHEN 'pte' THEN value.idx ELSE coalesce(value.name, value.idx) END
       AS value, message, witness, fingerprint,
       finding.method_id, finding.graph_id, finding.node_id, finding.value_id
  FROM finding
  LEFT JOIN method ON method.id = finding.method_id
  LEFT JOIN graph ON graph.id = finding.graph_id
  LEFT JOIN node ON node.id = finding.node_id
  LEFT JOIN value ON value.id = finding.value_id;

-- Inputs and outputs of methods and lowered modules. direction: input, output.
CREATE VIEW v_signature AS
SELECT signature.graph_id, graph.method_id, method.name AS method, graph.path AS graph,
       direction, pos, signature.name, signature.kind, spec, signature.target,
       persistent, literal, signature.value_id, value_idx, value.dtype, value.shape,
       value.dim_order, value.device, value.nbytes, planned
  FROM signature
  JOIN graph ON graph.id = signature.graph_id
  JOIN method ON method.id = graph.method_id
  LEFT JOIN value ON value.id = signature.value_id;

-- Operands of instructions. access: read, write, both. An operand that is no value of
-- the method has value_id NULL.
CREATE VIEW v_operand AS
SELECT node_id, node.name AS node, pos, value_idx, operand.value_id, access, value.kind,
       value.dtype, value.shape, node.graph_id
  FROM operand
  JOIN node ON node.id = node_id
  LEFT JOIN value ON value.id = operand.value_id;

-- Arguments that name nothing in their graph.
CREATE VIEW v_dangling AS
SELECT node_id, node.name AS node, pos, dangling.name, node.graph_id
  FROM dangling JOIN node ON node.id = node_id;

-- Operators that a .pte method lists, called or not.
CREATE VIEW v_plan_operator AS
SELECT method_id, method.name AS method, plan_operator.idx, op.name AS op, op_id
  FROM plan_operator
  JOIN method ON method.id = method_id
  LEFT JOIN op ON op.id = op_id;

-- Example inputs that a .pt2 carries, leaf by leaf.
CREATE VIEW v_sample_input AS
SELECT method_id, method.name AS method, pos, path, kind, dtype, shape, strides,
       file_offset, storage_offset, nbytes, scalar
  FROM sample_input JOIN method ON method.id = method_id;

-- What symbolic sizes may be. NULL: no bound.
CREATE VIEW v_range AS
SELECT graph_id, method.name AS method, path AS graph, symbol, min, max
  FROM range_constraint
  JOIN graph ON graph.id = graph_id
  JOIN method ON method.id = method_id;

-- What a reader saw and no row can show.
CREATE VIEW v_remark AS
SELECT remark.id AS remark_id, remark.artifact_id, rule, method.name AS method,
       graph.path AS graph, node.name AS node, text
  FROM remark
  LEFT JOIN method ON method.id = remark.method_id
  LEFT JOIN graph ON graph.id = remark.graph_id
  LEFT JOIN node ON node.id = remark.node_id;

-- Tags of plans, with how many nodes they have, and how many of those are calls.
CREATE VIEW v_partition AS
SELECT partition.id AS partition_id, part_run_id, part_run.artifact_id, source,
       method.name AS method, graph.path AS graph, pos, number, tag, backend, declared,
       (SELECT count(*) FROM partition_node WHERE partition_id = partition.id) AS nodes,
       (SELECT count(*) FROM partition_node JOIN node ON node.id = node_id
         WHERE partition_id = partition.id AND node.kind = 'call_function') AS calls,
       graph_id, method_id
  FROM partition
  JOIN part_run ON part_run.id = part_run_id
  JOIN graph ON graph.id = graph_id
  JOIN method ON method.id = method_id;

-- Nodes that a plan tags.
CREATE VIEW v_partition_node AS
SELECT part_run_id, partition_id, tag, partition_node.pos, node_id, node.name AS node,
       node.kind, op.name AS op, node.graph_id
  FROM partition_node
  JOIN partition ON partition.id = partition_id
  JOIN node ON node.id = node_id
  LEFT JOIN op ON op.id = op_id;

-- Why nodes stay on the host, one row per reason.
CREATE VIEW v_reject AS
SELECT part_run_id, method.name AS method, graph.path AS graph, node.name AS node,
       op.name AS op, reason, text, node_id, node.graph_id
  FROM reject
  JOIN node ON node.id = node_id
  JOIN graph ON graph.id = node.graph_id
  JOIN method ON method.id = method_id
  LEFT JOIN op ON op.id = op_id;

-- Costs of calls: kernels, delegates, FX nodes that compute. getitem has none, nor has a
-- call of a delegate whose nodes are stored. Symbolic sizes count with their upper
-- bounds; what is not known is NULL. `backend` is the delegate that runs the call, or
-- that the newest plan gives it to: its tag, where the plan has no backend. Branches of
-- control flow go where their operator goes.
CREATE VIEW v_cost AS
WITH plan AS (
    SELECT node_id, min(coalesce(backend, tag)) AS backend
      FROM partition_node JOIN partition ON partition.id = partition_id
     WHERE part_run_id IN (SELECT max(id) FROM part_run GROUP BY artifact_id)
     GROUP BY node_id),
branch AS (
    SELECT inside.id AS graph_id, min(backend) AS backend
      FROM plan CROSS JOIN edge ON dst = plan.node_id
     CROSS JOIN node ON node.id = src AND node.kind = 'get_attr'
     CROSS JOIN graph AS home ON home.id = node.graph_id AND home.path = ''
     CROSS JOIN graph AS inside ON inside.kind = 'branch'
       AND inside.method_id = home.method_id AND node.target =
           substr(inside.path, 1, instr(inside.path || '.', '.') - 1)
     WHERE EXISTS (SELECT 1 FROM graph WHERE kind = 'branch') GROUP BY inside.id)
SELECT cost.node_id, node.graph_id, graph.method_id, method.name AS method,
       graph.path AS graph, node.idx, node.name, node.kind, op.name AS op, flops, bytes,
       coalesce(called.backend, lowered.backend, plan.backend, branch.backend)
       AS backend
  FROM cost
  JOIN node ON node.id = cost.node_id
  JOIN graph ON graph.id = node.graph_id
  JOIN method ON method.id = graph.method_id
  LEFT JOIN op ON op.id = node.op_id
  LEFT JOIN delegate AS called ON called.id = node.delegate_id
  LEFT JOIN (SELECT graph_id, min(backend) AS backend FROM delegate
              WHERE graph_id IS NOT NULL GROUP BY graph_id) AS lowered
         ON lowered.graph_id = node.graph_id
  LEFT JOIN plan ON plan.node_id = cost.node_id
  LEFT JOIN branch ON branch.graph_id = node.graph_id;

-- Instructions between which the bytes of planned values matter. `via`: the value that
-- names them after a move. first -1: filled before the first instruction; last: the
-- number of instructions where needed after the last one.
CREATE VIEW v_lifetime AS
SELECT lifetime.value_id, value.graph_id, graph.method_id, method.name AS method,
       value.idx AS value, value.name, value.dtype, value.shape, value.mem_id AS arena,
       value.mem_offset AS "offset", value.nbytes AS bytes, first, last, via.idx AS via,
       CASE WHEN first < 0 AND NOT EXISTS (SELECT 1 FROM signature AS s
                 WHERE s.graph_id = value.graph_id AND s.direction = 'input'
                   AND s.value_id = value.id) THEN 1 ELSE 0 END AS state
  FROM lifetime
  JOIN value ON value.id = lifetime.value_id
  JOIN graph ON graph.id = value.graph_id
  JOIN method ON method.id = graph.method_id
  LEFT JOIN value AS via ON via.id = lifetime.via_id;

-- Live bytes of each arena at each instruction.
CREATE VIEW v_occupancy AS
SELECT occupancy.graph_id, graph.method_id, method.name AS method, arena, arena.device,
       arena.size_bytes, occupancy.idx, occupancy.bytes
  FROM occupancy
  JOIN graph ON graph.id = occupancy.graph_id
  JOIN method ON method.id = graph.method_id
  LEFT JOIN arena ON arena.method_id = graph.method_id AND arena.idx = occupancy.arena;

-- Results of runs: one row per output, and with --each per node. What is not defined is
-- NULL: snr_db where nothing differs.
CREATE VIEW v_numeric AS
SELECT num_result.id AS result_id, run_id, num_run.artifact_id, method.name AS method,
       part, device, reference, inputs, call, num_result.kind, pos, num_result.name, op,
       num_result.dtype, num_result.shape, tolerance, verdict, why, elements, compared,
       snr_db, max_abs, max_rel, max_ulp, cosine, rmse, mismatches, nan_ref, nan_got,
       inf_ref, inf_got, worst_index, worst_ref, worst_got, error, floor, allowed,
       snr_limit, ulp_limit, rtol, atol, pass_rtol, pass_atol, node_id
  FROM num_result
  JOIN num_run ON num_run.id = run_id
  LEFT JOIN method ON method.id = num_run.method_id;

-- Differences from an older program (diff --store): one row each. `class` is what
-- --ignore calls it (NULL: it is always told), node_id a node of the new program.
CREATE VIEW v_diff AS
SELECT difference.id AS difference_id, comparison_id, comparison.old AS old_path,
       artifact.path AS new_path, difference.kind, change, class, method, graph, module,
       what, name, difference.old, new, note, count, node_id
  FROM difference
  JOIN comparison ON comparison.id = comparison_id
  JOIN artifact ON artifact.id = comparison.artifact_id;

-- Which nodes of the program that a .pte was made from (from_*) an instruction is, or the node
-- inside of its delegate; NULL inside: the instruction as a whole.
CREATE VIEW v_lineage AS
SELECT method.artifact_id, method.id AS method_id, method.name AS method, lineage.node_id,
       node.idx, node.name AS node, coalesce(op.name, delegate.backend) AS op, lineage.inside_id,
       inside.name AS inside, inside.op AS inside_op, from_id, source.method_id AS from_method_id,
       source.name AS from_node, source.op AS from_op, source.module, source.file, source.line
  FROM lineage JOIN node ON node.id = lineage.node_id JOIN graph ON graph.id = node.graph_id
  JOIN method ON method.id = graph.method_id LEFT JOIN op ON op.id = node.op_id
  LEFT JOIN delegate ON delegate.id = node.delegate_id
  LEFT JOIN delegate_node AS inside ON inside.id = lineage.inside_id
  JOIN v_node AS source ON source.node_id = from_id;

-- Runs that ETDumps tell of. method: of the .pte, where its instructions are in it; took: of
-- the call as a whole, in nanoseconds or ticks of the device's clock.
CREATE VIEW v_profile AS
SELECT profile.id AS profile_id, profile.artifact_id, artifact.path AS artifact, profile.idx,
       profile.name, profile.input, method_id, method.name AS method,
       (SELECT max("end" - begin) FROM profile_event WHERE profile_id = profile.id
           AND kind = 'time' AND chain < 0 AND profile_event.name = 'Method::execute') AS took,
       (SELECT count(*) FROM profile_event WHERE profile_id = profile.id) AS events
  FROM profile JOIN artifact ON artifact.id = profile.artifact_id
  LEFT JOIN method ON method.id = method_id;

-- What was measured in them.
CREATE VIEW v_profile_event AS
SELECT profile_id, profile.artifact_id, profile.idx AS run, method.name AS method, event.idx,
       event.kind,
       event.name, chain, instruction, part, begin, "end", "end" - begin AS took, nbytes,
       event.node_id, node.name AS node
  FROM profile_event AS event JOIN profile ON profile.id = profile_id
  LEFT JOIN method ON method.id = method_id LEFT JOIN node ON node.id = event.node_id;

-- What an instruction took in a run, and (part) what a delegate says of parts of its call: of
-- so many runs the median, the least, the most, and the sum, in nanoseconds or ticks. calls: in
-- all of them; in a loop an instruction is called several times in one run, whose sum counts.
CREATE VIEW v_timing AS
WITH run AS (
    SELECT node_id, part, profile_id, sum("end" - begin) AS took, count(*) AS calls
      FROM profile_event
     WHERE node_id IS NOT NULL AND kind = 'time' AND "end" >= begin
       AND (part IS NOT NULL OR name IN ('OPERATOR_CALL', 'DELEGATE_CALL'))
     GROUP BY node_id, part, profile_id),
event AS (
    SELECT node_id, part, took, calls,
           row_number() OVER (PARTITION BY node_id, part ORDER BY took) AS at,
           count(*) OVER (PARTITION BY node_id, part) AS n
      FROM run)
SELECT method.artifact_id, method.id AS method_id, method.name AS method, node_id,
       node.name AS node, op.name AS op, delegate.backend, part, n AS runs,
       sum(calls) AS calls,
       avg(CASE WHEN at IN ((n + 1) / 2, (n + 2) / 2) THEN took END) AS median,
       min(took) AS least, max(took) AS most, sum(took) AS total
  FROM event JOIN node ON node.id = node_id JOIN graph ON graph.id = node.graph_id
  JOIN method ON method.id = graph.method_id LEFT JOIN op ON op.id = op_id
  LEFT JOIN delegate ON delegate.id = delegate_id
 GROUP BY method.artifact_id, method.id, node_id, node.name, op.name, delegate.backend, part,
          n;

-- Builds of a store that load --append made, and what they are compared by.
CREATE VIEW v_build AS
SELECT build.id AS build_id, build.name, build.artifact_id, path, kind, sha256,
       (SELECT '{' || coalesce(group_concat('"' ||
               replace(replace(replace(replace(replace(label.name, '\', '\\'), '"', '\"'),
                 char(10), '\n'), char(13), '\r'), char(9), '\t') || '":"' ||
               replace(replace(replace(replace(replace(label.value, '\', '\\'), '"', '\"'),
                 char(10), '\n'), char(13), '\r'), char(9), '\t') || '"'), '') || '}'
          FROM (SELECT name, value FROM build_label WHERE build_id = build.id
                 ORDER BY name) AS label) AS labels,
       max(CASE measure.name WHEN 'file-size' THEN measure.value END) AS file_size,
       max(CASE measure.name WHEN 'delegated-ops' THEN measure.value END) AS delegated_ops,
       max(CASE measure.name WHEN 'partition-count' THEN measure.value END) AS partitions,
       max(CASE measure.name WHEN 'peak-memory' THEN measure.value END) AS peak_memory,
       max(CASE measure.name WHEN 'host-calls' THEN measure.value END) AS host_calls,
       max(CASE measure.name WHEN 'flops' THEN measure.value END) AS flops,
       max(CASE measure.name WHEN 'errors' THEN measure.value END) AS errors,
       max(CASE measure.name WHEN 'warnings' THEN measure.value END) AS warnings,
       max(CASE measure.name WHEN 'notes' THEN measure.value END) AS notes,
       max(CASE measure.name WHEN 'time' THEN measure.value END) AS time
  FROM build JOIN artifact ON artifact.id = build.artifact_id
  LEFT JOIN measure ON measure.build_id = build.id GROUP BY build.id, path, kind, sha256;
