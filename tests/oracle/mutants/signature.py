"""Signatures against graphs and stored tensors."""

from mutants import mutant


@mutant("signature/input-count", "crossed.pt2")
def input_without_spec(p):
    p.signature["input_specs"].clear()


@mutant("signature/input-name", "gate.pt2")
def input_misnamed(p):
    p.signature["input_specs"][0]["parameter"]["arg"]["name"] = "p_other"


@mutant("signature/param-present", "gate.pt2")
def parameter_lost(p):
    p.signature["input_specs"][0]["parameter"]["parameter_name"] = "nowhere"


@mutant("signature/buffer-persistence", "buffers.pt2")
def stored_though_not_persistent(p):
    p.signature["input_specs"][0]["buffer"]["persistent"] = False


@mutant("signature/constant-present", "lifted_constants.pt2")
def constant_lost(p):
    found = next(s for s in p.signature["input_specs"] if "tensor_constant" in s)
    found["tensor_constant"]["tensor_constant_name"] = "nowhere"


@mutant("signature/custom-obj-lowerable", "edge_exir.pt2")
def object_as_input(p):
    spec = {"custom_obj": {"arg": {"name": "mask", "class_fqn": "Tokens"}, "custom_obj_name": "t"}}
    p.signature["input_specs"][1] = spec
    p.graph["inputs"][1] = {"as_custom_obj": spec["custom_obj"]["arg"]}


@mutant("signature/output-count", "crossed.pt2")
def output_without_spec(p):
    del p.signature["output_specs"][1]


@mutant("signature/output-order", "counter_tagged.pt2")
def mutation_last(p):
    p.signature["output_specs"].reverse()
    p.graph["outputs"].reverse()


@mutant("signature/mutation-target", "counter_tagged.pt2")
def mutates_nothing(p):
    p.signature["output_specs"][0]["buffer_mutation"]["buffer_name"] = "nowhere"


@mutant("signature/target-unique", "gate.pt2")
def one_weight_twice(p):
    p.signature["input_specs"][0]["parameter"]["parameter_name"] = "down.weight"


@mutant("signature/buffer-persistence", "buffers.pt2")
def persistent_among_the_constants(p):
    for spec in p.signature["input_specs"]:
        if spec.get("buffer", {}).get("buffer_name") == "scratch":
            spec["buffer"]["persistent"] = True


def swap_inner_placeholders(module):
    inputs = module["original_module"]["graph_module"]["graph"]["inputs"]
    inputs[0], inputs[1] = inputs[1], inputs[0]


@mutant("signature/input-name", "lowered_exir.pt2")
def inner_placeholders_in_another_order(p):
    p.edit_lowered(swap_inner_placeholders)
