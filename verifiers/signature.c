/* What goes into a program and comes out of it, against its graph. */
#include "verifiers/pair.h"
#include "verifiers/sql.h"

/* clang-format off */

/* A signature row with the number of its graph, of saved programs only. */
#define SPECS(direction)                                                               \
    "FROM signature AS s JOIN \"graph\" AS g ON g.id = s.graph_id"                     \
    "  JOIN method AS m ON m.id = g.method_id AND m.ir <> 'pte'"                       \
    " WHERE s.direction = '" direction "'"
#define MAIN " AND g.kind = 'method'"
#define HAS_STATE " AND m.id IN (SELECT method_id FROM constant)"

#define STATED(kinds)                                                                  \
    "EXISTS (SELECT 1 WHERE (m.id, s.target) IN (SELECT method_id, fqn FROM constant"  \
    "  WHERE kind IN (" kinds ")))"

static const char input_count[] =
    "SELECT g.id AS \"graph\", printf('the graph has %lld placeholders, its signature"
    " %lld inputs', nodes, specs) AS message FROM (SELECT g.id,"
    " (SELECT count(*) FROM node WHERE graph_id = g.id AND kind = 'placeholder'"
    "   AND " DG_RARE("node") ") nodes,"
    " (SELECT count(*) FROM signature WHERE graph_id = g.id AND direction = 'input')"
    "  specs FROM \"graph\" AS g JOIN method AS m ON m.id = method_id"
    "  WHERE ir <> 'pte' AND EXISTS (SELECT 1 FROM signature WHERE graph_id = g.id))"
    " AS g WHERE nodes <> specs ORDER BY g.id";

static const char input_name[] =
    "WITH placeholder AS (SELECT node.id, graph_id, node.name,"
    "  row_number() OVER (PARTITION BY graph_id ORDER BY node.id) - 1 AS pos"
    "  FROM node WHERE kind = 'placeholder' AND " DG_RARE("node") ")"
    "SELECT p.id AS node, printf('input %lld is %s in the signature and %s in the"
    " graph', s.pos, s.name, p.name) AS message"
    "  FROM signature AS s JOIN placeholder AS p"
    "    ON p.graph_id = s.graph_id AND p.pos = s.pos"
    " WHERE s.direction = 'input' AND s.name IS NOT NULL AND s.name <> p.name"
    "   AND s.kind IN ('tensor', 'sym_int', 'sym_float', 'sym_bool') ORDER BY p.id";

static const char output_count[] =
    "SELECT node.id AS node, printf('the graph returns %lld values, its signature"
    " names %lld', json_array_length(node.args), specs) AS message"
    "  FROM (SELECT graph_id, count(*) AS specs FROM signature AS s"
    "        WHERE direction = 'output' GROUP BY graph_id) AS s"
    "  JOIN node ON node.graph_id = s.graph_id AND node.kind = 'output'"
    "   AND " DG_RARE("node")
    " WHERE json_valid(node.args) AND json_array_length(node.args) <> specs"
    " ORDER BY node.id";

#define RANK                                                                           \
    "CASE WHEN s.spec = 'token' THEN 0 WHEN s.spec LIKE '%_mutation' THEN 1"           \
    " WHEN s.spec LIKE 'gradient_%' THEN 3 ELSE 2 END"

static const char output_order[] =
    "SELECT graph_id AS \"graph\", printf('output %lld is a %s, but follows a %s', pos,"
    " spec, before_spec) AS message FROM (SELECT s.graph_id, s.pos, s.spec, " RANK
    " AS rank, lag(" RANK ") OVER w AS before, lag(s.spec) OVER w AS before_spec"
    " " SPECS("output") " WINDOW w AS (PARTITION BY s.graph_id ORDER BY s.pos))"
    " WHERE rank < before ORDER BY graph_id, pos";

/* What the library that wrote a container builds its output node from when it loads
 * it: deserialize_graph_output() of torch.export and of exir.serde. */
