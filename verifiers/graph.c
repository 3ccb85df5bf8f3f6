/* The structure of saved graphs: names, order, operators, shapes. */
#include "verifiers/graph_parts.h"
#include "verifiers/plan_parts.h"
#include "verifiers/sql.h"

/* Graphs of .pt2 files. */
#define SAVED                                                                          \
    " JOIN \"graph\" AS g ON g.id = node.graph_id"                                     \
    " JOIN method AS m ON m.id = g.method_id AND m.ir <> 'pte' "

static const char single_output[] =
    "SELECT g.id AS \"graph\", CASE count(o.id) WHEN 0 THEN 'the graph has no output'"
    "   WHEN 1 THEN printf('nodes follow the output %s', o.name)"
    "   ELSE printf('the graph has %lld outputs', count(o.id)) END AS message"
    "  FROM \"graph\" AS g JOIN method AS m ON m.id = g.method_id AND m.ir <> 'pte'"
    "  LEFT JOIN node AS o ON o.graph_id = g.id AND o.kind = 'output'"
    "   AND " DG_RARE("o") " WHERE EXISTS (SELECT 1 FROM node WHERE graph_id = g.id)"
                           " GROUP BY g.id HAVING count(o.id) <> 1"
                           "   OR max(o.id) <> (SELECT max(id) FROM node WHERE "
                           "graph_id = g.id) ORDER BY g.id";

/* Ids of a graph are in execution order. */
static const char topological_order[] =
    "WITH back AS MATERIALIZED (SELECT dst, src, pos FROM edge WHERE src >= dst)"
    "SELECT dst AS node, printf('reads %s, which comes later', s.name) AS message,"
    "   json_array(s.name, d.name) AS witness"
    "  FROM back JOIN node AS d ON d.id = dst JOIN node AS s ON s.id = src"
    "  JOIN \"graph\" AS g ON g.id = d.graph_id"
    "  JOIN method ON method.id = g.method_id AND ir <> 'pte' ORDER BY dst, pos";

static const char attr_resolves[] =
    "SELECT node.id AS node, printf('nothing is stored under %s',"
    "   coalesce(node.target, 'no name')) AS message"
    "  FROM node" SAVED "WHERE node.kind = 'get_attr' AND " DG_RARE(
        "node") " AND NOT EXISTS"
                "   (SELECT 1 FROM \"graph\" AS inner WHERE inner.method_id = m.id"
                "     AND inner.path = iif(g.path = '', '', g.path || '.') || "
                "node.target)"
                "  AND NOT EXISTS (SELECT 1 FROM delegate WHERE delegate.method_id = "
                "m.id"
                "     AND delegate.name = node.target)"
                "  AND NOT EXISTS (SELECT 1 WHERE node.target IN (SELECT fqn FROM "
                "constant))"
                " ORDER BY node.id";

/* Old torch wrote the largest integers for no bound. Memory of a program that is about
 * to be emitted is planned for the example where a size of an input has no bound; a
 * size that depends on data (u0) has no example. Min and Mod may bound it all the same.
 */
static const char shape_bounded[] =
    "WITH loose AS MATERIALIZED (SELECT r.graph_id, symbol, method_id,"
    "   symbol GLOB 'u[0-9]*' AS unbacked, EXISTS (SELECT 1 FROM part_run"
    "    WHERE part_run.artifact_id = m.artifact_id) AS planned"
    "  FROM range_constraint AS r JOIN \"graph\" AS g ON g.id = r.graph_id"
    "  JOIN method AS m ON m.id = g.method_id"
    "  WHERE (max IS NULL OR max > 4611686018427387904)"
    "   AND (ir = 'edge' OR " DG_TO_BE_LOWERED ")),"
    "shapes AS MATERIALIZED (SELECT DISTINCT method_id, shape FROM"
    "   (SELECT DISTINCT method_id FROM loose)"
    "   CROSS JOIN \"graph\" AS g USING (method_id)"
    "   CROSS JOIN value ON value.graph_id = g.id"
    "  WHERE g.kind <> 'lowered' AND value.kind = 'tensor' AND shape GLOB '*[a-z]*'"
    "   AND shape NOT LIKE '%Min(%' AND shape NOT LIKE '%Mod%'),"
    "lost AS MATERIALIZED (SELECT graph_id, symbol, min(shape) AS shape FROM loose"
    "  CROSS JOIN shapes ON shapes.method_id = loose.method_id"
    "   AND shape GLOB '*[^a-zA-Z0-9_]' || symbol || '[^0-9]*'"
    "  GROUP BY graph_id, symbol)"
    "SELECT graph_id AS \"graph\", 'error' AS severity, printf('%s lies between %s and"
    " %s: no size does', symbol, min, max) AS message FROM range_constraint"
    " WHERE typeof(min) IN ('integer', 'real') AND typeof(max) IN ('integer', 'real')"
    "   AND min > max"
    " UNION ALL SELECT graph_id,"
    "   iif(unbacked AND NOT planned, 'error', 'warning'),"
    "   printf('%s has no upper bound%s', symbol, iif(unbacked,"
    "    ', and a tensor of shape ' || shape || ' needs memory',"
    "    ': memory is planned for the example, larger inputs are refused'))"
    "  FROM loose JOIN lost USING (graph_id, symbol)"
    " ORDER BY 1, 3";

