-- The graph store: readers fill it, verifiers add findings, reports read it.
-- The tables may change with the schema generation (PRAGMA user_version); the views at
-- the end, v_*, are what scripts may rely on. Ids are 1, 2, 3... in file order.
PRAGMA application_id = 0x44475246; -- "DGRF"
PRAGMA user_version = 5;

-- How the store was made: tool_version, sqlite_version, hashed, SOURCE_DATE_EPOCH's time.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- A file that was loaded.
CREATE TABLE artifact (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL,
    kind       TEXT NOT NULL,    -- pte, pt2, ptd, ...
    size_bytes INTEGER NOT NULL,
    sha256     TEXT,             -- NULL unless hashes were asked for
    xxh3       TEXT,             -- XXH3-128, likewise
    version    TEXT NOT NULL,    -- what the format says of itself: a JSON object
    container  TEXT,             -- layout: "pt2 archive 0", "torch 2.7 archive", "extended header", ...
    companion_of INTEGER REFERENCES artifact, -- the program that it was given with; NULL: it stands alone
    role       TEXT              -- of a companion: data (a .ptd of a .pte), program (the .pt2 that a .pte was made from)
) STRICT;

-- What whoever checks says of the target, which no file does. One row per value: op (an
-- operator that the runtime has), method (that the program must have), backend (that the
-- runtime has), for (executorch: the program is about to be lowered), skip-h2d-inputs,
-- limit.NAME (the bound of budget/NAME).
CREATE TABLE setting (
    name  TEXT NOT NULL,
    value TEXT NOT NULL
) STRICT;

-- A stretch of the file: a segment of a .pte or .ptd, an entry of a .pt2 archive.
CREATE TABLE segment (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    idx         INTEGER NOT NULL, -- as the format numbers it
    name        TEXT,             -- entry name in an archive
    kind        TEXT NOT NULL,    -- constant, mutable, delegate, named_data, unreferenced; entry kinds of an archive: model, weight, constant, config, sample_inputs, extra, meta, other
    offset      INTEGER NOT NULL, -- as the format states it: of a .pte from the start of its segments
    file_offset INTEGER,          -- from the start of the file; NULL when it lies outside
    size_bytes  INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,-- less than size_bytes where compressed
    sha256      TEXT,
    xxh3        TEXT
) STRICT;

-- A method of a .pte; a model of a .pt2.
CREATE TABLE method (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    idx         INTEGER NOT NULL,
    name        TEXT NOT NULL,
    ir          TEXT NOT NULL,    -- pte, aten, edge
    in_spec     TEXT,             -- pytree of the inputs as the file spells it
    out_spec    TEXT
) STRICT;

-- One list of nodes. Path "" is the method's own; branches and lowered modules join the
-- names of the attributes that lead to them with ".".
CREATE TABLE graph (
    id        INTEGER PRIMARY KEY,
    method_id INTEGER NOT NULL REFERENCES method,
    path      TEXT NOT NULL,
    kind      TEXT NOT NULL       -- method, branch, lowered (what a delegate was made from)
) STRICT;

-- An operator or other target of calls, once per store.
CREATE TABLE op (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL,      -- aten::add.Tensor, _operator.getitem, higher_order::cond
    namespace TEXT NOT NULL,      -- aten, _operator, ...
    args      TEXT,               -- schema of the arguments; NULL when it is not known
    returns   TEXT,
    flags     INTEGER NOT NULL    -- enum dg_op_flag
) STRICT;

-- A module of the Python program (from nn_module_stack).
CREATE TABLE module (
    id   INTEGER PRIMARY KEY,
    fqn  TEXT NOT NULL,           -- "layers.0.attn"; "" is the root
    type TEXT
) STRICT;

