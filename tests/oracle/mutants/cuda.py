"""What the CUDA backend makes of a plan, before it compiles."""

from mutants import mutant, plan_of

CACHE = plan_of({"a": "select mean add sum_1 mul_ copy_"})


@mutant("cuda/fallback-kernel", "crossed.pt2", plan=plan_of({"a": "sin cos"}))
def no_kernel(p, plan):
    cos = p.named("cos")
    cos["target"] = "torch.ops.aten._cdist_forward.default"
    x = {"as_tensor": {"name": "sin"}}
    cos["inputs"] = [
        {"name": "x1", "arg": x, "kind": 1},
        {"name": "x2", "arg": x, "kind": 1},
        {"name": "p", "arg": {"as_float": 2.0}, "kind": 1},
        {"name": "compute_mode", "arg": {"as_none": True}, "kind": 1},
    ]


@mutant("cuda/grad-mode", "no_grad.pt2", plan=plan_of({"a": "wrap_with_autocast"}))
def grad_mode_inside(p, plan):
    plan.method()["tags"].update(mul="a", submod_3="a", getitem="a")


@mutant("cuda/view-unsafe", "input_mutation.pt2", plan=CACHE)
def copy_of_what_is_written_later(p, plan):
    made = {
        **p.named("mul_"),
        "name": "slice_copy",
        "target": "torch.ops.aten.slice_copy.Tensor",
        "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
        "outputs": [{"as_tensor": {"name": "slice_copy"}}],
    }
    p.graph["nodes"].insert(0, made)
    p.graph["tensor_values"]["slice_copy"] = p.graph["tensor_values"]["x"]
    p.graph["outputs"].append({"as_tensor": {"name": "slice_copy"}})
    spec = {"user_output": {"arg": {"as_tensor": {"name": "slice_copy"}}}}
    p.signature["output_specs"].append(spec)
    plan.method()["tags"]["slice_copy"] = "a"
