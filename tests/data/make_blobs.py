#!/usr/bin/env python3
"""Writes blobs of tests/fuzz/corpus/blob that programs here do not have: small ones for each thing
that the formats of Vulkan, MLX and native allow, by flatc and the schemas of the executorch wheel,
and what its TOSA backend writes of halves.

Run it with an interpreter that has torch and executorch (tests/data/requirements.txt).
"""

import importlib.resources
import importlib.util
import json
import struct
import subprocess
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "fuzz/corpus/blob"


def schema(name):
    return (Path(importlib.util.find_spec("executorch.backends").submodule_search_locations[0]) / name).read_text()


def flatbuffer(text, content):
    flatc = importlib.resources.files("executorch.data.bin") / "flatc"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "schema.fbs").write_text(text)
        (folder / "blob.json").write_text(json.dumps(content))
        subprocess.run([flatc, "-b", "-o", folder, folder / "schema.fbs", folder / "blob.json"], check=True)
        (made,) = set(folder.glob("blob.*")) - {folder / "blob.json"}
        return made.read_bytes()


def union(kind, **value):
    return {"value_type": kind, "value": value}


# Vulkan


def vulkan_lists():
    """Lists with numbers and with nothing in them, and a kind of value that is not known yet."""
    text = schema("vulkan/serialization/schema.fbs")
    text = text.replace("  SymInt,\n}", "  SymInt,\n  Newer,\n}") + "table Newer {}\n"
    tensor = lambda dims, kind="FLOAT32": union("VkTensor", datatype=kind, dims=dims, constant_id=-1, mem_obj_id=-1)
    values = [tensor([2, 4]), union("SymInt", value=0), union("Int", int_val=4), union("ValueList", items=[1, 2]),
              tensor([2, 4]), union("Null"), tensor([2], "INT64"), union("ValueList", items=[5, 6]), tensor([2, 2]),
              union("ValueList", items=[0, 4]), tensor([4, 4]), union("Newer"), union("ValueList", items=[11, 0, 3]),
              union("IntList", items=[1, 2]), union("ValueList", items=[13, 8])]
    chain = [("aten.view_copy.default", [0, 3, 4]), ("aten.index.Tensor", [4, 7, 8]),
             ("aten.cat.default", [9, 2, 10]), ("later.op.default", [12, 11, 14])]
    return flatbuffer(text, {
        "version": "0", "chain": [{"name": name, "args": args} for name, args in chain], "values": values,
        "input_ids": [0, 6], "output_ids": [10]})


# MLX


def mlx_chains():
    """All that a chain may be: before all calls, the main one, of branches, of a scan, of nothing."""
    slot = lambda number: {"idx": number}
    slots = lambda *numbers: [slot(number) for number in numbers]
    node = lambda kind, **fields: {"op_type": kind, "op": {
        name: slot(value) if name in ("x", "a", "b", "out") else value for name, value in fields.items()}}
    chains = [
        [node("MultiplyNode", a=1, b=3, out=4),
         node("SymSizeNode", a=1, dim=0, out=0),
         node("IfNode", cond={"vid": slot(0), "is_vid": True}, then_chain_idx=3, else_chain_idx=2),
         node("ScanNode", originals=slots(7), sliced=slots(5), outputs=slots(6), carry=slots(4), body_chain_idx=4),
         node("SubtractNode", a=4, b=6, out=2)],
        [node("AddNode", a=0, b=0, out=3)],
        [node("SigmoidNode", x=4, out=7)],
        [node("TanhNode", x=4, out=7)],
        [node("AddNode", a=5, b=4, out=4), node("IdCopyNode", x=4, out=6)],
        [node("IfNode", cond={"literal": 1}, then_chain_idx=5, else_chain_idx=99)]]
    meta = {"shape": [{"value": 2}, {"value": 4}], "scalar_type": 6}
    graph = flatbuffer(schema("mlx/serialization/schema.fbs"), {
        "version": "1", "num_constant_tensors": 1, "num_input_tensors": 1, "num_output_tensors": 1,
        "num_temp_tensors": 5, "num_values": 1, "instruction_chains": [{"instructions": one} for one in chains],
        "main_chain_idx": 0, "init_chain_idx": 1, "input_map": [{"idx": 1}], "output_map": [{"idx": 2}],
        "named_slots": [{"name": "w", "slot": {"idx": 0}}], "tensor_meta": [meta, meta, meta]})
    graph += bytes(-len(graph) % 16)
    return b"\0\0\0\0MLX0" + struct.pack("<QQ", 24 + len(graph), 0) + graph