-- A stack trace of the Python program, as the file spells it.
CREATE TABLE trace (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

-- Its frames, outermost first.
CREATE TABLE frame (
    trace_id INTEGER NOT NULL REFERENCES trace,
    pos      INTEGER NOT NULL,
    file     TEXT NOT NULL,
    line     INTEGER,
    function TEXT,
    code     TEXT,
    PRIMARY KEY (trace_id, pos)
) STRICT, WITHOUT ROWID;

-- A part of a method that was handed to a backend.
CREATE TABLE delegate (
    id          INTEGER PRIMARY KEY,
    method_id   INTEGER NOT NULL REFERENCES method,
    idx         INTEGER NOT NULL,
    name        TEXT,             -- lowered module, where the file names it
    backend     TEXT,             -- NULL where the file lacks it
    location    TEXT,             -- inline, segment
    blob_index  INTEGER,          -- segment or inline number as stored, even when out of range
    blob_offset INTEGER,          -- from the start of the file; NULL when not a plain stretch of it
    blob_bytes  INTEGER,
    blob_sha256 TEXT,
    blob_xxh3   TEXT,
    graph_id    INTEGER REFERENCES graph -- what it was lowered from, where the file keeps it
) STRICT;

CREATE TABLE compile_spec (
    delegate_id INTEGER NOT NULL REFERENCES delegate,
    pos         INTEGER NOT NULL,
    key         TEXT,
    value       BLOB,
    PRIMARY KEY (delegate_id, pos)
) STRICT, WITHOUT ROWID;

-- A key that a delegate looks up in the named data of its program, or of a .ptd. Only
-- backends whose blobs are understood have rows: XNNPACK, CUDA, Metal, Vulkan.
CREATE TABLE delegate_key (
    delegate_id INTEGER NOT NULL REFERENCES delegate,
    pos         INTEGER NOT NULL,
    key         TEXT NOT NULL,
    kind        TEXT NOT NULL,    -- library (code), weights
    nbytes      INTEGER,          -- that the delegate will read; NULL: as many as there are
    PRIMARY KEY (delegate_id, pos)
) STRICT, WITHOUT ROWID;

-- A value: an EValue of a .pte; the result of a node of a .pt2.
CREATE TABLE value (
    id           INTEGER PRIMARY KEY,
    graph_id     INTEGER NOT NULL REFERENCES graph,
    idx          INTEGER NOT NULL, -- EValue index; position among the graph's values
    name         TEXT,             -- of a .pt2; fully qualified name in a .pte, where stored
    kind         TEXT NOT NULL,    -- tensor int bool double string null int_list ... sym_int sym_float sym_bool custom_obj
    dtype        TEXT,             -- f32, i64, bool, ...
    shape        TEXT,             -- JSON: [1,"s0",3]; of a .pte the upper bound
    strides      TEXT,             -- JSON, where the format states them
    dim_order    TEXT,             -- JSON, likewise
    device       TEXT,             -- cpu, cuda:0
    nbytes       INTEGER,          -- NULL when not a number
    storage      TEXT,             -- of a .pte tensor: constant, mutable, planned, external, runtime
    dynamism     TEXT,             -- static, bounded, unbounded
    mem_id       INTEGER,          -- arena as stored
    mem_offset   INTEGER,
    data_index   INTEGER,          -- data_buffer_idx as stored; NULL of a mutable tensor that starts as named data
    requires_grad INTEGER,
    storage_offset ANY,            -- elements; an expression when symbolic
    layout       TEXT,             -- strided, sparse_coo, ...
    scalar       ANY,              -- of int, bool, double, string
    items        TEXT              -- of lists: JSON; of int_list, tensor_list: EValue indices
) STRICT;

-- A call, an instruction, a placeholder...
CREATE TABLE node (
    id           INTEGER PRIMARY KEY,
    graph_id     INTEGER NOT NULL REFERENCES graph,
    idx          INTEGER NOT NULL, -- execution order; the instruction's number
    name         TEXT NOT NULL,    -- FX name; of an instruction op_<idx>
    kind         TEXT NOT NULL,    -- placeholder get_attr call_function output; kernel_call delegate_call move_call jump_false_call free_call unknown
    op_id        INTEGER REFERENCES op,
    target       TEXT,             -- of placeholder and get_attr
    op_index     INTEGER,          -- operator or delegate index of an instruction, as stored
    delegate_id  INTEGER REFERENCES delegate,
    jump         INTEGER,          -- destination_instruction
    value_id     INTEGER REFERENCES value, -- its result, where it is a single one
    module_id    INTEGER REFERENCES module,
    trace_id     INTEGER REFERENCES trace,
    args         TEXT,             -- of an FX node: JSON array of {"name", variant: value}
    custom       TEXT,             -- meta["custom"], JSON
    debug_handle TEXT,
    meta         TEXT              -- what else the file says of the node: JSON
) STRICT;

-- `dst` reads what `src` made. One row per use; `pos` counts the uses of `dst`.
CREATE TABLE edge (
    dst      INTEGER NOT NULL REFERENCES node,
    pos      INTEGER NOT NULL,
    src      INTEGER NOT NULL REFERENCES node,
    value_id INTEGER REFERENCES value,
    PRIMARY KEY (dst, pos)
) STRICT, WITHOUT ROWID;

-- Operands of an instruction, in stored order.
CREATE TABLE operand (
    node_id   INTEGER NOT NULL REFERENCES node,
    pos       INTEGER NOT NULL,
    value_idx INTEGER NOT NULL,    -- as stored, even when out of range
    value_id  INTEGER REFERENCES value, -- NULL when out of range
    access    TEXT NOT NULL,       -- read, write, both
    PRIMARY KEY (node_id, pos)
) STRICT, WITHOUT ROWID;

-- An argument that names nothing in its graph.
CREATE TABLE dangling (
    node_id INTEGER NOT NULL REFERENCES node,
    pos     INTEGER NOT NULL,
    name    TEXT NOT NULL,
    PRIMARY KEY (node_id, pos)
) STRICT, WITHOUT ROWID;

-- The signature: inputs and outputs of a method, and of each lowered module.
CREATE TABLE signature (
    graph_id   INTEGER NOT NULL REFERENCES graph,
    direction  TEXT NOT NULL,      -- input, output
    pos        INTEGER NOT NULL,
    name       TEXT,               -- argument name; NULL for a literal
    kind       TEXT NOT NULL,      -- tensor sym_int int float bool string none custom_obj token ...
    spec       TEXT,               -- InputKind/OutputKind in lower case; NULL in a .pte
    target     TEXT,               -- parameter, buffer, ... name
    persistent INTEGER,            -- of a buffer
    literal    ANY,                -- of a constant input or output
    value_id   INTEGER REFERENCES value,
    value_idx  INTEGER,            -- of a .pte: as stored, even when out of range
    planned    INTEGER,            -- of a .pte tensor: memory is planned
    PRIMARY KEY (graph_id, direction, pos)
) STRICT, WITHOUT ROWID;

-- What a symbolic size may be. NULL: no bound.
CREATE TABLE range_constraint (
    graph_id INTEGER NOT NULL REFERENCES graph,
    symbol   TEXT NOT NULL,
    min      ANY,
    max      ANY,
    PRIMARY KEY (graph_id, symbol)
) STRICT, WITHOUT ROWID;

-- Memory that a method plans ahead, as the format numbers it: 0 is reserved.
CREATE TABLE arena (
    method_id  INTEGER NOT NULL REFERENCES method,
    idx        INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    device     TEXT NOT NULL,
    PRIMARY KEY (method_id, idx)
) STRICT, WITHOUT ROWID;

-- Operators that a .pte method lists.
CREATE TABLE plan_operator (
    method_id INTEGER NOT NULL REFERENCES method,
    idx       INTEGER NOT NULL,
    op_id     INTEGER REFERENCES op,
    PRIMARY KEY (method_id, idx)
) STRICT, WITHOUT ROWID;

-- Bytes of a tensor that the file carries: weights, buffers, constants. The bytes stay
-- in the file.
CREATE TABLE constant (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    method_id   INTEGER REFERENCES method, -- NULL: belongs to the whole file
    idx         INTEGER NOT NULL,  -- data_buffer_idx; position in the weights
    fqn         TEXT,
    kind        TEXT NOT NULL,     -- parameter, buffer, constant, custom_obj, mutable, reserved
    dtype       TEXT,
    shape       TEXT,
    strides     TEXT,
    storage_offset INTEGER,        -- elements
    segment_id  INTEGER REFERENCES segment,
    file_offset INTEGER,           -- NULL: not a plain stretch of the file, or missing
    nbytes      INTEGER,           -- NULL when nothing says it
    sha256      TEXT,
    xxh3        TEXT,
    offset      INTEGER,           -- of a .pte: from the start of its segment, as stored
    found       TEXT               -- of a program that a .pte is held to, where that has its bytes: whole (a tensor of its own, in any order of elements), inside (a blob); other: nowhere, and a tensor of its type and size is no weight of the program (as many are marked as there are such tensors); uniform: nowhere, and a tensor of its type and size has equal elements; no; trivial: short or of equal elements, not looked for
) STRICT;

CREATE TABLE named_data (
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    idx         INTEGER NOT NULL,
    key         TEXT NOT NULL,
    segment_idx INTEGER NOT NULL,  -- as stored
    size_bytes  INTEGER,           -- NULL when the segment does not exist
    dtype       TEXT,              -- of a .ptd entry with a tensor layout
    shape       TEXT,
    dim_order   TEXT,
    layout_bytes INTEGER,          -- of a tensor of that layout
    PRIMARY KEY (artifact_id, idx)
) STRICT, WITHOUT ROWID;

-- A leaf of the example inputs that a .pt2 carries.
CREATE TABLE sample_input (
    method_id   INTEGER NOT NULL REFERENCES method,
    pos         INTEGER NOT NULL,
    path        TEXT NOT NULL,     -- args[0], kwargs.mask
    kind        TEXT NOT NULL,     -- tensor int float bool string none opaque
    dtype       TEXT,
    shape       TEXT,
    strides     TEXT,
    file_offset INTEGER,           -- of the storage
    storage_offset INTEGER,        -- elements
    nbytes      INTEGER,           -- of the storage
    scalar      ANY,
    PRIMARY KEY (method_id, pos)
) STRICT, WITHOUT ROWID;

-- What a reader saw and no row can show. Rules turn remarks into findings.
CREATE TABLE remark (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    rule        TEXT NOT NULL,     -- which rule asks for it: format/pt2-archive
    method_id   INTEGER REFERENCES method,
    graph_id    INTEGER REFERENCES graph,
    node_id     INTEGER REFERENCES node,
    value_id    INTEGER REFERENCES value,
    text        TEXT NOT NULL
) STRICT;

-- A plan: which nodes go to which delegate. Rules and reports use the newest plan of an
-- artifact.
CREATE TABLE part_run (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    source      TEXT NOT NULL,    -- custom (meta["custom"]["delegation_tag"]), plan (a file); partitioners: torch, aoti, single, group
    path        TEXT,             -- of the plan's file
    options     TEXT              -- of a partitioner: JSON
) STRICT;

-- The nodes of one graph that have one tag.
CREATE TABLE partition (
    id          INTEGER PRIMARY KEY,
    part_run_id INTEGER NOT NULL REFERENCES part_run,
    graph_id    INTEGER NOT NULL REFERENCES graph,
    pos         INTEGER NOT NULL, -- in the order of lowering
    number      INTEGER,          -- the partitioner's id
    tag         TEXT NOT NULL,
    declared    INTEGER,          -- whether the plan says what delegate the tag means; NULL: such a plan never does
    backend     TEXT
) STRICT;

-- What the delegate of a partition will be told at compile time.
CREATE TABLE partition_spec (
    partition_id INTEGER NOT NULL REFERENCES partition,
    pos          INTEGER NOT NULL,
    key          TEXT NOT NULL,
    value        TEXT NOT NULL,
    PRIMARY KEY (partition_id, pos)
) STRICT, WITHOUT ROWID;

CREATE TABLE partition_node (
    partition_id INTEGER NOT NULL REFERENCES partition,
    pos          INTEGER NOT NULL, -- as the partitioner lists them
    node_id      INTEGER NOT NULL REFERENCES node,
    PRIMARY KEY (partition_id, pos)
) STRICT, WITHOUT ROWID;

-- Why a node is in no partition of a plan.
CREATE TABLE reject (
    part_run_id INTEGER NOT NULL REFERENCES part_run,
    node_id     INTEGER NOT NULL REFERENCES node,
    pos         INTEGER NOT NULL,
    reason      TEXT NOT NULL,    -- op dtype rank dynamic-shape attribute prior-delegate getitem single-node non-compute
    text        TEXT NOT NULL,
    PRIMARY KEY (part_run_id, node_id, pos)
) STRICT, WITHOUT ROWID;

-- What a call costs; empty until it is asked for (`info`, `explain`, `query` of v_cost).
CREATE TABLE cost (
    node_id INTEGER PRIMARY KEY REFERENCES node,
    flops   INTEGER,              -- floating point operations; NULL: not known
    bytes   INTEGER               -- of the distinct tensors that it reads and writes; NULL: not known
) STRICT;

-- When the bytes of a planned value of a .pte matter; empty until it is asked for (`info
-- --memory`, `query` of v_lifetime). A value that several branches define, or that is
-- defined anew, has several rows.
CREATE TABLE lifetime (
    value_id INTEGER NOT NULL REFERENCES value, -- whose bytes
    via_id   INTEGER REFERENCES value, -- which value names them, after a move; NULL: their own
    first    INTEGER NOT NULL,    -- instruction; -1: filled before the first one
    last     INTEGER NOT NULL     -- instruction; the number of instructions: needed after the last one
) STRICT;

-- How many bytes of an arena are live at each instruction; filled with lifetime.
CREATE TABLE occupancy (
    graph_id INTEGER NOT NULL REFERENCES graph,
    arena    INTEGER NOT NULL,
    idx      INTEGER NOT NULL,    -- instruction
    bytes    INTEGER NOT NULL,    -- those that several values share count once
    PRIMARY KEY (graph_id, arena, idx)
) STRICT, WITHOUT ROWID;

-- A run of a program against its reference: delegraph run.
CREATE TABLE num_run (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    method_id   INTEGER REFERENCES method,
    graph_id    INTEGER REFERENCES graph,
    part        TEXT,              -- what of it ran: "partition tag0", "nodes add_1..mul"; NULL: all
    device      TEXT NOT NULL,     -- cpu, cuda:0
    device_name TEXT,              -- with capability, driver and libraries
    reference   TEXT NOT NULL,     -- what results are held to: reference, expected, against
    against     TEXT,              -- path of the other program
    inputs      TEXT NOT NULL,     -- samples; random, seed 0; the file
    input_xxh3  TEXT,              -- of the bytes of all inputs
    seed        INTEGER,
    tf32        INTEGER NOT NULL,
    policy      TEXT NOT NULL,     -- version of the tolerances
    repeats     INTEGER NOT NULL,
    repeats_equal INTEGER          -- bit for bit; NULL with a single run
) STRICT;

-- A judged value of a run. What is not defined is NULL: SNR where nothing differs.
CREATE TABLE num_result (
    id          INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL REFERENCES num_run,
    call        INTEGER NOT NULL,  -- which of the successive calls
    kind        TEXT NOT NULL,     -- output, node, partition
    pos         INTEGER NOT NULL,  -- output number; execution order of a node
    node_id     INTEGER REFERENCES node,
    name        TEXT NOT NULL,
    op          TEXT,
    dtype       TEXT,
    shape       TEXT,
    tolerance   TEXT,              -- class: exact, rounded, function, contraction, ...
    verdict     TEXT NOT NULL,     -- pass, fail, skip
    why         TEXT,              -- of fail and skip; of pass a note
    elements    INTEGER,
    compared    INTEGER,           -- those finite on both sides
    snr_db      REAL,
    max_abs     REAL,
    max_rel     REAL,
    max_ulp     INTEGER,
    cosine      REAL,
    rmse        REAL,
    mismatches  INTEGER,           -- beyond rtol and atol
    nan_ref     INTEGER,
    nan_got     INTEGER,
    inf_ref     INTEGER,
    inf_got     INTEGER,
    worst_index INTEGER,           -- flat
    worst_ref   REAL,
    worst_got   REAL,
    error       REAL,              -- RMSE of the tested evaluation against that in f64
    floor       REAL,              -- the same of the one that rounds as the dtype does
    allowed     REAL,              -- bound of error
    snr_limit   REAL,
    ulp_limit   INTEGER,
    rtol        REAL,
    atol        REAL,
    pass_rtol   REAL,              -- the smallest that would pass alone
    pass_atol   REAL
) STRICT;

-- A broken rule.
CREATE TABLE finding (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER REFERENCES artifact,
    rule        TEXT NOT NULL,
    severity    TEXT NOT NULL,     -- error, warning, note
    method_id   INTEGER REFERENCES method,
    graph_id    INTEGER REFERENCES graph,
    node_id     INTEGER REFERENCES node,
    value_id    INTEGER REFERENCES value,
    message     TEXT NOT NULL,
    witness     TEXT NOT NULL,     -- JSON array of node names: the shortest path that shows it; of a note that counts, all
    fingerprint TEXT NOT NULL      -- same finding, same text; survives a re-export that moves nothing near it
) STRICT;

-- Views: the public surface. Columns named *_id lead to the rows of other views.

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
-- are the innermost frame of the Python stack that is not generated code.
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
   AND frame.pos = (SELECT pos FROM frame WHERE trace_id = node.trace_id
                     ORDER BY file GLOB '<*', pos DESC LIMIT 1);

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
       flags & 1 <> 0 AS core, flags & 2 <> 0 AS view, flags & 4 <> 0 AS pointwise,
       flags & 8 <> 0 AS nondeterministic, flags & 16 <> 0 AS portable,
       flags & 32 <> 0 AS mutates,
       (SELECT count(*) FROM node WHERE op_id = op.id) AS calls
  FROM op;

-- Parts of a method that a backend runs, and how many nodes call them.
CREATE VIEW v_delegate AS
SELECT delegate.id AS delegate_id, delegate.method_id, method.name AS method,
       delegate.idx, delegate.name, backend, location, blob_index, blob_offset,
       blob_bytes, blob_sha256, blob_xxh3, graph.path AS lowered_from, graph_id,
       (SELECT count(*) FROM node WHERE delegate_id = delegate.id
           AND kind IN ('delegate_call', 'call_function')) AS calls
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

-- Stretches of the file: segments of a .pte or .ptd, entries of an archive.
CREATE VIEW v_segment AS
SELECT segment.id AS segment_id, artifact_id, artifact.path AS artifact, idx, name,
       segment.kind, offset, file_offset, segment.size_bytes, stored_bytes,
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
       value.mem_offset AS offset, value.nbytes AS bytes, first, last, via.idx AS via,
       first < 0 AND NOT EXISTS (SELECT 1 FROM signature AS s
           WHERE s.graph_id = value.graph_id AND s.direction = 'input'
             AND s.value_id = value.id) AS state
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
