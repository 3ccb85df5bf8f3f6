"""Branches and jumps."""

from mutants import aoti, mutant, plan_of

LOOP = plan_of(
    {"a": "while_loop while_loop_cond_graph_0 while_loop_body_graph_0 getitem getitem_1"}
)
COND = plan_of({"a": "sum_1 gt cond true_graph_0 false_graph_0 getitem p_scale"})


@mutant("control-flow/branch-attr-tag", "cond.pt2", plan=COND)
def branch_left_behind(p, plan):
    del plan.method()["tags"]["true_graph_0"]


@mutant("control-flow/tag-in-loop-body", "while_loops.pt2", plan=LOOP)
def tag_where_nobody_looks(p, plan):
    plan.method()["delegates"]["b"] = aoti()
    plan.method()["tags"]["while_loop_body_graph_0/linear"] = "b"
    del plan.method()["tags"]["while_loop"]


@mutant("control-flow/op-emittable", "edge_exir_cond.pt2")
def loop_of_torch(p):
    p.node("cond")["target"] = "torch.ops.higher_order.while_loop"


@mutant("control-flow/map-arity", "edge_exir_cond.pt2")
def map_over_two(p):
    call = p.node("cond")
    tensors = [{"name": "x"}, {"name": "p_scale"}]
    call["target"] = "torch.ops.higher_order.map_impl"
    call["inputs"][0] = call["inputs"][1]
    call["inputs"][1:] = [
        {"name": "", "arg": {"as_tensors": tensors}},
        {"name": "", "arg": {"as_tensors": []}},
    ]


@mutant("control-flow/tag-in-delegated-branch", "cond.pt2", plan=COND)
def tag_inside(p, plan):
    plan.method()["delegates"]["b"] = aoti()
    plan.method()["tags"]["true_graph_0/mul"] = "b"


@mutant("control-flow/branch-signature", "cond.pt2")
def branch_takes_more(p):
    branch = p.node("cond")["inputs"][1]["arg"]["as_graph"]["graph"]
    branch["inputs"].append({"as_tensor": {"name": "more"}})
    branch["tensor_values"]["more"] = branch["tensor_values"]["x"]


@mutant("control-flow/predicate-type", "cond.pt2")
def float_decides(p):
    p.node("cond")["inputs"][0]["arg"] = {"as_tensor": {"name": "sum_1"}}


@mutant("control-flow/predicate-type", "control_flow_delegated.pte")
def number_decides(p):
    p.call("JumpFalseCall").cond_value_index = p.add_value("Int", int_val=1)


@mutant("control-flow/jump-target-range", "control_flow_delegated.pte")
def jumps_past_the_end(p):
    p.call("JumpFalseCall").destination_instruction = 99


@mutant("control-flow/loop-terminates", "control_flow_map.pte")
def endless(p):
    p.call("JumpFalseCall").cond_value_index = p.add_value("Bool", bool_val=False)


@mutant("control-flow/unreachable", "control_flow_delegated.pte")
def nothing_leads_there(p):
    never = p.add_value("Bool", bool_val=False)
    end = len(p.instructions()) + 1
    p.add_instruction(
        "JumpFalseCall", 0, cond_value_index=never, destination_instruction=end
    )


def branches(p):
    """The call, and the graphs of its branches."""
    call = p.node("cond")
    return call, *(call["inputs"][i]["arg"]["as_graph"]["graph"] for i in (1, 2))


@mutant("control-flow/branch-signature", "cond.pt2")
def an_operand_too_many(p):
    branches(p)[0]["inputs"][3]["arg"]["as_tensors"].append({"name": "x"})


@mutant("control-flow/branch-signature", "cond.pt2")
def branch_gives_whole_numbers(p):
    branches(p)[1]["tensor_values"]["mul"]["dtype"] = 5


@mutant("control-flow/branch-signature", "cond.pt2")
def branch_takes_whole_numbers(p):
    branches(p)[2]["tensor_values"]["x"]["dtype"] = 5


@mutant("control-flow/predicate-type", "control_flow_symbolic.pte")
def size_decides(p):
    p.call("JumpFalseCall").cond_value_index = p.call("KernelCall").args[-1]
