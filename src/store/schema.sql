-- The graph store: readers fill it, verifiers add findings, reports read it.
-- The tables may change with the schema generation (PRAGMA user_version); the views at
-- the end, v_*, are what scripts may rely on. Ids are 1, 2, 3... in file order.
PRAGMA application_id = 0x44475246; -- "DGRF"
PRAGMA user_version = 16;

-- How the store was made: tool_version, sqlite_version; upgraded_from: the generation that it was of.
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
    role       TEXT              -- of a companion: data (a .ptd of a .pte), program (the .pt2 that a .pte was made from), profile (what an ETDump measured)
) STRICT;

-- What whoever checks says of the target, which no file does. One row per value: op (an
-- operator that the runtime has), runtime (its release), later-operator, later-node,
-- later-datatype, later-field, later-backend (what came with a later one, behind that
-- release: "0.4 aten::topk.values"), earlier-backend (what it has, likewise), method (that the program must have), backend (that the
-- runtime has), for (executorch: the program is about to be lowered), skip-h2d-inputs,
-- limit.NAME (the bound of budget/NAME, as it was written), against (path of the old program
-- that limits of growth compare with), was.NAME (a number of that one: a JSON object). Those of
-- a store that was written are not read: only whoever checks can say them.
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

-- What the blob of a delegate computes, where its format is read: one for each blob. Its
-- rows lie in tables of their own, delegate_*, so that nobody takes a program's nodes and
-- values, and those that a backend runs, for one another.
CREATE TABLE delegate_graph (
    id        INTEGER PRIMARY KEY,
    method_id INTEGER NOT NULL REFERENCES method, -- the first with a delegate that has the blob
    path      TEXT NOT NULL,      -- delegate_<idx of that delegate>
    kind      TEXT NOT NULL,      -- delegate
    format    TEXT NOT NULL,      -- xnnpack, vulkan, tosa, native, mlx
    meta      TEXT                -- what else the blob says of itself: JSON
) STRICT;

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
    graph_id    INTEGER REFERENCES graph, -- what it was lowered from, where the file keeps it
    inside_id   INTEGER REFERENCES delegate_graph -- what its blob computes, where that was read
) STRICT;

CREATE TABLE compile_spec (
    delegate_id INTEGER NOT NULL REFERENCES delegate,
    pos         INTEGER NOT NULL,
    key         TEXT,
    value       BLOB,
    PRIMARY KEY (delegate_id, pos)
) STRICT, WITHOUT ROWID;

-- A key that a delegate looks up in the named data of its program, or of a .ptd. Only
-- backends whose blobs are understood have rows: XNNPACK, Vulkan, MLX, native, CUDA, Metal.
CREATE TABLE delegate_key (
    delegate_id INTEGER NOT NULL REFERENCES delegate,
    pos         INTEGER NOT NULL,
    key         TEXT NOT NULL,
    kind        TEXT NOT NULL,    -- library (code), weights
    nbytes      INTEGER,          -- that the delegate will read; NULL: as many as there are
    PRIMARY KEY (delegate_id, pos)
) STRICT, WITHOUT ROWID;

-- A tensor inside of a delegate. A place that is written several times has a row for each time.
CREATE TABLE delegate_value (
    id           INTEGER PRIMARY KEY,
    graph_id     INTEGER NOT NULL REFERENCES delegate_graph,
    idx          INTEGER NOT NULL, -- by which nodes name it, as stored
    dtype        TEXT,             -- of its elements as they lie: f32, i8, i4, ...; NULL: not known
    datatype     TEXT NOT NULL,    -- the format's word: qcint8, ...
    shape        TEXT,             -- JSON, in the order of memory; of a dynamic size the upper bound, -1: none. NULL: not said
    nbytes       INTEGER,          -- NULL when nothing says it
    flags        INTEGER NOT NULL, -- 1 input, 2 output; other bits as stored
    external_id  INTEGER,          -- which operand of the call it is
    constant_idx INTEGER,          -- which constant has its bytes, as stored
    node_id      INTEGER REFERENCES delegate_node, -- the first that writes it
    quantization TEXT,             -- JSON: {"type":"per_tensor","scale":0.5,"zero_point":0}, per_channel, per_channel_group, per_token;
                                   -- of scales in a constant of the file least_scale, most_scale, and how many are none: wrong_scales
    name         TEXT              -- where the format names it: that of a node of FX (tosa, native), a key (mlx)
) STRICT;

