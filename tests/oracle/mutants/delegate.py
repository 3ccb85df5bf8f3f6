"""Delegates and their calls."""

import mutate
from flat import Table
from mutants import mutant, plan_of


@mutant("delegate/no-nested", "lowered_exir.pt2")
def delegate_in_delegate(p):
    outer, argument = p.lowered(0)
    call = dict(p.graph["nodes"][0])
    graph = outer["original_module"]["graph_module"]["graph"]
    call.update(name="inner", outputs=[{"as_tensors": [{"name": "inner_item"}]}])
    graph["tensor_values"]["inner_item"] = graph["tensor_values"]["x"]
    graph["nodes"].append(call)
    p.set_lowered(argument, outer)


@mutant("delegate/index-range", "shared_blob.pte")
def no_such_delegate(p):
    p.call("DelegateCall").delegate_index = 7


@mutant("delegate/lowered-name", "lowered_exir.pt2")
def misnamed(p):
    p.graph["nodes"][0]["inputs"][0]["name"] = "partition_0"


@mutant("delegate/users-getitem", "lowered_exir.pt2")
def more_than_it_gives(p):
    p.graph["nodes"][0]["outputs"][0]["as_tensors"].append({"name": "another"})
    p.graph["tensor_values"]["another"] = p.graph["tensor_values"]["getitem_2"]


@mutant("delegate/input-arity", "lowered_exir.pt2")
def input_too_many(p):
    inputs = p.graph["nodes"][0]["inputs"]
    inputs.append({**inputs[1], "name": "delegate_arg_1"})


@mutant("delegate/io-meta-match", "lowered_exir.pt2")
def another_type(p):
    p.graph["tensor_values"]["x"]["dtype"] = 8


@mutant("delegate/io-operands", "xnnpack.pte")
def operand_gone(p):
    call = p.call("DelegateCall")
    call.args = list(call.args)[1:]


@mutant("delegate/io-operands", "xnnpack.pte")
def result_of_narrower_elements(p):
    p.value(p.call("DelegateCall").args[-1]).scalar_type = 5


@mutant("delegate/io-operands", "xnnpack.pte")
def input_of_wider_elements(p):
    p.value(p.call("DelegateCall").args[0]).scalar_type = 4


@mutant("delegate/dangling", "shared_blob.pte")
def called_by_nobody(p):
    p.call("DelegateCall", skip=1).delegate_index = 0


@mutant("delegate/blob-ref", "shared_blob.pte")
def blob_nowhere(p):
    p.plan().delegates[0].processed.index = 9


@mutant("delegate/blob-nonempty", "shared_blob.pte")
def blob_empty(p):
    p.root.segments[p.plan().delegates[0].processed.index].size = 0


@mutant("delegate/id-nonempty", "shared_blob.pte")
def no_backend(p):
    p.plan().delegates[0].id = b""


@mutant("delegate/spec-nonnull", "shared_blob.pte")
def spec_without_value(p):
    p.plan().delegates[0].compile_specs = [Table("CompileSpec", key=b"partition")]


@mutant("delegate/spec-duplicate-key", "shared_blob.pte")
def spec_twice(p):
    spec = Table("CompileSpec", key=b"partition", value=b"1")
    p.plan().delegates[0].compile_specs = [spec, spec]


@mutant("delegate/output-arity", "lowered_exir.pt2")
def more_results_inside(p):
    def another(module):
        main = module["original_module"]["graph_module"]
        name = main["graph"]["nodes"][0]["outputs"][0]
        main["graph"]["outputs"].append(name)
        main["signature"]["output_specs"].append({"user_output": {"arg": name}})

    p.edit_lowered(another)


@mutant("delegate/named-key-resolves", "xnnpack.pte")
def key_lost(p):
    p.root.named_data[0].key = b"0" * 64


COND = plan_of({"a": "cond submodule_0 submodule_1 getitem"})


@mutant("delegate/nested-in-branch", "lowered_cond_exir.pt2", plan=COND)
def delegate_in_tagged_branch(p, plan):
    other = mutate.open_program(mutate.DATA / "lowered_exir.pt2")
    branch = p.node("cond")["inputs"][1]["arg"]["as_graph"]["graph"]
    branch["nodes"].append(other.graph["nodes"][0])
    branch["tensor_values"]["getitem_2"] = other.graph["tensor_values"]["getitem_2"]


@mutant("delegate/io-order", "lowered_two_exir.pt2")
def inputs_swapped(p):
    """Two inputs of the lowered module, and of the call in the other order."""

    def second(module):
        main = module["original_module"]["graph_module"]
        values = main["graph"]["tensor_values"]
        place, first = next(
            (i, spec["user_input"]["arg"]["as_tensor"]["name"])
            for i, spec in enumerate(main["signature"]["input_specs"])
            if "user_input" in spec
        )
        values["bias"] = values[first]
        added = {"as_tensor": {"name": "bias"}}
        main["graph"]["inputs"].insert(place, added)
        main["signature"]["input_specs"].insert(place, {"user_input": {"arg": added}})

    p.edit_lowered(second)
    inputs = p.graph["nodes"][0]["inputs"]
    inputs.append({"name": "delegate_arg_1", "arg": {"as_tensor": {"name": "bias"}}})
    p.graph["inputs"].append({"as_tensor": {"name": "bias"}})
    p.graph["tensor_values"]["bias"] = p.graph["tensor_values"]["x"]
    spec = {"user_input": {"arg": {"as_tensor": {"name": "bias"}}}}
    p.signature["input_specs"].append(spec)


def give_nothing(module):
    graph_module = module["original_module"]["graph_module"]
    graph_module["graph"]["outputs"] = []
    graph_module["signature"]["output_specs"] = []


@mutant("delegate/output-arity", "lowered_exir.pt2")
def module_without_outputs(p):
    p.edit_lowered(give_nothing)


@mutant("delegate/output-arity", "lowered_exir.pt2")
def call_without_outputs(p):
    p.node("call_delegate")["outputs"] = []


@mutant("delegate/output-arity", "xnnpack.pte")
def call_that_writes_nothing(p):
    call = p.call("DelegateCall")
    call.args = call.args[:1]


@mutant("delegate/ref-valid", "lowered_exir.pt2")
def text_that_is_cut(p):
    argument = p.lowered()[1]
    argument["as_string"] = argument["as_string"][:500]
