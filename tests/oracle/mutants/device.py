"""Devices of `.pte` files."""

import base64

import mutate
from flat import Table
from mutants import mutant

ON_CUDA = 1


def target(p, value, delegate=0):
    for spec in p.plan().delegates[delegate].compile_specs:
        if spec.key == b"target_device":
            spec.value = value


def copies(p, name):
    """Calls that copy between host and device."""
    calls = [call for call in p.calls("KernelCall")]
    return [call for call in calls if p.operator(call).name == b"et_copy::" + name]


@mutant("device/spec-parse", "on_cuda.pte")
def device_misspelt(p):
    target(p, b"cuba:0")


@mutant("device/index-range", "on_cuda.pte")
def index_too_large(p):
    target(p, b"cuda:200")


@mutant("device/spec-missing", "aoti_blobs.pte")
def no_target(p):
    delegate = p.plan().delegates[0]
    delegate.compile_specs = [s for s in delegate.compile_specs if s.key != b"target_device"]


@mutant("device/index-honoured", "aoti_blobs.pte")
def second_device(p):
    target(p, b"cuda:1")
    for number in p.values_of("Tensor"):
        if p.value(number).get("extra_tensor_info"):
            p.extra(number).device_index = 1
    p.plan().non_const_buffer_device[0].device_index = 1


@mutant("device/backend-device", "aoti_blobs.pte")
def device_of_another_backend(p):
    p.plan().delegates[0].id = b"MetalBackend"


@mutant("device/delegate-io-device", "on_cuda.pte")
def input_on_host(p):
    number = p.call("DelegateCall").args[0]
    p.value(number).drop("extra_tensor_info")


@mutant("device/host-op-on-cpu", "on_cuda.pte")
def kernel_on_device(p):
    p.operator(copies(p, b"_h2d_copy")[0]).name = b"aten::clone"


@mutant("device/h2d-direction", "on_cuda.pte")
def from_host_to_host(p):
    p.value(copies(p, b"_h2d_copy")[0].args[1]).drop("extra_tensor_info")


@mutant("device/d2h-direction", "on_cuda.pte")
def from_device_to_device(p):
    p.extra(copies(p, b"_d2h_copy")[-1].args[1]).device_type = ON_CUDA


@mutant("device/direct-cross-device", "on_cuda.pte")
def from_device_to_other_device(p):
    first, second = p.calls("DelegateCall")
    target(p, b"cuda:1", delegate=second.delegate_index)
    second.args[0] = first.args[-1]


@mutant("device/roundtrip", "on_cuda.pte")
def there_and_back(p):
    up, down = copies(p, b"_h2d_copy"), copies(p, b"_d2h_copy")
    back = next(call for call in up if call.args[0] not in p.plan().inputs)
    back.args[0] = down[0].args[1]


@mutant("device/stale-output-spec", "on_cuda.pte")
def device_output_without_memory(p):
    p.value(p.calls("DelegateCall")[-1].args[-1]).drop("allocation_info")
    p.value(p.plan().outputs[0]).allocation_info = Table(
        "AllocationDetails", memory_id=1, memory_offset_low=0
    )


@mutant("device/constant-h2d", "on_cuda.pte")
def constant_copied(p):
    segment = p.add_segment(bytes(24))
    p.root.constant_segment = Table("SubsegmentOffsets", segment_index=segment, offsets=[0, 0])
    constant = p.add_value(
        "Tensor", scalar_type=6, sizes=[2, 3], dim_order=b"\0\1", data_buffer_idx=1
    )
    copies(p, b"_h2d_copy")[0].args[0] = constant


@mutant("device/planned-io", "on_cuda_without_copies.pte")
def device_input_planned(p):
    p.plan().non_const_buffer_sizes = [0, 32]
    p.plan().non_const_buffer_device = [
        Table("NonConstBufferDevice", buffer_idx=1, device_type=ON_CUDA)
    ]
    info = Table("AllocationDetails", memory_id=1, memory_offset_low=0)
    p.value(p.plan().inputs[0]).allocation_info = info


@mutant("device/buffer-entry", "on_cuda.pte")
def arena_without_device(p):
    p.plan().drop("non_const_buffer_device")


@mutant("device/arena-mixed", "on_cuda.pte")
def two_devices_in_one_arena(p):
    p.extra(p.call("DelegateCall").args[0]).device_index = 1


@mutant("device/buffer-index-range", "on_cuda.pte")
def device_for_no_arena(p):
    p.plan().non_const_buffer_device[0].buffer_idx = 9


@mutant("device/buffer-entry-unique", "on_cuda.pte")
def two_devices_for_one_arena(p):
    p.plan().non_const_buffer_device *= 2


@mutant("device/enum-known", "on_cuda.pte")
def device_of_the_future(p):
    p.extra(p.call("DelegateCall").args[0]).device_type = 9


@mutant("device/predicate-host", "control_flow_delegated.pte")
def decided_on_device(p):
    p.extra(p.call("JumpFalseCall").cond_value_index).device_type = ON_CUDA


def ask_for_device(module, device=b"cuda:0"):
    value = base64.b64encode(device).decode()
    module["compile_specs"].append({"key": "target_device", "value": value})


@mutant("device/spec-parse", "lowered_exir.pt2")
def lowered_for_nothing_known(p):
    p.edit_lowered(lambda module: ask_for_device(module, b"cuba:0"))


@mutant("device/spec-host-target", "lowered_exir.pt2")
def host_as_target(p):
    p.edit_lowered(lambda module: ask_for_device(module, b"cpu"))


@mutant("device/branch-delegate", "lowered_cond_exir.pt2")
def device_in_branch(p):
    other = mutate.open_program(mutate.DATA / "lowered_exir.pt2")
    other.edit_lowered(ask_for_device)
    call, values = other.graph["nodes"][0], other.graph["tensor_values"]
    branch = p.node("cond")["inputs"][1]["arg"]["as_graph"]["graph"]
    branch["nodes"].append(call)
    branch["tensor_values"]["getitem_2"] = values["getitem_2"]


SKIP = ("--skip-h2d-inputs",)


@mutant("device/skip-h2d-single-user", "lowered_exir.pt2", options=SKIP)
def two_users(p):
    p.edit_lowered(ask_for_device)
    node = {**p.graph["nodes"][1], "name": "again"}
    node["inputs"] = [{"name": "self", "arg": {"as_tensor": {"name": "x"}}}, *node["inputs"][1:]]
    node["outputs"] = [{"as_tensor": {"name": "again"}}]
    p.graph["tensor_values"]["again"] = p.graph["tensor_values"]["aten_mean_dim"]
    p.graph["nodes"].append(node)


@mutant("device/skip-h2d-mutable", "after_xnnpack.pt2", options=SKIP)
def state_for_a_device(p):
    p.edit_lowered(ask_for_device, 1)
    call = [n for n in p.graph["nodes"] if "call_delegate" in n["target"]][1]
    call["inputs"][1]["arg"] = {"as_tensor": {"name": "b_decay"}}
    new = {"as_tensor": {"name": "aten_cumsum_default"}}
    p.graph["outputs"].insert(0, new)
    spec = {"arg": new["as_tensor"], "buffer_name": "decay"}
    p.signature["output_specs"].insert(0, {"buffer_mutation": spec})


@mutant("device/h2d-direction", "on_cuda.pte")
def turned_round(p):
    call = p.call("KernelCall")
    source, target = call.args[:2]
    call.args = [target, source, source]
