/* The structure of saved graphs: names, order, operators, shapes. */
#include "verifiers/graph_parts.h"

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
    " WHERE EXISTS (SELECT 1 FROM node WHERE graph_id = g.id)"
    " GROUP BY g.id HAVING count(o.id) <> 1"
    "   OR max(o.id) <> (SELECT max(id) FROM node WHERE graph_id = g.id) ORDER BY g.id";

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
    "  FROM node" SAVED "WHERE node.kind = 'get_attr' AND NOT EXISTS"
    "   (SELECT 1 FROM \"graph\" AS inner WHERE inner.method_id = m.id"
    "     AND inner.path = iif(g.path = '', '', g.path || '.') || node.target)"
    "  AND NOT EXISTS (SELECT 1 FROM delegate WHERE delegate.method_id = m.id"
    "     AND delegate.name = node.target)"
    "  AND NOT EXISTS (SELECT 1 FROM constant WHERE fqn = node.target)"
    " ORDER BY node.id";

/* Old torch wrote the largest integers for no bound. */
static const char shape_bounded[] =
    "SELECT graph_id AS \"graph\", 'error' AS severity, printf('%s lies between %s and"
    " %s: no size does', symbol, min, max) AS message FROM range_constraint"
    " WHERE typeof(min) IN ('integer', 'real') AND typeof(max) IN ('integer', 'real')"
    "   AND min > max"
    " UNION ALL SELECT graph_id, 'note', printf('%s has no upper bound', symbol)"
    "  FROM range_constraint WHERE max IS NULL OR max > 4611686018427387904"
    " ORDER BY 1, 3";

static const struct dg_rule rules[] = {
    {
        .name = "acyclic",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no node depends on itself",
        .reason = "nothing can run it",
        .fix = "a pass that fuses nodes is the usual cause: let it check paths first",
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
        .issue = "pytorch #164088",
        .level = "pt2",
        .query = topological_order,
    },
    {
        .name = "name-unique",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no two nodes of a graph have one name",
        .reason = "plans, signatures and traces name the wrong node",
        .fix = "create nodes through the graph, which chooses free names",
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
        .level = "pt2",
        .query = single_output,
    },
    {
        .name = "attr-resolves",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every get_attr names a stored graph, module or tensor",
        .reason = "torch.export.load refuses the program",
        .fix = "whatever removed the attribute must remove its uses, too",
        .level = "pt2",
        .query = attr_resolves,
    },
    {
        .name = "attr-type",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a lowered module has a backend and a blob",
        .reason = "it cannot be emitted",
        .fix = "let to_backend() make lowered modules",
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
        .level = "pt2",
        .query = "SELECT id AS node, printf('is a %s of %s', kind,"
                 " coalesce(target, 'nothing')) AS message FROM node"
                 " WHERE kind IN ('call_module', 'call_method') ORDER BY id",
    },
    {
        .name = "op-kind",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "calls are of operators that exist, or of allowed functions",
        .reason = "the program does not load, or no kernel is found",
        .fix = "replace the operator, or load with the torch that has it",
        .level = "pt2 pte",
        .query = dg_query_op_kind,
    },
    {
        .name = "op-functional",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "outside of training programs no operator writes its arguments",
        .reason = "passes may reorder or drop what they take for pure",
        .fix = "run_decompositions() makes the program functional",
        .level = "pt2",
        .query = dg_query_op_functional,
    },
    {
        .name = "op-opaque",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "delegraph knows the schema of every operator",
        .reason = "what it does not know it does not check",
        .fix = "nothing is wrong; custom operators are opaque",
        .level = "pt2 pte",
        .query = dg_query_op_opaque,
    },
    {
        .name = "edge-dialect-op",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "edge programs use the core set of operators",
        .reason = "backends and kernels may lack the others",
        .fix = "decompose it, or list it as an exception when lowering",
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
        .level = "pt2",
        .query = dg_query_dim_order_mode,
    },
    {
        .name = "aten-contiguous",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "placeholders of an ATen program are contiguous",
        .reason = "lowering to ExecuTorch refuses others, or misreads them",
        .fix = "call contiguous() on weights and examples before exporting",
        .level = "pt2",
        .check = dg_check_contiguous,
    },
    {
        .name = "meta-val",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the file says type and shape of every value",
        .reason = "torch.export.load refuses the program",
        .fix = "let passes set meta['val'] on what they create",
        .level = "pt2",
        .query = "SELECT node.id AS node, 'the file has no type and shape for its"
                 " result' AS message FROM node" SAVED
                 " JOIN value ON value.id = value_id WHERE value.kind = 'tensor'"
                 "   AND dtype IS NULL AND shape IS NULL ORDER BY node.id",
    },
    {
        .name = "shape-bounded",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "dynamic sizes have a range, and a finite one for the host",
        .reason = "memory cannot be planned; an empty range admits no input at all",
        .fix = "give torch.export.Dim a max",
        .issue = "#3636",
        .level = "pt2",
        .query = shape_bounded,
    },
    {
        .name = "dim-order-propagates",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "kernels that keep the layout get and give the same dim order",
        .reason = "portable kernels refuse mixed dim orders",
        .fix = "convert the layout explicitly before the operator",
        .issue = "#16507",
        .level = "pte",
        .query = dg_query_dim_order,
    },
    {
        .name = "dead-node",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "every node serves an output or has an effect",
        .reason = "it costs time and memory for nothing",
        .fix = "eliminate_dead_code()",
        .level = "pt2",
        .check = dg_check_dead,
    },
    {0},
};

const struct dg_verifier dg_verifier_graph = {"graph", rules};
