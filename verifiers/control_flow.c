/* Calls that run other graphs, their branches in a plan, and the jumps of a .pte. */
#include "verifiers/control_flow_parts.h"
#include "verifiers/delegate_parts.h"
#include "verifiers/sql.h"

/* clang-format off */

/* Calls with the graphs they run. */
#define LINKS                                                                          \
    "b AS MATERIALIZED (SELECT id, method_id, path FROM \"graph\""                     \
    "  WHERE kind = 'branch'),"                                                        \
    "link AS MATERIALIZED (SELECT b.id AS branch, g.id AS parent, u.id AS call,"       \
    "   u.name, op.name AS op, edge.pos"                                               \
    "  FROM (SELECT 1 FROM b LIMIT 1) CROSS JOIN node AS u"                            \
    "  CROSS JOIN op ON op.id = u.op_id"                                               \
    "  CROSS JOIN edge ON edge.dst = u.id CROSS JOIN node AS a ON a.id = edge.src"     \
    "   AND a.kind = 'get_attr' CROSS JOIN \"graph\" AS g ON g.id = u.graph_id"        \
    "  CROSS JOIN b ON b.path = iif(g.path = '', '', g.path || '.') || a.target"       \
    "   AND b.method_id = g.method_id WHERE op.namespace = 'higher_order'),"           \
    "newest AS MATERIALIZED (SELECT * FROM partition WHERE part_run_id IN"             \
    "  " DG_NEWEST_PLANS " AND declared IS NOT 0)"

#define SEEN "('higher_order::cond', 'higher_order::map_impl', 'higher_order::scan')"

/* Graphs in which lowering does not look for tags, and the call that is the reason. */
#define HIDDEN(where)                                                                  \
    "WITH RECURSIVE " LINKS ","                                                        \
    "tagged AS MATERIALIZED (SELECT node_id, tag FROM link"                            \
    "  CROSS JOIN partition_node ON node_id = call"                                    \
    "  CROSS JOIN newest ON newest.id = partition_id),"                                \
    "hidden AS (SELECT branch, link.name, op, tag FROM link"                           \
    "  LEFT JOIN tagged ON node_id = call WHERE " where                                \
    " UNION SELECT link.branch, hidden.name, hidden.op, hidden.tag"                    \
    "  FROM hidden JOIN link ON link.parent = hidden.branch),"                         \
    "size AS MATERIALIZED (SELECT newest.*, count(*) AS n, min(node_id) AS node"       \
    "  FROM newest CROSS JOIN partition_node ON partition_id = newest.id"              \
    "  WHERE newest.graph_id IN (SELECT branch FROM hidden) GROUP BY newest.id)"

static const char tag_in_loop_body[] =
    HIDDEN("node_id IS NULL AND op NOT IN " SEEN)
    "SELECT size.graph_id AS \"graph\", size.node, printf('%lld %s tagged %s, but"
    " lowering does not look into the graphs that %s runs', n, iif(n = 1, 'node is',"
    "   'nodes are'), size.tag, hidden.name) AS message"
    "  FROM size JOIN hidden ON branch = size.graph_id GROUP BY size.id"
    " ORDER BY size.id";

static const char tag_in_delegated_branch[] =
    HIDDEN("node_id IS NOT NULL")
    "SELECT size.graph_id AS \"graph\", size.node, printf('%lld %s tagged %s, but %s,"
    " which runs the graph, goes to %s as a whole', n, iif(n = 1, 'node is',"
    "   'nodes are'), size.tag, hidden.name, hidden.tag) AS message"
    "  FROM size JOIN hidden ON branch = size.graph_id GROUP BY size.id"
    " ORDER BY size.id";

const char dg_query_nested_in_branch[] =
    HIDDEN("node_id IS NOT NULL")
    "SELECT node.id AS node, printf('%s calls a delegate in %s, which %s runs; that"
    " goes to %s as a whole', node.name, g.path, hidden.name, hidden.tag) AS message,"
    "   json_array(hidden.name, node.name) AS witness"
    "  FROM (SELECT id FROM op WHERE name = 'higher_order::executorch_call_delegate')"
    "   AS op CROSS JOIN hidden JOIN \"graph\" AS g ON g.id = branch"
    "  CROSS JOIN node ON node.graph_id = branch AND node.op_id = op.id"
    " GROUP BY node.id ORDER BY node.id";

