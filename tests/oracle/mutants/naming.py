"""Names in plans and files."""

from mutants import aoti, mutant, plan_of

GATE = plan_of(
    {
        "a": "p_up_weight p_up_bias permute addmm sigmoid",
        "b": "p_down_weight p_down_bias mul permute_1 addmm_1 add",
    }
)


@mutant("naming/tag-charset", "gate.pt2", plan=GATE)
def tag_with_a_slash(p, plan):
    method = plan.method()
    method["delegates"]["../b\n"] = method["delegates"].pop("b")
    tags = method["tags"]
    tags.update({name: "../b\n" for name, tag in tags.items() if tag == "b"})


@mutant("naming/fqn-shadow", "several_methods.pte")
def one_name_two_weights(p):
    for plan in (0, 1):
        p.extra(p.constants(plan)[0], plan).fully_qualified_name = b"weight"


@mutant("naming/placeholder-collision", "gate.pt2", plan=GATE)
def name_that_duplication_takes(p, plan):
    p.graph["inputs"][4]["as_tensor"]["name"] = "p_up_weight_copy_0"
    rename(p, "x", "p_up_weight_copy_0")
    plan.method()["tags"]["mul"] = "b"
    p.named("mul")["inputs"][1]["arg"] = {"as_tensor": {"name": "p_up_weight"}}


def rename(p, old, new):
    values = p.graph["tensor_values"]
    values[new] = values.pop(old)
    for spec in p.signature["input_specs"]:
        argument = spec.get("user_input", {}).get("arg", {}).get("as_tensor")
        if argument and argument["name"] == old:
            argument["name"] = new
    for node in p.graph["nodes"]:
        for given in node["inputs"]:
            if given["arg"].get("as_tensor") == {"name": old}:
                given["arg"]["as_tensor"]["name"] = new