-- Bytes that a blob keeps, or looks up by key.
CREATE TABLE delegate_constant (
    graph_id    INTEGER NOT NULL REFERENCES delegate_graph,
    idx         INTEGER NOT NULL,
    key         TEXT,             -- of named data; NULL: the blob has the bytes
    offset      INTEGER,          -- as stored: from the start of the constants of the blob
    file_offset INTEGER,          -- of bytes in the blob; NULL: elsewhere, or outside
    nbytes      INTEGER,          -- as stored
    PRIMARY KEY (graph_id, idx)
) STRICT, WITHOUT ROWID;

-- What a delegate runs, in stored order; chains of mlx in the order in which they run.
CREATE TABLE delegate_node (
    id           INTEGER PRIMARY KEY,
    graph_id     INTEGER NOT NULL REFERENCES delegate_graph,
    idx          INTEGER NOT NULL,
    name         TEXT NOT NULL,    -- Conv2d_3: op and idx
    op           TEXT NOT NULL,    -- the format's word: Conv2d, ...; node<48>: not known
    args         TEXT NOT NULL,    -- JSON object: what it has beside operands
    flags        INTEGER NOT NULL,
    output_min   ANY,              -- what its result is clamped to; NULL: nothing
    output_max   ANY,
    debug_handle INTEGER
) STRICT;

-- What they read and write.
CREATE TABLE delegate_operand (
    node_id   INTEGER NOT NULL REFERENCES delegate_node,
    pos       INTEGER NOT NULL,
    name      TEXT NOT NULL,       -- input1, filter, bias, output, ...
    value_idx INTEGER NOT NULL,    -- as stored
    value_id  INTEGER REFERENCES delegate_value, -- NULL: there is none of that number
    access    TEXT NOT NULL,       -- read, write
    missing   TEXT,                -- what the blob calls a value that it lacks, where it names values
    PRIMARY KEY (node_id, pos)
) STRICT, WITHOUT ROWID;

-- Native code that AOTInductor compiled: a shared object of a package (.pt2), or of the named
-- data of a .pte or a .ptd. Nothing of it is executed.
CREATE TABLE library (
    id              INTEGER PRIMARY KEY,
    artifact_id     INTEGER NOT NULL REFERENCES artifact,
    name            TEXT NOT NULL,    -- entry of the archive; key of named data
    format          TEXT NOT NULL,    -- elf; macho and pe are not read
    machine         TEXT,             -- x86_64, aarch64, ...; of others its number; NULL: not read
    soname          TEXT,
    build_id        TEXT,             -- hexadecimal
    file_offset     INTEGER,          -- NULL: compressed
    nbytes          INTEGER NOT NULL,
    has_symbols     INTEGER,          -- 1: the dynamic symbols were found; 0: a loader finds none, either
    constants_bytes INTEGER,          -- of the constants inside of it; NULL: it does not say
    weights_bytes   INTEGER,          -- of the weights that it expects elsewhere; NULL: it has none there
    weights         TEXT,             -- where constants are: inside, appended (behind the code), beside (a file); NULL: not known
    meta            TEXT              -- what the package says of it: JSON {"AOTI_DEVICE_KEY":"cpu",...}
) STRICT;

-- A library that must be there when it is loaded.
CREATE TABLE library_need (
    library_id INTEGER NOT NULL REFERENCES library,
    pos        INTEGER NOT NULL,
    name       TEXT NOT NULL,         -- libc.so.6
    PRIMARY KEY (library_id, pos)
) STRICT, WITHOUT ROWID;

