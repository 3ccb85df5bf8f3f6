"""Graphs of saved programs."""

from flat import Table
from mutants import mutant


@mutant("graph/acyclic", "crossed.pt2")
def depends_on_itself(p):
    p.named("sin")["inputs"][0]["arg"] = {"as_tensor": {"name": "cos"}}


@mutant("graph/topological-order", "crossed.pt2")
def out_of_order(p):
    p.graph["nodes"].reverse()


@mutant("graph/name-unique", "crossed.pt2")
def one_name_twice(p):
    p.named("exp")["outputs"][0]["as_tensor"]["name"] = "sin"
    p.named("relu")["inputs"][0]["arg"] = {"as_tensor": {"name": "sin"}}


@mutant("graph/arg-resolves", "crossed.pt2")
def reads_nothing(p):
    p.named("cos")["inputs"][0]["arg"] = {"as_tensor": {"name": "nowhere"}}


@mutant("graph/attr-type", "lowered_exir.pt2")
def lowered_without_backend(p):
    p.edit_lowered(lambda module: module.pop("backend_id"))


@mutant("graph/op-kind", "crossed.pt2")
def no_such_operator(p):
    p.named("sin")["target"] = "torch.ops.aten.no_such_operator.default"


@mutant("graph/op-kind", "tiny.pte")
def no_such_kernel(p):
    p.plan().operators[0].name = b"aten::no_such_operator"


@mutant("graph/op-functional", "edge_exir.pt2")
def writes_its_input(p):
    clamp = p.named("aten_clamp_default")
    clamp["target"] = "executorch.exir.dialects.edge.ops.aten.relu_.default"
    del clamp["inputs"][1:]


@mutant("graph/edge-dialect-op", "edge_exir.pt2")
def not_core(p):
    clamp = p.named("aten_clamp_default")
    clamp["target"] = "executorch.exir.dialects.edge.ops.aten.silu.default"
    del clamp["inputs"][1:]


@mutant("graph/dim-order-mode", "edge_exir.pt2")
def both_modes(p):
    nodes = [p.named("aten_clamp_default"), p.named("aten__softmax_default")]
    for node, target in zip(nodes, ("dim_order_ops._to_dim_order_copy", "aten._to_copy")):
        node["target"] = f"executorch.exir.dialects.edge.ops.{target}.default"
        del node["inputs"][1:]


@mutant("graph/aten-contiguous", "gate.pt2")
def transposed_weight(p):
    p.graph["tensor_values"]["p_up_weight"]["strides"].reverse()


@mutant("graph/meta-val", "crossed.pt2")
def no_type(p):
    del p.graph["tensor_values"]["sin"]


@mutant("graph/shape-bounded", "dynamic.pt2")
def no_size_fits(p):
    p.program["range_constraints"]["s77"].update(min_val=17)


@mutant("graph/dim-order-propagates", "layouts_portable.pte")
def layouts_differ(p):
    """A clone of a tensor that is laid out otherwise than its result."""
    plan = p.plan()
    plan.non_const_buffer_sizes[1] += 1024
    info = Table("AllocationDetails", memory_id=1, memory_offset_low=plan.non_const_buffer_sizes[1] - 512)
    like = p.value(p.calls("KernelCall")[4].args[0])
    source = p.calls("KernelCall")[4].args[-1]
    sizes, order = p.value(source).sizes, bytes([0, 2, 3, 1])
    if bytes(p.value(source).dim_order) == order:
        order = bytes(range(4))
    result = p.add_value(
        "Tensor", scalar_type=like.scalar_type, sizes=sizes, dim_order=order, allocation_info=info
    )
    plan.operators.append(Table("Operator", name=b"aten::clone", overload=b"out"))
    arguments = [source, p.add_value("Null"), result, result]
    p.add_instruction("KernelCall", op_index=len(plan.operators) - 1, args=arguments)
    plan.outputs = [*plan.outputs, result]


@mutant("graph/edge-dtype", "edge_exir.pt2")
def half_of_two_types(p):
    p.graph["tensor_values"]["aten_where_self"]["dtype"] = 6


@mutant("graph/module-call-graph", "mlp.pt2")
def module_takes_nothing_known(p):
    entry = p.program["graph_module"]["module_call_graph"][1]
    argument = {"as_tensor": {"name": "nowhere"}}
    spec = '[1, {"type": null, "context": null, "children_spec": []}]'
    entry["signature"] = {
        "inputs": [argument],
        "outputs": [],
        "in_spec": spec,
        "out_spec": spec,
        "forward_arg_names": ["x"],
    }


@mutant("graph/out-variant-exists", "edge_exir.pt2", options=("--ops", "portable"))
def no_out_variant(p):
    clamp = p.named("aten_clamp_default")
    clamp["target"] = "executorch.exir.dialects.edge.ops.aten.alias.default"
    del clamp["inputs"][1:]