static const char output_loads[] =
    "SELECT g.id AS \"graph\", printf('output %lld is a %s%s, and %s does not load that',"
    "   s.pos, s.kind, iif(s.literal IS NULL, '', ', ' || quote(s.literal)),"
    "   iif(container = 'exir archive', 'exir.load()', 'torch.export.load()')) AS message"
    "  FROM signature AS s JOIN \"graph\" AS g ON g.id = s.graph_id" MAIN
    "  JOIN method AS m ON m.id = g.method_id AND m.ir <> 'pte'"
    "  JOIN artifact ON artifact.id = m.artifact_id"
    " WHERE s.direction = 'output'"
    "   AND s.kind NOT IN ('tensor', 'token', 'sym_int', 'sym_bool', 'int', 'none')"
    "   AND (container = 'exir archive' OR s.kind NOT IN ('sym_float', 'float', 'bool'))"
    " ORDER BY g.id, s.pos";

static const char mutation_target[] =
    "SELECT g.id AS \"graph\", printf('output %s is a %s of %s, which is none of the"
    " program''s inputs of that kind', coalesce(s.name, s.pos), s.spec,"
    "   coalesce(s.target, 'nothing')) AS message " SPECS("output")
    "   AND s.spec LIKE '%_mutation' AND NOT EXISTS (SELECT 1 FROM signature AS i"
    "    WHERE i.graph_id = s.graph_id AND i.direction = 'input' AND CASE s.spec"
    "    WHEN 'user_input_mutation' THEN i.spec = 'user_input' AND i.name = s.target"
    "    WHEN 'buffer_mutation' THEN i.spec = 'buffer' AND i.target = s.target"
    "    WHEN 'parameter_mutation' THEN i.spec = 'parameter' AND i.target = s.target"
    "    ELSE 1 END) ORDER BY g.id, s.pos";

/* Weights of archives that torch.save wrote as a whole are one segment: not told apart.
 */
#define AMONG_WEIGHTS                                                                  \
    "EXISTS (SELECT 1 WHERE (m.id, s.target) IN (SELECT c.method_id, c.fqn"            \
    "  FROM constant AS c JOIN segment ON segment.id = c.segment_id"                   \
    "   AND segment.kind = 'weight' AND segment.name GLOB '*/weight_[0-9]*'))"

/* Whether what is stored of the state lies among the constants, and nowhere else. */
#define AMONG_CONSTANTS                                                                \
    "EXISTS (SELECT 1 WHERE (m.id, s.target) IN (SELECT c.method_id, c.fqn"            \
    "  FROM constant AS c JOIN segment ON segment.id = c.segment_id"                   \
    "  GROUP BY c.method_id, c.fqn HAVING min(segment.kind = 'constant')))"

static const char buffer_persistence[] =
    "SELECT g.id AS \"graph\", CASE WHEN s.persistent IS NULL THEN printf('buffer %s"
    " does not say whether it is persistent', s.target)"
    "   WHEN s.persistent = 0 AND " AMONG_WEIGHTS " THEN printf('buffer %s is not"
    " persistent, and lies among the weights', s.target)"
    "   WHEN s.persistent AND " AMONG_CONSTANTS " THEN printf('buffer %s is persistent,"
    " and lies among the constants: no state dict has it', s.target)"
    "   ELSE printf('buffer %s (input %s) is stored nowhere', coalesce(s.target, '?'),"
    "    s.name) END AS message " SPECS("input") MAIN
    " AND s.spec = 'buffer' AND (s.persistent IS NULL"
    "   OR (s.persistent = 0 AND " AMONG_WEIGHTS ")"
    "   OR (s.persistent AND " AMONG_CONSTANTS ")"
    "   OR (NOT " STATED("'buffer', 'parameter', 'constant', 'custom_obj'") HAS_STATE "))"
    " ORDER BY g.id, s.pos";