-- A version of symbols that a needed library must have.
CREATE TABLE library_version (
    library_id INTEGER NOT NULL REFERENCES library,
    pos        INTEGER NOT NULL,
    name       TEXT NOT NULL,         -- GLIBC_2.34
    file       TEXT NOT NULL,         -- libc.so.6
    weak       INTEGER NOT NULL,      -- 1: only symbols that may stay undefined have it, and the loader goes on without
    PRIMARY KEY (library_id, pos)
) STRICT, WITHOUT ROWID;

-- A symbol that a loader looks up, or finds in it by name.
CREATE TABLE library_symbol (
    library_id INTEGER NOT NULL REFERENCES library,
    pos        INTEGER NOT NULL,
    name       TEXT NOT NULL,
    version    TEXT,                  -- of undefined ones: GLIBC_2.34
    kind       TEXT NOT NULL,         -- undefined, weak (undefined, and may stay so), defined
    PRIMARY KEY (library_id, pos)
) STRICT, WITHOUT ROWID;

-- A constant of a library, where the package has the source that was compiled, or the blob
-- of the delegate lists them.
CREATE TABLE library_constant (
    library_id INTEGER NOT NULL REFERENCES library,
    idx        INTEGER NOT NULL,
    name       TEXT NOT NULL,         -- as the code names it
    fqn        TEXT,                  -- as the program did
    dtype      TEXT,
    shape      TEXT,                  -- JSON
    strides    TEXT,                  -- JSON
    offset     INTEGER,               -- in its storage, as stored
    nbytes     INTEGER,
    folded     INTEGER,               -- 1: computed when the library is loaded, and stored nowhere
    PRIMARY KEY (library_id, idx)
) STRICT, WITHOUT ROWID;

-- Code for a GPU: of a library, or an entry of a package.
CREATE TABLE gpu_code (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    library_id  INTEGER REFERENCES library, -- that it is a part of
    binary      INTEGER NOT NULL,     -- which fat binary of the file has it; images of one are for one purpose
    name        TEXT NOT NULL,        -- of the symbol that it begins at; the entry of the archive
    format      TEXT NOT NULL,        -- cubin, ptx, amd (not read)
    target      TEXT,                 -- sm_90a; of PTX the least architecture
    ptx         TEXT,                 -- version of PTX: 8.4
    file_offset INTEGER,
    nbytes      INTEGER NOT NULL,     -- as stored
    compressed  INTEGER NOT NULL      -- 1: its kernels are not read
) STRICT;