/* Operands follow the graphs, and are the placeholders of the branch in order. */
static const char branch_weights[] =
    "WITH " LINKS ","
    "state AS MATERIALIZED (SELECT graph_id, name FROM signature"
    "  WHERE direction = 'input' AND spec IN ('parameter', 'buffer',"
    "   'constant_tensor')),"
    "given AS MATERIALIZED (SELECT branch, link.name, s.name AS state,"
    "   edge.pos - max(link.pos) OVER (PARTITION BY call) - 1 AS idx"
    "  FROM link CROSS JOIN edge ON edge.dst = call CROSS JOIN node AS s"
    "    ON s.id = edge.src AND s.kind = 'placeholder'"
    "  CROSS JOIN state ON state.graph_id = s.graph_id AND state.name = s.name),"
    "used AS MATERIALIZED (SELECT DISTINCT newest.id, newest.graph_id, newest.tag,"
    "   p.idx FROM newest JOIN \"graph\" AS g ON g.id = newest.graph_id"
    "   AND g.kind = 'branch' CROSS JOIN partition_node AS m ON m.partition_id ="
    "   newest.id CROSS JOIN edge ON edge.dst = m.node_id"
    "  CROSS JOIN node AS p ON p.id = edge.src AND p.kind = 'placeholder')"
    "SELECT used.graph_id AS \"graph\", printf('%s gets %s as %s of %s: no delegate"
    " in a branch owns constants', tag, group_concat(DISTINCT state),"
    "  iif(count(DISTINCT state) = 1, 'an operand', 'operands'), given.name)"
    "  AS message"
    "  FROM used JOIN given ON branch = used.graph_id AND given.idx = used.idx"
    " GROUP BY used.id ORDER BY used.id";

/* The tensors that branches take and give; of others the dtype is NULL. */
#define ENDS                                                                           \
    "ends AS MATERIALIZED (SELECT b.id AS branch, 'input' AS way,"                     \
    "   row_number() OVER (PARTITION BY b.id ORDER BY node.id) - 1 AS pos, dtype"      \
    "  FROM b CROSS JOIN node ON node.graph_id = b.id AND node.kind = 'placeholder'"   \
    "  LEFT JOIN value ON value.id = node.value_id"                                    \
    " UNION ALL SELECT b.id, 'output', edge.pos, dtype"                                \
    "  FROM b CROSS JOIN node ON node.graph_id = b.id AND node.kind = 'output'"        \
    "  CROSS JOIN edge ON edge.dst = node.id CROSS JOIN node AS s ON s.id = edge.src"  \
    "  LEFT JOIN value ON value.id = s.value_id"                                       \
    " WHERE json_valid(node.args) AND json_array_length(node.args) ="                  \
    "   (SELECT count(*) FROM edge AS e WHERE e.dst = node.id)),"                      \
    "passed AS MATERIALIZED (SELECT call, node.name, edge.pos - last - 1 AS pos,"      \
    "   s.name AS operand, dtype, json_array_length(node.args, '$[3].tensors') AS n"   \
    "  FROM (SELECT call, max(pos) AS last FROM link"                                  \
    "    WHERE op = 'higher_order::cond' GROUP BY call)"                               \
    "  CROSS JOIN node ON node.id = call AND json_valid(node.args)"                    \
    "  LEFT JOIN edge ON edge.dst = call AND edge.pos > last"                          \
    "  LEFT JOIN node AS s ON s.id = edge.src"                                         \
    "  LEFT JOIN value ON value.id = s.value_id WHERE n IS NOT NULL)"

