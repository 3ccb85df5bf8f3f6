"""Programs and what was made of them; constants as they are stored."""

import json

from flat import Table
from mutants import mutant


@mutant("signature/user-io-stable", "unplanned.pte", "mlp.pt2")
def input_of_other_sizes(p, program):
    p.value(p.plan().inputs[0]).sizes.reverse()


@mutant("signature/mutation-written-back", "initial_state.pte", "key_value_cache_core.pt2")
def state_not_written(p, program):
    del p.instructions()[3]


@mutant(
    "constant/program-data", "external.pte", "external_default_external_constant.ptd", "mlp.pt2"
)
def other_weights(p, data, program):
    data.data[data.root.segments[0].offset] ^= 1


@mutant("constant/program-data", "squeeze_xnnpack.pte", "squeeze.pt2")
def weights_of_another_checkpoint(p, program):
    for entry in p.root.named_data:
        p.data[p.root.segments[entry.segment_index].offset] ^= 1


@mutant("memory/mutable-initial-state", "reinplaced.pte", "key_value_cache_core.pt2")
def state_forgotten(p, program):
    name = program.part("weight_0")
    program.parts[name] = b"\x01" * len(program.parts[name])


@mutant("constant/copy-identical", "gate.pt2")
def copies_differ(p):
    name = p.part("model_weights_config.json")
    config = json.loads(p.parts[name])
    entry = dict(config["config"]["up.weight"])
    old = p.part("/" + entry["path_name"])
    new = old.replace(entry["path_name"], "weight_9")
    p.parts[new] = bytes(len(p.parts[old]))
    config["config"]["up.weight_copy_0"] = {**entry, "path_name": "weight_9"}
    p.parts[name] = json.dumps(config).encode()
    copied = {"as_tensor": {"name": "p_up_weight_copy_0"}}
    p.graph["inputs"].insert(0, copied)
    values = p.graph["tensor_values"]
    values["p_up_weight_copy_0"] = values["p_up_weight"]
    spec = {"arg": copied["as_tensor"], "parameter_name": "up.weight_copy_0"}
    p.signature["input_specs"].insert(0, {"parameter": spec})


@mutant("constant/data-real", "edge_exir_cond.pt2")
def weight_on_a_device(p):
    p.graph["tensor_values"]["p_scale"]["device"] = {"type": "cuda", "index": 0}


@mutant("constant/dtype-serializable", "cond.pt2", options=("--for", "executorch"))
def weight_of_uint64(p):
    p.graph["tensor_values"]["p_scale"]["dtype"] = 35


@mutant("constant/nbytes", "gate.pt2")
def weight_of_other_sizes(p):
    name = p.part("model_weights_config.json")
    config = json.loads(p.parts[name])
    config["config"]["up.weight"]["tensor_meta"]["sizes"][0]["as_int"] = 8
    p.parts[name] = json.dumps(config).encode()


@mutant("constant/double-owned", "xnnpack.pte")
def weight_kept_twice(p):
    segment = p.add_segment(p.segment_bytes(p.root.named_data[0].segment_index))
    size = p.root.segments[segment].size
    p.root.constant_segment = Table("SubsegmentOffsets", segment_index=segment, offsets=[0, 0])
    p.add_value(
        "Tensor", scalar_type=1, sizes=[size], dim_order=b"\0", data_buffer_idx=1
    )