-- A kernel, with what ptxas says of it.
CREATE TABLE gpu_kernel (
    code_id      INTEGER NOT NULL REFERENCES gpu_code,
    pos          INTEGER NOT NULL,
    name         TEXT NOT NULL,
    registers    INTEGER,             -- of a thread; NULL: of PTX
    shared_bytes INTEGER,             -- static
    stack_bytes  INTEGER,             -- of a thread: what spills, among others
    PRIMARY KEY (code_id, pos)
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
    trace_id     INTEGER REFERENCES trace, -- of a .pte without any that of its edge program (--program)
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

-- What an ETRecord says of the .pte that was made with it: which nodes of its own methods, by
-- their debug handles, an instruction is.
CREATE TABLE instruction_handle (
    method_id    INTEGER NOT NULL REFERENCES method, -- of the ETRecord
    instruction  INTEGER NOT NULL, -- node.idx in the method of that name in the .pte
    part         TEXT,             -- what the backend calls a part of its delegate; NULL: all of the instruction
    debug_handle TEXT NOT NULL     -- as node.debug_handle
) STRICT;

-- Which nodes of the program that a .pte was made from (`--program`) an instruction is, and a
-- node inside of the delegate that it calls; empty until it is asked for (`query` of v_lineage).
CREATE TABLE lineage (
    node_id   INTEGER NOT NULL REFERENCES node, -- of the .pte
    inside_id INTEGER REFERENCES delegate_node, -- NULL: the instruction as a whole
    from_id   INTEGER NOT NULL REFERENCES node  -- of the program
) STRICT;

-- A run that an ETDump tells of: loading, or one call of a method.
CREATE TABLE profile (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    idx         INTEGER NOT NULL,
    name        TEXT,              -- Default (loading), Execute
    input       INTEGER,           -- which bundled input was used
    method_id   INTEGER REFERENCES method -- that was called, of the .pte that it is of; NULL: none has its instructions
) STRICT;

-- What was measured in it, in the order of the file.
CREATE TABLE profile_event (
    profile_id  INTEGER NOT NULL REFERENCES profile,
    idx         INTEGER NOT NULL,
    kind        TEXT NOT NULL,     -- time, allocation, value (what an instruction gave; not read)
    name        TEXT,              -- Method::execute, OPERATOR_CALL, DELEGATE_CALL, native_call_add.out; of an allocation the allocator
    chain       INTEGER,           -- -1: of the method as a whole
    instruction INTEGER,           -- node.idx in the .pte; NULL: of no instruction
    part        TEXT,              -- what the backend calls a part of its delegate, a number or a name
    begin       INTEGER,           -- nanoseconds, or ticks of whatever clock the device has
    end         INTEGER,
    nbytes      INTEGER,           -- of an allocation
    node_id     INTEGER REFERENCES node, -- that instruction
    PRIMARY KEY (profile_id, idx)
) STRICT, WITHOUT ROWID;

-- A build: a program under a name, in the order in which they came. Only load --append, or with
-- --name or --label, makes any; a file that did not change is one artifact of several builds.
CREATE TABLE build (
    id          INTEGER PRIMARY KEY,
    artifact_id INTEGER NOT NULL REFERENCES artifact,
    name        TEXT NOT NULL,     -- --name, else the file's own without its folder
    companions  TEXT               -- JSON: artifacts that were given with it, by number; NULL: none
) STRICT;

CREATE TABLE build_label (
    build_id INTEGER NOT NULL REFERENCES build,
    name     TEXT NOT NULL,        -- --label NAME=VALUE
    value    TEXT NOT NULL,
    PRIMARY KEY (build_id, name)
) STRICT, WITHOUT ROWID;

-- A number of a build that it is compared by, of the program with what was given with it: those of rules budget/*, file-size among
-- them, and flops, errors, warnings, notes, time (nanoseconds or ticks that a call took in an
-- ETDump, the median). Of several methods or devices the largest, of shares the least. What was found has numbers by rule, too:
-- error:memory/extent, warning:..., note:...
CREATE TABLE measure (
    build_id INTEGER NOT NULL REFERENCES build,
    name     TEXT NOT NULL,
    value    REAL NOT NULL,
    PRIMARY KEY (build_id, name)
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
    source      TEXT NOT NULL,    -- custom (meta["custom"]["delegation_tag"]), plan (a file); partitioners: torch, aoti, single, group, min, multi; repair (a plan that was mended)
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

-- What a call costs; empty until it is asked for (`query` of v_cost, `report` of delegates).
CREATE TABLE cost (
    node_id INTEGER PRIMARY KEY REFERENCES node,
    flops   INTEGER,              -- floating point operations; NULL: not known
    bytes   INTEGER               -- of the distinct tensors that it reads and writes; NULL: not known
) STRICT;

-- What a node inside of a delegate costs, filled with cost: one run of its graph.
CREATE TABLE delegate_cost (
    node_id INTEGER PRIMARY KEY REFERENCES delegate_node,
    flops   INTEGER,              -- NULL: not known
    bytes   INTEGER               -- NULL: not known
) STRICT;

-- Calls of a graph that are equal in what these columns say, with the newest plans; empty
-- until sections and facts need it.
CREATE TABLE call_sum (
    method_id      INTEGER NOT NULL REFERENCES method,
    graph_id       INTEGER NOT NULL REFERENCES graph,
    op_id          INTEGER REFERENCES op,
    kind           TEXT NOT NULL, -- of node
    backend        TEXT,          -- as v_cost has it
    inside         INTEGER NOT NULL, -- 1: of a graph that was lowered, or planned for a partition
    calls_delegate INTEGER NOT NULL, -- 1: calls of a delegate
    casts          INTEGER NOT NULL, -- 1: they only cast a scalar
    costed         INTEGER NOT NULL, -- 1: they compute; 0: getitem, calls of graphs that are stored...
    calls          INTEGER NOT NULL, -- how many they are
    ops            INTEGER NOT NULL, -- the same; of delegates whose inside is known, their nodes
    unknown_flops  INTEGER NOT NULL, -- of how many the FLOPs are not known
    flops          INTEGER,       -- of all others; NULL: there are none
    bytes          INTEGER,       -- memory traffic; NULL: of none of them it is known
    first          INTEGER NOT NULL REFERENCES node,
    PRIMARY KEY (graph_id, first)
) STRICT, WITHOUT ROWID;

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

-- What is different from an older program: delegraph diff --store. The store holds the
-- new one.
CREATE TABLE comparison (
    id           INTEGER PRIMARY KEY,
    artifact_id  INTEGER NOT NULL REFERENCES artifact,
    old          TEXT NOT NULL,    -- path of the old program
    result       TEXT NOT NULL,    -- same, different; unknown: no difference in what could be compared
    summary      TEXT NOT NULL,    -- one line
    ignored      TEXT NOT NULL,    -- what was left out (--ignore): JSON array of classes
    not_compared TEXT NOT NULL     -- JSON array of sentences
) STRICT;

-- One difference. Texts are NULL where there is nothing to say.
CREATE TABLE difference (
    id            INTEGER PRIMARY KEY,
    comparison_id INTEGER NOT NULL REFERENCES comparison,
    kind          TEXT NOT NULL,   -- method graph op value signature state weight delegate inside library memory size flops finding name source metadata
    change        TEXT NOT NULL,   -- added removed changed moved
    class         TEXT,            -- what --ignore calls it; NULL: it is always told
    method        TEXT,
    graph         TEXT,            -- path
    module        TEXT,
    what          TEXT,            -- changes: operator, type, bytes...
    name          TEXT,            -- of what is different
    old           TEXT,            -- how it was
    new           TEXT,            -- how it is
    note          TEXT,            -- how far apart; severity of a finding
    count         INTEGER NOT NULL, -- of things that it stands for
    node_id       INTEGER REFERENCES node, -- of the new program
    old_node      INTEGER          -- row of a removed call in a store of the old program
) STRICT;

-- Who a removed call read, or who read it: each end is such a call, or a node of the new
-- program.
CREATE TABLE removed_edge (
    comparison_id INTEGER NOT NULL REFERENCES comparison,
    src_old INTEGER,               -- as difference.old_node
    src_id  INTEGER REFERENCES node,
    dst_old INTEGER,
    dst_id  INTEGER REFERENCES node
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

-- Indexes. Most nodes are calls of operators. Before 'n' are constant, external and
-- mutable: few values are. Few of a .pte, which says where values are stored, are on a
-- device.
CREATE INDEX edge_src ON edge (src);
CREATE INDEX node_graph ON node (graph_id);
CREATE INDEX node_rare ON node (kind, graph_id)
  WHERE kind NOT IN ('call_function', 'kernel_call');
CREATE INDEX node_delegate ON node (delegate_id) WHERE delegate_id IS NOT NULL;
CREATE INDEX value_graph ON value (graph_id);
CREATE INDEX operand_value ON operand (value_id);
CREATE INDEX delegate_inside ON delegate (inside_id) WHERE inside_id IS NOT NULL;
CREATE INDEX delegate_value_graph ON delegate_value (graph_id);
CREATE INDEX delegate_node_graph ON delegate_node (graph_id);
CREATE INDEX delegate_operand_value ON delegate_operand (value_id);
CREATE INDEX build_name ON build (name);
CREATE INDEX build_artifact ON build (artifact_id);
CREATE INDEX profile_event_node ON profile_event (node_id) WHERE node_id IS NOT NULL;
CREATE INDEX partition_node_node ON partition_node (node_id);
CREATE INDEX value_stored ON value (storage) WHERE storage < 'n';
CREATE INDEX value_away ON value (graph_id)
  WHERE storage IS NOT NULL AND device <> 'cpu';