static const char branch_signature[] =
    "WITH " LINKS ", " ENDS ","
    "size AS MATERIALIZED (SELECT graph_id, sum(kind = 'placeholder') AS takes,"
    "   max(CASE WHEN kind = 'output' AND json_valid(args)"
    "    THEN json_array_length(args) END) AS gives"
    "  FROM b CROSS JOIN node ON node.graph_id = b.id GROUP BY graph_id)"
    "SELECT call AS node, printf('one branch takes %lld inputs and gives %lld, the"
    " other takes %lld and gives %lld', a.takes, a.gives, o.takes, o.gives) AS message"
    "  FROM link AS x JOIN link AS y USING (call)"
    "  JOIN size AS a ON a.graph_id = x.branch JOIN size AS o ON o.graph_id = y.branch"
    " WHERE x.op = 'higher_order::cond' AND x.pos < y.pos"
    "   AND (a.takes <> o.takes OR a.gives <> o.gives)"
    " UNION ALL SELECT x.call, printf('%s %lld of one branch is %s, of the other %s',"
    "   a.way, a.pos, a.dtype, o.dtype)"
    "  FROM link AS x JOIN link AS y USING (call)"
    "  JOIN ends AS a ON a.branch = x.branch JOIN ends AS o ON o.branch = y.branch"
    "   AND o.way = a.way AND o.pos = a.pos"
    " WHERE x.op = 'higher_order::cond' AND x.pos < y.pos AND a.dtype <> o.dtype"
    " UNION ALL SELECT passed.call, printf('passes %lld operands to %s, which takes"
    " %lld', n, path, takes) FROM passed JOIN link USING (call)"
    "  JOIN size ON size.graph_id = branch JOIN \"graph\" AS g ON g.id = branch"
    " WHERE n <> takes AND coalesce(passed.pos, 0) = 0"
    " UNION ALL SELECT passed.call, printf('passes %s, which is %s, to %s, which takes"
    " %s there', operand, passed.dtype, path, a.dtype) FROM passed JOIN link USING (call)"
    "  JOIN ends AS a ON a.branch = link.branch AND way = 'input'"
    "   AND a.pos = passed.pos JOIN \"graph\" AS g ON g.id = link.branch"
    " WHERE passed.dtype <> a.dtype ORDER BY 1";

/* Whether a kernel makes `value` a bool before `node`, whatever the file calls it: a
 * comparison of symbolic sizes, which are ints, or an item of a tensor of bool. */
#define MADE_BOOL                                                                      \
    "coalesce((SELECT op.name IN ('executorch_prim::eq.Scalar',"                       \
    "    'executorch_prim::ge.Scalar', 'executorch_prim::gt.Scalar',"                  \
    "    'executorch_prim::le.Scalar', 'executorch_prim::lt.Scalar',"                  \
    "    'executorch_prim::sym_not.Scalar')"                                           \
    "   OR op.name = 'aten::_local_scalar_dense' AND EXISTS (SELECT 1 FROM operand AS r" \
    "    JOIN value AS v ON v.id = r.value_id AND v.dtype = 'bool'"                    \
    "    WHERE r.node_id = w.node_id AND r.pos = 0)"                                   \
    "  FROM operand AS w JOIN node AS k ON k.id = w.node_id JOIN op ON op.id = k.op_id" \
    "  WHERE w.value_id = value.id AND w.access <> 'read' AND w.node_id < node.id"     \
    "  ORDER BY w.node_id DESC LIMIT 1), 0)"

/* What computes with numbers makes a number of its place, too. */
#define MADE_NUMBER                                                                    \
    "(SELECT op.name FROM operand AS w JOIN node AS k ON k.id = w.node_id"             \
    "  LEFT JOIN op ON op.id = k.op_id"                                                \
    "  WHERE w.value_id = value.id AND w.access <> 'read' AND w.node_id < node.id"     \
    "  ORDER BY w.node_id DESC LIMIT 1) IN ('executorch_prim::add.Scalar',"            \
    " 'executorch_prim::sub.Scalar', 'executorch_prim::mul.Scalar',"                   \
    " 'executorch_prim::floordiv.Scalar', 'executorch_prim::truediv.Scalar',"          \
    " 'executorch_prim::mod.Scalar', 'executorch_prim::mod.int',"                      \
    " 'executorch_prim::floordiv.int', 'executorch_prim::neg.Scalar',"                 \
    " 'executorch_prim::ceil.Scalar', 'executorch_prim::round.Scalar',"                \
    " 'executorch_prim::trunc.Scalar', 'executorch_prim::sym_float.Scalar',"           \
    " 'executorch_prim::sym_int.Scalar', 'aten::sym_size.int', 'aten::sym_numel')"