static const char param_present[] =
    "SELECT g.id AS \"graph\", printf('parameter %s (input %s) is %s',"
    "   coalesce(s.target, '?'), s.name, iif(" STATED("'buffer', 'constant'") ","
    "   'stored as another kind of tensor', 'not among the weights')) AS message "
    SPECS("input") MAIN
    " AND s.spec = 'parameter' AND NOT " STATED("'parameter', 'custom_obj'") HAS_STATE
    " ORDER BY g.id, s.pos";

static const char constant_present[] =
    "SELECT g.id AS \"graph\", printf('%s %s (input %s) is not among the constants',"
    "   replace(s.spec, '_', ' '), coalesce(s.target, '?'), s.name) AS message "
    SPECS("input") MAIN
    " AND s.spec IN ('constant_tensor', 'custom_obj')"
    " AND NOT " STATED("'constant', 'custom_obj', 'buffer', 'parameter'") HAS_STATE
    " ORDER BY g.id, s.pos";

/* A plan may give the object to a delegate. */
static const char custom_obj_lowerable[] =
    "SELECT g.id AS \"graph\", iif(" DG_TO_BE_LOWERED " AND NOT EXISTS (SELECT 1"
    "    FROM part_run WHERE part_run.artifact_id = m.artifact_id), 'error', 'warning')"
    "   AS severity, printf('custom object %s (input %s) cannot become part of a .pte',"
    "   coalesce(s.target, '?'), s.name) AS message " SPECS("input") MAIN
    " AND s.spec = 'custom_obj'"
    " AND (m.ir = 'edge' OR m.ir = 'aten' AND " DG_TO_BE_LOWERED ")"
    " ORDER BY g.id, s.pos";

static const char target_unique[] =
    "SELECT g.id AS \"graph\", printf('%s %s is input %s and again input %s',"
    "   replace(s.spec, '_', ' '), s.target, min(s.name), max(s.name)) AS message "
    SPECS("input") " AND s.target IS NOT NULL"
    "   AND s.spec IN ('parameter', 'buffer', 'constant_tensor')"
    " GROUP BY g.id, s.spec, s.target HAVING count(*) > 1 ORDER BY g.id, min(s.pos)";