# Native


def native_bodies():
    """A node that writes to what it reads twice, branches that take a number, an argument that is
    not known yet."""
    meta = {"dtype": "FLOAT", "sizes": [{"min": 2, "max": 2}, {"min": 4, "max": 4}]}
    tensor = lambda name: union("TensorArg", name=name)
    call = lambda target, inputs, outputs: {
        "name": outputs[0]["name"], "op_kind": "CALL_FUNCTION", "target": "torch.ops." + target,
        "inputs": [{"name": name, "arg": arg, "mutated": name == "self" and "index_put_" in target}
                   for name, arg in inputs], "outputs": outputs}
    takes = lambda name, kind="TENSOR": {
        "name": name, "op_kind": "PLACEHOLDER", "outputs": [{"name": name, "kind": kind}]}
    gives = lambda name: {"name": "output", "op_kind": "OUTPUT", "inputs": [{"arg": tensor(name)}]}
    body = {"nodes": [takes("n", "INT"),
                      call("aten.full.default", [("size", union("IntListArg", values=[0, 4], refs=["n", ""])),
                                                 ("fill_value", union("FloatArg", value=1.0))], [{"name": "full"}]),
                      gives("full")],
            "inputs": ["n"], "outputs": ["full"], "tensor_values": [{"name": "full", "meta": meta}]}
    branch = lambda name: union("GraphArg", name=name, graph=body)
    nodes = [takes("x"), takes("flag", "BOOL"),
             call("aten.index_put_.default",
                  [("self", tensor("x")), ("indices", union("OptionalTensorListArg", names=["x"], has_value=[1])),
                   ("values", tensor("x"))], [{"name": "put", "alias_of": "x"}]),
             call("aten.sym_size.int", [("self", tensor("put")), ("dim", union("IntArg", value=0))],
                  [{"name": "size", "kind": "INT"}]),
             call("higher_order.cond",
                  [("", union("BoolArg", ref="flag")), ("", branch("true_graph_0")), ("", branch("false_graph_0")),
                   ("", union("IntListArg", values=[0], refs=["size"])), ("", union("NewerArg"))], [{"name": "cond"}]),
             gives("cond")]
    graph = {"nodes": nodes, "inputs": ["x", "flag"], "outputs": ["cond"],
             "tensor_values": [{"name": name, "meta": meta} for name in ("x", "put", "cond")]}
    text = schema("native/serialization/native_graph.fbs")
    text = text.replace("    GraphArg,\n}", "    GraphArg,\n    NewerArg,\n}") + "table NewerArg {}\n"
    return flatbuffer(text, {"version": "1", "methods": [{"name": "forward", "graph": graph}]})


# TOSA


def tosa_clamp(dtype, version):
    import torch
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
    from executorch.exir import to_edge_transform_and_lower
    from executorch.exir._serialize._program import deserialize_pte_binary

    class Clamp(torch.nn.Module):
        def forward(self, x):
            return torch.clamp(x, -1.5, 2.25)

    program = torch.export.export(Clamp(), (torch.ones(2, 4, dtype=dtype),))
    manager = to_edge_transform_and_lower(program, partitioner=[TOSAPartitioner(TosaCompileSpec(version))])
    (delegate,) = deserialize_pte_binary(bytes(manager.to_executorch().buffer)).program.backend_delegate_data
    return delegate.data


def main():
    import torch

    made = {"vulkan-lists": vulkan_lists(), "mlx-chains": mlx_chains(), "native-bodies": native_bodies(),
            "tosa-f16": tosa_clamp(torch.float16, "TOSA-1.0+FP"),
            "tosa-bf16": tosa_clamp(torch.bfloat16, "TOSA-1.0+FP+bf16")}
    for name, data in made.items():
        (CORPUS / name).write_bytes(data)


if __name__ == "__main__":
    main()