static const char predicate_type[] =
    "SELECT node.id AS node, value.id AS value, printf('jumps by value %lld, which is a"
    " %s', value.idx, iif(value.kind = 'tensor', 'tensor of ' || value.dtype,"
    "  iif(value.kind = 'bool', 'number when it is read', value.kind))) AS message"
    "  FROM (SELECT 1 FROM operand LIMIT 1) CROSS JOIN node"
    "  CROSS JOIN operand ON operand.node_id = node.id AND operand.pos = 0"
    "  CROSS JOIN value ON value.id = operand.value_id"
    " WHERE node.kind = 'jump_false_call' AND " DG_RARE("node")
    "   AND (value.kind <> 'tensor' OR value.dtype <> 'bool')"
    "   AND iif(value.kind = 'bool', " MADE_NUMBER ", NOT " MADE_BOOL ")"
    " UNION ALL SELECT node.id, value.id, printf('decides by %s, which is a tensor of"
    " %s', s.name, value.dtype)"
    "  FROM (SELECT id FROM op WHERE name = 'higher_order::cond') AS op"
    "  CROSS JOIN node ON node.op_id = op.id"
    "  CROSS JOIN edge ON edge.dst = node.id AND edge.pos = 0"
    "  CROSS JOIN node AS s ON s.id = edge.src"
    "  CROSS JOIN value ON value.id = s.value_id"
    " WHERE json_valid(node.args) AND json_extract(node.args, '$[0].tensor') = s.name"
    "   AND value.kind = 'tensor' AND value.dtype <> 'bool' ORDER BY 1";