static const char orphan_state[] =
    "SELECT m.id AS method, printf('%s %s is stored, and no input stands for it%s',"
    "   c.kind, c.fqn, iif(count(*) > 1, printf('; and %d more', count(*) - 1), ''))"
    "   AS message, min(c.id) FROM constant AS c"
    "  JOIN method AS m ON m.id = c.method_id AND m.ir <> 'pte'"
    " WHERE c.fqn IS NOT NULL AND NOT EXISTS (SELECT 1 FROM signature AS s"
    "   JOIN \"graph\" AS g ON g.id = s.graph_id WHERE g.method_id = m.id"
    "    AND s.direction = 'input' AND s.target = c.fqn)"
    "  AND NOT EXISTS (SELECT 1 FROM node JOIN \"graph\" AS g ON g.id = graph_id"
    "   WHERE g.method_id = m.id AND node.kind = 'get_attr' AND node.target = c.fqn)"
    " GROUP BY m.id ORDER BY min(c.id)";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "input-count",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a graph has one placeholder for each input of its signature",
        .reason = "torch.export.load refuses the program",
        .fix = "whatever edited the graph must edit the signature, too",
        .example = "five placeholders, four input specs",
        .level = "pt2",
        .query = input_count,
    },
    {
        .name = "input-name",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "each input is named as its placeholder is",
        .reason = "torch.export.load refuses the program",
        .fix = "whatever renamed or moved the placeholder must edit the signature, too",
        .example = "input 1 is \"y\" in the signature, the second placeholder is x",
        .level = "pt2",
        .query = input_name,
    },
    {
        .name = "param-present",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "each parameter of the signature is stored, as a parameter",
        .reason = "torch.export.load refuses the program",
        .fix = "save the program with its state",
        .example = "parameter fc.weight, which no weight is named",
        .level = "pt2",
        .query = param_present,
    },
    {
        .name = "buffer-persistence",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a buffer says whether it is persistent, and is stored accordingly",
        .reason = "torch.export.load refuses the program",
        .fix = "save the program with its state",
        .example = "a buffer that is not persistent lies among the weights",
        .issue = "#11542",
        .level = "pt2",
        .query = buffer_persistence,
    },
    {
        .name = "constant-present",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "each constant and custom object of the signature is stored",
        .reason = "torch.export.load refuses the program",
        .fix = "save the program with its constants",
        .example = "constant_tensor lifted_0 is in no table of constants",
        .level = "pt2",
        .query = constant_present,
    },
    {
        .name = "custom-obj-lowerable",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no custom object is an input of a program that is lowered",
        .reason = "ExecuTorch cannot emit custom classes",
        .fix = "hand the part that uses it to a delegate, or replace it by tensors",
        .example = "a torchbind object is an input of an edge program",
        .level = "pt2",
        .query = custom_obj_lowerable,
    },
    {
        .name = "output-count",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a graph returns one value for each output of its signature",
        .reason = "torch.export.load refuses the program",
        .fix = "whatever edited the graph must edit the signature, too",
        .example = "the output node has two arguments, the signature three outputs",
        .level = "pt2",
        .query = output_count,
    },
    {
        .name = "output-order",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "outputs are tokens, then mutations, then what the user gets",
        .reason = "torch.export.load refuses the program, or results change places",
        .fix = "order the outputs as the signature's documentation says",
        .example = "a user_output stands before a buffer_mutation",
        .issue = "#17750",
        .level = "pt2",
        .query = output_order,
    },
    {
        .name = "output-loads",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a saved program returns only what the library that saved it loads "
                     "again",
        .reason = "torch.export.load() raises for strings, exir.load() also for float and "
                  "bool: saving them works",
        .fix = "let the caller add strings; lower an edge program in the process that made "
               "it, or return numbers as tensors",
        .example = "return x + 1, \"label\"",
        .level = "pt2",
        .query = output_loads,
    },
    {
        .name = "mutation-target",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what an output mutates is an input of that kind",
        .reason = "torch.export.load refuses the program",
        .fix = "whatever removed or renamed the input must edit the outputs, too",
        .example = "an output mutates buffer \"cache\", and no input is that buffer",
        .issue = "#3503",
        .level = "pt2",
        .query = mutation_target,
    },
    {
        .name = "target-unique",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "no two inputs stand for the same parameter, buffer or constant",
        .reason = "a write to one is not seen through the other",
        .fix = "let both users read one placeholder",
        .example = "inputs p_w and p_w_1 are both parameter fc.weight",
        .level = "pt2",
        .query = target_unique,
    },
    {
        .name = "orphan-state",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "some input stands for every stored weight and constant",
        .reason = "its bytes are carried around for nothing",
        .fix = "delete it from the state before saving",
        .example = "weight unused.bias is stored, and no input stands for it",
        .level = "pt2",
        .query = orphan_state,
    },
    {
        .name = "user-io-stable",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "lowering keeps what the user gives and gets",
        .reason = "callers pass and read the wrong tensors or too few, or the runtime"
                  " refuses what they pass",
        .fix = "look for a pass that edits inputs or outputs or narrows a dynamic size;"
               " compare the signatures with delegraph ls --what signature",
        .example = "a program takes f32 [2,4] and the .pte made from it f32 [4,2]",
        .issue = "#5265",
        .level = "pte",
        .query = dg_query_user_io_stable,
        .not_checked = DG_NO_PROGRAM,
    },
    {
        .name = "mutation-written-back",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what the program writes, the .pte made from it writes",
        .reason = "the state stays as it was: a KV cache that forgets every token",
        .fix = "let insert_write_back_for_buffers run, and no later pass remove its "
               "copy_",
        .example = "the signature has a buffer_mutation of cache; no instruction of "
                   "the .pte writes in place",
        .issue = "#7810",
        .level = "pte",
        .query = dg_query_mutation_written_back,
        .not_checked = DG_NO_PROGRAM,
    },
    {0},
};

const struct dg_verifier dg_verifier_signature = {"signature", rules};
