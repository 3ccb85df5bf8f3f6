"""Plans."""

from mutants import aoti, mutant, plan_of

GATE = plan_of(
    {
        "a": "p_up_weight p_up_bias permute addmm sigmoid",
        "b": "p_down_weight p_down_bias mul permute_1 addmm_1 add",
    }
)
CROSSED = plan_of({"a": "sin cos", "b": "exp relu"})
TOPK = plan_of({"a": "topk getitem getitem_1"})
QUANTIZED = "quantize_per_tensor dequantize_per_tensor_2 dequantize_per_tensor conv2d relu"


@mutant("partition/node-known", "gate.pt2", plan=GATE)
def tags_no_node(p, plan):
    plan.method()["tags"]["addmn"] = "a"


@mutant("partition/tag-known", "gate.pt2", plan=GATE)
def tag_without_delegate(p, plan):
    plan.method()["tags"]["cumsum"] = "c"


@mutant("partition/tag-used", "gate.pt2", plan=GATE)
def delegate_without_node(p, plan):
    plan.method()["delegates"]["c"] = aoti()


@mutant("partition/has-spec", "gate.pt2", plan=GATE)
def delegate_without_backend(p, plan):
    plan.method()["delegates"]["a"]["backend"] = None


@mutant("partition/backend-known", "gate.pt2", plan=GATE, options=("--backends", "CudaBackend"))
def backend_misspelt(p, plan):
    plan.method()["delegates"]["a"]["backend"] = "CudaBackends"


@mutant("partition/per-method-spec", "gate.pt2", plan=GATE)
def spec_of_another_method(p, plan):
    plan.method()["delegates"]["a"] = aoti("backward")


@mutant("partition/convex", "gate.pt2", plan=GATE)
def path_leaves_and_enters(p, plan):
    tags = plan.method()["tags"]
    tags.update({name: "a" for name in tags})


@mutant("partition/no-mutual-cycle", "crossed.pt2", plan=CROSSED)
def each_waits_for_the_other(p, plan):
    plan.method()["tags"].update(cos="b", exp="b", relu="a")


@mutant("partition/lowering-order", "crossed.pt2", plan=CROSSED)
def order_closes_a_cycle(p, plan):
    plan.method()["tags"].update(cos="b", exp="b", relu="a")


@mutant("partition/output-untagged", "gate.pt2", plan=GATE)
def output_tagged(p, plan):
    plan.method()["tags"]["output"] = "b"


@mutant("partition/user-input-untagged", "gate.pt2", plan=GATE)
def input_tagged(p, plan):
    plan.method()["tags"]["x"] = "a"


@mutant("partition/no-delegate-inside", "after_xnnpack.pt2", "after_xnnpack_aoti.plan.json")
def delegate_tagged(p, plan):
    plan.method()["tags"]["executorch_call_delegate_1"] = "aoti_2"


@mutant("partition/getitem-with-producer", "multi_output.pt2", plan=TOPK)
def tuple_taken_apart_outside(p, plan):
    del plan.method()["tags"]["getitem_1"]


@mutant("partition/getitem-only", "multi_output.pt2", plan=TOPK)
def only_getitems(p, plan):
    plan.method()["delegates"]["b"] = aoti()
    plan.method()["tags"].update(getitem="b", getitem_1="b")


@mutant("partition/has-output", "crossed.pt2", plan=CROSSED)
def nobody_reads_it(p, plan):
    p.graph["outputs"].pop()
    p.signature["output_specs"].pop()


@mutant("partition/boundary-kinds", "dynamic.pt2", plan=plan_of({"a": "unsqueeze"}))
def symbol_crosses(p, plan):
    plan.method()["tags"]["sym_size_int_1"] = "a"


@mutant("partition/qdq-split", "quantized_core.pt2", plan=plan_of({"a": QUANTIZED}))
def dequantize_elsewhere(p, plan):
    plan.method()["delegates"]["b"] = aoti()
    plan.method()["tags"]["dequantize_per_tensor_2"] = "b"
    plan.method()["tags"]["quantize_per_tensor"] = "b"


@mutant("partition/alias-order", "input_mutation.pt2", plan=plan_of({"a": "mean"}))
def write_moves_past_a_read(p, plan):
    plan.method()["tags"].update(copy_="a")


@mutant("partition/stale-tag", "lowered_exir.pt2")
def tag_stays_inside(p):
    def tag(module):
        nodes = module["original_module"]["graph_module"]["graph"]["nodes"]
        nodes[0]["metadata"]["custom"] = '{"delegation_tag": "tag0"}'

    p.edit_lowered(tag)


@mutant("partition/support-respected", "gate.pt2", plan=plan_of({"a": "sigmoid"}, "XnnpackBackend"))
def operator_that_it_lacks(p, plan):
    plan.method()["tags"]["cumsum"] = "a"


@mutant("partition/duplicate-return", "lowered_exir.pt2")
def one_value_returned_twice(p):
    def twice(module):
        main = module["original_module"]["graph_module"]
        main["graph"]["outputs"] *= 2
        main["signature"]["output_specs"] *= 2

    p.edit_lowered(twice)


@mutant("partition/qdq-split", "quantized_core.pt2", plan=plan_of({"a": QUANTIZED}))
def dequantize_left_to_the_host(p, plan):
    tags = plan.method()["tags"]
    for name in [name for name in tags if name.startswith("dequantize")]:
        del tags[name]