static const char jump_target_range[] =
    "WITH jumps AS MATERIALIZED (SELECT id, graph_id, jump FROM node"
    "  WHERE kind = 'jump_false_call' AND " DG_RARE("node") "),"
    "size AS MATERIALIZED (SELECT graph_id, count(*) AS n FROM"
    "  (SELECT DISTINCT graph_id FROM jumps) CROSS JOIN node USING (graph_id)"
    "  GROUP BY graph_id)"
    "SELECT id AS node, printf('jumps to instruction %lld of %lld', jump, n) AS message"
    "  FROM jumps JOIN size USING (graph_id) WHERE jump < 0 OR jump > n ORDER BY id";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "branch-attr-tag",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the get_attr of a graph has the tag of the call that runs it",
        .reason = "lowering fails: a graph cannot be an input of a delegate",
        .fix = "tag both, or neither",
        .example = "cond has tag0, the get_attr of its true branch has none",
        .issue = "#15868",
        .level = "pt2",
        .check = dg_check_branch_attr_tag,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "branch-attr-shared",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "calls that run one graph through one get_attr have one tag",
        .reason = "partitioners give the get_attr the tag of the first of them",
        .fix = "give each call a get_attr of its own",
        .example = "two conds with two tags run one branch through one get_attr",
        .level = "pt2",
        .check = dg_check_branch_attr_shared,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "tag-in-loop-body",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "tags are in graphs that cond, map_impl or scan run",
        .reason = "lowering looks into no others: the nodes stay on the host",
        .fix = "tag the call and its graphs as a whole, or write the loop as a scan",
        .example = "a node in the body of a while_loop has a tag",
        .issue = "#8769",
        .level = "pt2",
        .query = tag_in_loop_body,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "tag-in-delegated-branch",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "no tags are in a graph that is delegated with the call it serves",
        .reason = "lowering does not see them: the nodes go to the other delegate",
        .fix = "leave the call untagged, or the nodes of its graphs",
        .example = "cond has tag0, and a node of its branch tag1",
        .level = "pt2",
        .query = tag_in_delegated_branch,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "branch-weights",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "a partition in a branch reads no constants",
        .reason = "it cannot own them: the host passes them at each call",
        .fix =
            "nothing is wrong; backends that need weights early may refuse the nodes",
        .example = "a partition in a branch reads weight w of the outer graph",
        .issue = "#17677",
        .level = "pt2",
        .query = branch_weights,
        .not_checked = DG_NO_PLAN,
        .runs = DG_RUNS_ON_REQUEST,
    },
    {
        .name = "op-emittable",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "control flow that the host runs is cond, map_impl or scan",
        .reason = "unless a delegate takes it, to_executorch fails: \"Unsupported"
                  " control flow operator\"",
        .fix = "write the loop as a scan, or unroll it",
        .example = "while_loop in an edge program",
        .issue = "#8769",
        .level = "pt2",
        .query = dg_query_op_emittable,
    },
    {
        .name = "map-arity",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "map goes over one tensor, scan over one or more",
        .reason = "unless a delegate takes it, to_executorch fails",
        .fix = "stack the tensors into one",
        .example = "map_impl over two tensors",
        .level = "pt2",
        .query = dg_query_map_arity,
    },
    {
        .name = "branch-signature",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "both branches of a cond take its operands and give as many values,"
                     " of the same types",
        .reason = "the operands or results of one are wrong for the other; emission"
                  " fails, or numbers are read as others",
        .fix = "a pass that edits one branch must edit the other, too",
        .example = "the true branch gives two values, the false branch one",
        .level = "pt2",
        .query = branch_signature,
    },
    {
        .name = "predicate-type",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what decides a branch is a bool, or a tensor of bool",
        .reason = "the runtime refuses the instruction",
        .fix = "compare, or convert to bool, before",
        .example = "cond decides by an f32 tensor",
        .level = "pt2 pte",
        .refused = true,
        .query = predicate_type,
        .about = DG_ABOUT_BRANCH,
    },
    {
        .name = "jump-target-range",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "jumps lead to an instruction, or behind the last one",
        .reason = "the runtime stops without an error, and outputs are not computed",
        .fix = "export again",
        .example = "op_3 jumps to 12 of 10 instructions",
        .level = "pte",
        .query = jump_target_range,
        .about = DG_ABOUT_JUMP,
    },
    {
        .name = "jump-forward-shape",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "numbers that are read where ways join are computed on each of them",
        .reason = "the program goes on with the number of an earlier run",
        .fix = "export again; a pass that edits one branch must edit the other, too",
        .example = "op_2 jumps over op_3, which computes a size that op_5 reads",
        .issue = "#21490",
        .level = "pte",
        .check = dg_check_jump_forward,
    },
    {
        .name = "single-chain",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "a method has one chain of instructions",
        .reason = "exporters write no more; tools may look at the first one only",
        .fix = "nothing is wrong; runtimes run all of them in order",
        .example = "a method with two chains",
        .level = "pte",
        .runs = DG_RUNS_ON_REQUEST,
    },
    {
        .name = "predicate-device",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "no cond of a CUDA delegate decides by a persistent buffer",
        .reason =
            "it stays on the device and is copied to the host at each call; others"
            " are moved to the host once",
        .fix = "register the buffer with persistent=False",
        .example = "torch.cond(self.flag, ...) in CudaBackend, flag in the state dict",
        .level = "pt2",
        .query = dg_query_predicate_device,
    },
    {
        .name = "loop-terminates",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a loop writes the value that ends it",
        .reason = "it runs once, or until the runtime's limit of instructions",
        .fix = "export again",
        .example =
            "op_9 jumps back to op_2 while value 4, which nothing in between writes",
        .level = "pte",
        .check = dg_check_loop_terminates,
    },
    {
        .name = "unreachable",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "some way leads to every instruction",
        .reason = "what it computes is never there",
        .fix = "export again",
        .example = "op_4 jumps to 7 on a constant, so 5 and 6 never run",
        .level = "pte",
        .check = dg_check_unreachable,
    },
    {0},
};

const struct dg_verifier dg_verifier_control_flow = {"control-flow", rules};