static const struct dg_rule rules[] = {
    {
        .name = "acyclic",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no node depends on itself",
        .reason = "nothing can run it",
        .fix = "a pass that fuses nodes is the usual cause: let it check paths first",
        .example = "add reads mul, and mul reads add",
        .issue = "pytorch #86159",
        .level = "pt2",
        .check = dg_check_acyclic,
    },
    {
        .name = "topological-order",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every node stands behind those it reads",
        .reason = "torch.export.load refuses the program",
        .fix = "sort the graph after editing it (legalize_graph)",
        .example = "relu is the third node and reads the fifth",
        .issue = "pytorch #164088",
        .level = "pt2",
        .query = topological_order,
        .may_find = dg_may_lead_back,
    },
    {
        .name = "name-unique",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no two nodes of a graph have one name",
        .reason = "plans, signatures and traces name the wrong node",
        .fix = "create nodes through the graph, which chooses free names",
        .example = "two nodes are named add_1",
        .level = "pt2",
        .query = "SELECT later.id AS node, 'an earlier node is named ' || later.name ||"
                 "   ', too' AS message FROM node AS later"
                 "  JOIN \"graph\" AS g ON g.id = later.graph_id"
                 "  JOIN method ON method.id = g.method_id AND ir <> 'pte'"
                 " WHERE EXISTS (SELECT 1 FROM node WHERE node.graph_id ="
                 "   later.graph_id AND node.name = later.name AND node.id < later.id)"
                 " ORDER BY later.id",
        .check = dg_check_names,
    },
    {
        .name = "arg-resolves",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every argument names something in its graph",
        .reason = "torch.export.load refuses the program",
        .fix = "whatever removed the node must remove its uses, too",
        .example = "mul reads \"conv_9\", which no node is named",
        .level = "pt2",
        .query = "SELECT node_id AS node, printf('argument %lld is %s, which names"
                 " nothing in this graph', pos, name) AS message"
                 "  FROM dangling ORDER BY node_id, pos",
    },
    {
        .name = "single-output",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a graph has one output, and it comes last",
        .reason = "what follows never runs; without an output nothing is returned",
        .fix = "whatever edited the graph must keep its output last",
        .example = "a graph without an output node",
        .level = "pt2",
        .query = single_output,
    },
    {
        .name = "attr-resolves",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every get_attr names a stored graph, module or tensor",
        .reason = "torch.export.load refuses the program",
        .fix = "whatever removed the attribute must remove its uses, too",
        .example = "a get_attr of \"true_graph_0\", and the file has no such graph",
        .level = "pt2",
        .query = attr_resolves,
    },
    {
        .name = "attr-type",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a lowered module has a backend and a blob",
        .reason = "it cannot be emitted",
        .fix = "let to_backend() make lowered modules",
        .example = "lowered_module_0 has no backend_id",
        .level = "pt2",
        .query = "SELECT m.id AS method, printf('lowered module %s has no %s',"
                 " coalesce(d.name, d.idx), iif(d.backend IS NULL, 'backend', 'blob'))"
                 " AS message FROM delegate AS d JOIN method AS m ON m.id = method_id"
                 " WHERE m.ir <> 'pte' AND (d.backend IS NULL OR d.blob_bytes IS NULL)"
                 " ORDER BY d.id",
    },
    {
        .name = "no-call-module",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no node calls a module or a method",
        .reason = "such calls cannot be lowered",
        .fix = "export with torch.export",
        .example = "a call_module of \"layers.0\"",
        .level = "pt2",
        .query = "SELECT id AS node, printf('is a %s of %s', kind,"
                 " coalesce(target, 'nothing')) AS message FROM node"
                 " WHERE kind IN ('call_module', 'call_method')"
                 "   AND " DG_RARE("node") " ORDER BY id",
    },
    {
        .name = "op-kind",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "calls are of operators that exist, or of allowed functions",
        .reason = "the program does not load, or no kernel is found",
        .fix = "replace the operator, or load with the torch that has it",
        .example = "a call of aten::ad.Tensor",
        .level = "pt2 pte",
        .query = dg_query_op_kind,
    },
    {
        .name = "op-functional",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "outside of training programs no operator writes its arguments",
        .reason = "passes may reorder or drop what they take for pure",
        .fix = "run_decompositions() makes the program functional",
        .example = "aten::add_.Tensor in a program that was decomposed",
        .level = "pt2",
        .query = dg_query_op_functional,
    },
    {
        .name = "op-opaque",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "delegraph knows the schema of every operator",
        .reason = "what it does not know it does not check",
        .fix = "nothing is wrong; custom operators are opaque",
        .example = "a call of mylib::fancy",
        .level = "pt2 pte",
        .query = dg_query_op_opaque,
        .runs = DG_RUNS_ON_REQUEST,
    },
    {
        .name = "edge-dialect-op",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "edge programs use the core set of operators",
        .reason = "backends and kernels may lack the others",
        .fix = "decompose it, or list it as an exception when lowering",
        .example = "aten::linalg_det in an edge program",
        .issue = "#17404",
        .level = "pt2",
        .query = dg_query_edge_op,
    },
    {
        .name = "dim-order-mode",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a program states layouts as dim orders or as memory formats",
        .reason = "passes of one mode miss the operators of the other",
        .fix = "lower all parts with the same _skip_dim_order",
        .example = "aten::_to_copy with a memory_format beside "
                   "dim_order_ops::_clone_dim_order",
        .level = "pt2",
        .query = dg_query_dim_order_mode,
    },
    {
        .name = "aten-contiguous",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "placeholders of an ATen program are contiguous",
        .reason = "lowering to ExecuTorch refuses others, or misreads them",
        .fix = "call contiguous() on weights and examples before exporting",
        .example = "placeholder x of shape [2,3] has strides [1,2]",
        .level = "pt2",
        .check = dg_check_contiguous,
    },
    {
        .name = "meta-val",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the file says type and shape of every value",
        .reason = "torch.export.load refuses the program",
        .fix = "let passes set meta['val'] on what they create",
        .example = "node add has no tensor_values entry",
        .level = "pt2",
        .query = "WITH bare AS MATERIALIZED (SELECT id FROM value"
                 "  WHERE kind = 'tensor' AND dtype IS NULL AND shape IS NULL)"
                 "SELECT node.id AS node, 'the file has no type and shape for its"
                 " result' AS message FROM bare CROSS JOIN node"
                 "  ON node.value_id = bare.id" SAVED "ORDER BY node.id",
    },
    {
        .name = "out-variant-exists",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what the host runs has an out variant that the runtime has",
        .reason = "to_executorch() fails: \"Missing out variants\"; or the runtime"
                  " refuses the method: \"Missing operator\"",
        .fix = "delegate the operator, decompose it, or link a library that has it",
        .example = "aten::alias on the host of an edge program",
        .issue = "#1263",
        .level = "pt2",
        .check = dg_check_out_variants,
        .not_checked = DG_NO_OPS,
    },
    {
        .name = "shape-bounded",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "dynamic sizes have a range, and a finite one for the host",
        .reason = "memory cannot be planned; an empty range admits no input at all",
        .fix = "give torch.export.Dim a max",
        .example = "s0 has the range 2..infinity in a program about to be lowered",
        .issue = "#3636",
        .level = "pt2",
        .query = shape_bounded,
    },
    {
        .name = "dim-order-propagates",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "kernels get and give tensors of the dim orders that they ask for",
        .reason = "portable kernels refuse mixed dim orders, and many all but the default one",
        .fix = "convert the layout explicitly before the operator",
        .example = "aten::mean.out reads dim order [0,2,3,1] and gives [0,1,2,3]",
        .issue = "#16507",
        .level = "pte",
        .refused = true,
        .check = dg_check_inferred,
    },
    {
        .name = "dead-node",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "every node serves an output or has an effect",
        .reason = "it costs time and memory for nothing",
        .fix = "eliminate_dead_code()",
        .example = "mul has no users",
        .level = "pt2",
        .check = dg_check_dead,
    },
    {
        .name = "edge-dtype",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "edge operators take types that the edge dialect allows",
        .reason = "to_executorch() or a kernel refuses them; only the part before the "
                  "first delegate is checked when a program is made",
        .fix = "convert the operand with _to_copy; a pass that changed types of "
               "operands but not of results is a common cause",
        .example = "aten::add.Tensor takes self f32, other f16 and gives f16",
        .level = "pt2",
        .check = dg_check_edge_dtype,
    },
    {
        .name = "module-call-graph",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "what preserved modules take and give are nodes of the graph",
        .reason = "torch.export.load refuses the program, or unflatten() fails",
        .fix = "whatever renamed or removed the node must edit module_call_graph, too",
        .example = "module_call_graph says that module \"up\" gives relu_1; the graph "
                   "has no relu_1",
        .level = "pt2",
    },
    {0},
};

const struct dg_verifier dg_verifier_graph = {"graph", rules};
