"""Constants and state against plans."""

import json

from mutants import mutant, plan_of

GATE = plan_of(
    {
        "a": "p_up_weight p_up_bias permute addmm sigmoid",
        "b": "p_down_weight p_down_bias mul permute_1 addmm_1 add",
    }
)
COUNTER = plan_of({"a": "b_count add", "b": "mul"})
KEPT = plan_of({"a": "b_count add add_1"})
LISTED = plan_of({"a": "p_scale mul cumsum cat"})


@mutant("constant/users-share-tag", "gate.pt2", plan=GATE)
def constant_with_another(p, plan):
    plan.method()["tags"]["p_up_weight"] = "b"


@mutant("constant/list-arg-user", "listed_weight.pt2", plan=LISTED)
def weight_in_a_list(p, plan):
    first, *_, last = p.graph["nodes"]
    again = {**first, "name": "again", "outputs": [{"as_tensor": {"name": "again"}}]}
    p.graph["nodes"].append(again)
    p.graph["tensor_values"]["again"] = p.graph["tensor_values"]["mul"]
    p.graph["outputs"].append({"as_tensor": {"name": "again"}})
    spec = {"user_output": {"arg": {"as_tensor": {"name": "again"}}}}
    p.signature["output_specs"].append(spec)


UNUSED = plan_of({"a": "sum_1 b_unused b_total b_inner_total"})


@mutant("constant/unused-untagged", "buffers.pt2", plan=UNUSED)
def unused_left_behind(p, plan):
    del plan.method()["tags"]["b_unused"]


@mutant("constant/prior-delegate-only", "after_xnnpack.pt2", "after_xnnpack_aoti.plan.json")
def delegate_reads_it(p, plan):
    atan2 = p.named("aten_atan2_default")["inputs"]
    call = [n for n in p.graph["nodes"] if "call_delegate" in n["target"]][1]
    call["inputs"][1]["arg"], atan2[1]["arg"] = atan2[1]["arg"], atan2[0]["arg"]


@mutant("constant/mutable-as-constant", "counter_tagged.pt2", plan=COUNTER)
def state_without_its_new_value(p, plan):
    add = p.named("add_1")["inputs"][1]
    add["arg"] = {"as_tensor": {"name": "mul"}}
    plan.method()["tags"].update(b_count="b")
    p.named("mul")["inputs"][1]["arg"] = {"as_tensor": {"name": "b_count"}}
    p.named("add")["inputs"][0]["arg"] = {"as_tensor": {"name": "x"}}
    del plan.method()["tags"]["add"]


@mutant("constant/mutable-shared", "counter_tagged.pt2", plan=COUNTER)
def state_for_two(p, plan):
    p.named("mul")["inputs"][1]["arg"] = {"as_tensor": {"name": "b_count"}}


@mutant("constant/mutation-also-output", "counter_tagged.pt2", plan=KEPT)
def new_value_returned(p, plan):
    p.graph["outputs"][1] = {"as_tensor": {"name": "add"}}
    p.signature["output_specs"][1]["user_output"]["arg"] = {"as_tensor": {"name": "add"}}


def weights(p, edit):
    """Edits what the archive says of its weights."""
    part = p.part("model_weights_config.json")
    config = json.loads(p.parts[part])
    edit(config["config"])
    p.parts[part] = json.dumps(config).encode()


@mutant("constant/nbytes", "mlp.pt2")
def payload_cut(p):
    part = p.part("weight_0")
    p.parts[part] = p.parts[part][:-4]


@mutant("constant/nbytes", "mlp.pt2")
def view_beyond_its_data(p):
    def move(config):
        config["up.weight"]["tensor_meta"]["storage_offset"] = {"as_int": 8}

    weights(p, move)
