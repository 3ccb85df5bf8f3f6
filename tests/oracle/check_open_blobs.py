#!/usr/bin/env python3
"""Hold what delegraph reads of blobs of Vulkan, TOSA, native and MLX to what their writers put in.

    check_open_blobs.py --delegraph PROGRAM [--work FOLDER] [--seed N] [NETWORK...]

Each network is lowered for each backend, and each blob read with the backend's own classes; the
graphs of Vulkan and MLX are taken where they are written: theirs do not read infinities, or nothing. Networks
are some of those for XNNPACK, the architectures, and those of open_blob_networks.py. Nodes with their arguments and operands,
values, constants, inputs and outputs must be the same, and no rule may find an error.
FOLDER keeps programs, and graphs that were taken, for a next time.
"""

import argparse
import collections
import dataclasses
import hashlib
import json
import logging
import pickle
import random
import struct
import subprocess
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable()

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import torch
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary
from executorch.exir.backend.backend_api import to_backend

import backends
import xnnpack_networks
from check_blobs import asked
from kept import Kept
from architectures import ARCHITECTURES
from open_blob_networks import OWN

LEAST = 5  # programs of each backend
QUANTIZED = ("i8", "tensor", "channel", "dynamic")  # for XNNPACK: others refuse them
SCALARS = {0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32",
           7: "float64", 11: "bool", 15: "bfloat16", 16: "uint16", 17: "uint32", 18: "uint64",
           27: "uint16", 28: "uint32", 29: "uint64"}


@dataclasses.dataclass
class Graph:
    """What a blob holds: operands are (access, name, value)."""

    nodes: list  # (op, arguments, operands)
    values: dict  # by name or number: (datatype, shape)
    constants: list  # (key or None, bytes or None)
    inputs: list
    outputs: list


written = {}  # graphs by SHA-256 of the blob


def record(module, name, graph_of):
    write = getattr(module, name)

    def recorded(*args):
        blob = write(*args)
        written[hashlib.sha256(blob).hexdigest()] = graph_of(*args)
        return blob

    setattr(module, name, recorded)


def watch_writers():
    from executorch.backends.mlx.serialization.mlx_graph_serialize import MLXGraphSerializer
    from executorch.backends.vulkan import vulkan_preprocess

    record(MLXGraphSerializer, "serialize", lambda writer: writer.graph)
    record(vulkan_preprocess, "serialize_vulkan_graph", lambda graph, *_: graph)


# Vulkan


def vulkan_literal(thing):
    fields = list(vars(thing).values())
    return fields[0] if fields else None


def vulkan(blob):
    from executorch.backends.vulkan.serialization import vulkan_graph_schema as schema

    graph = written[hashlib.sha256(blob).hexdigest()]
    content = [value.value for value in graph.values]
    nodes = []
    for call in graph.chain:
        args, operands = {}, []
        for i, number in enumerate(call.args):
            last = i + 1 == len(call.args)
            name, access = ("out", "write") if last else (f"arg{i}", "read")
            thing = content[number]
            if isinstance(thing, (schema.VkTensor, schema.SymInt)):
                operands.append((access, name, number))
            elif isinstance(thing, schema.ValueList):
                told, is_literal = [], False
                for item in thing.items:
                    literal = not isinstance(content[item], (schema.VkTensor, schema.SymInt))
                    told.append(vulkan_literal(content[item]) if literal else {"operand": len(operands)})
                    operands += [] if literal else [(access, name, item)]
                    is_literal |= literal
                if is_literal:
                    args[name] = told
            else:
                args[name] = vulkan_literal(thing)
        nodes.append((call.name, args, operands))
    tensors = {i: (thing.datatype.name, list(thing.dims)) for i, thing in enumerate(content)
               if isinstance(thing, schema.VkTensor)}
    constants = [(one.named_key or None, one.length) for one in graph.constants]
    return Graph(nodes, tensors, constants, list(graph.input_ids), list(graph.output_ids))


# TOSA


def texts(count, get):
    return [get(i).decode() for i in range(count)]


def tosa_attributes(operator):
    """Fields of the table, as its class has them."""
    import importlib

    import tosa.Attribute

    kinds = {number: name for name, number in vars(tosa.Attribute.Attribute).items()
             if isinstance(number, int)}
    name = kinds[operator.AttributeType()]
    table = getattr(importlib.import_module(f"tosa.{name}"), name)()
    table.Init(operator.Attribute().Bytes, operator.Attribute().Pos)
    told = {}
    for field in vars(type(table)):
        if field[0].islower() or field.startswith(("_", "GetRootAs", "Init")):
            continue
        if hasattr(table, field + "Length"):
            told[field] = [getattr(table, field)(i) for i in range(getattr(table, field + "Length")())]
        elif not field.endswith(("Length", "AsNumpy", "IsNone", "HasIdentifier")):
            value = getattr(table, field)()
            told[field] = value.decode() if isinstance(value, bytes) else value
    return {name: value for name, value in told.items() if name != "ImplementationAttrs"}


def tosa_bound(data, kind):
    """The bytes of a bound as a number."""
    letters = {"FP32": "f", "FP16": "e", "BF16": "f", "INT8": "b", "INT16": "h"}
    return struct.unpack("<" + letters[kind], bytes(2 * (kind == "BF16")) + bytes(data))[0]


def tosa(blob):
    import tosa.DType
    import tosa.Op
    import tosa.TosaGraph

    named = lambda enum: {v: k for k, v in vars(enum).items() if isinstance(v, int)}
    ops, types = named(tosa.Op.Op), named(tosa.DType.DType)
    root = tosa.TosaGraph.TosaGraph.GetRootAs(blob)
    graph = Graph([], {}, [], [], [])
    blocks = [region.Blocks(k) for region in map(root.Regions, range(root.RegionsLength()))
              for k in range(region.BlocksLength())]
    for number, block in enumerate(blocks):
        for one in map(block.Tensors, range(block.TensorsLength())):
            shape = [] if one.ShapeIsNone() else one.ShapeAsNumpy().tolist()
            graph.values[one.Name().decode()] = (types[one.Type()], shape)
            if one.DataLength():
                graph.constants.append((None, one.DataLength()))
        for one in map(block.Shapes, range(block.ShapesLength())):
            graph.values[one.Name().decode()] = ("SHAPE", [one.Rank()])
            if one.DataLength():
                graph.constants.append((None, one.DataLength()))
        for one in map(block.Operators, range(block.OperatorsLength())):
            reads = texts(one.InputsLength(), one.Inputs)
            writes = texts(one.OutputsLength(), one.Outputs)
            operands = [("read", f"input{i}", name) for i, name in enumerate(reads)]
            operands += [("write", f"output{i}", name) for i, name in enumerate(writes)]
            args = tosa_attributes(one)
            for bound in ("MinVal", "MaxVal"):
                if bound in args:
                    args[bound] = tosa_bound(args[bound], graph.values[writes[0]][0])
            graph.nodes.append((ops[one.Op()], args, operands))
        if number == 0:
            graph.inputs = texts(block.InputsLength(), block.Inputs)
            graph.outputs = texts(block.OutputsLength(), block.Outputs)
    return graph


# Native


def native_argument(value):
    """A literal (or nothing), and names that are read."""
    kind = type(value).__name__
    if kind == "TensorArg":
        return False, None, [value.name]
    if kind == "TensorListArg":
        return False, None, [name for name in value.names if name]
    if kind == "OptionalTensorListArg":
        return False, None, [n for n, there in zip(value.names, value.has_value) if there]
    if kind == "NoneArg":
        return True, None, []
    if kind == "GraphArg":
        return True, value.name, []
    if kind == "IntListArg":
        return True, list(value.values), [name for name in value.refs or () if name]
    if getattr(value, "ref", None):
        return False, None, [value.ref]
    literal = getattr(value, "values", None)
    return True, value.value if literal is None else list(literal), []


def native_nodes(graph):
    for node in graph.nodes:
        if node.op_kind != 0:
            continue
        args, operands, writes = {}, [], []
        for i, one in enumerate(node.inputs or ()):
            name = one.name or f"arg{i}"
            told, literal, reads = native_argument(one.arg.value)
            if told:
                args[name] = literal
            operands += [("read", name, read) for read in reads]
            if one.mutated:
                writes += [("write", name, read) for read in reads]
        operands += writes
        for out in node.outputs or ():
            operands += [("write", "out", name) for name in [out.name, *(out.names or ())] if name]
        target = node.target.removeprefix("torch.ops.")
        op = "::".join(target.split(".", 1)) if target != node.target else target
        yield op, args, operands
        for one in node.inputs or ():
            if type(one.arg.value).__name__ == "GraphArg":
                yield from native_nodes(one.arg.value.graph)


def native(blob):
    from executorch.backends.native.serialization import deserialize_program

    (method,) = deserialize_program(blob).methods
    values = {value.name: (SCALARS[int(value.meta.dtype)], [size.max for size in value.meta.sizes or ()])
              for value in method.graph.tensor_values or ()}
    kinds = {spec.name: int(spec.kind) for spec in method.output_specs or ()}
    return Graph(list(native_nodes(method.graph)), values,
                 [(one.data_key, None) for one in method.constants or ()],
                 list(method.graph.inputs or ()),
                 [name for name in method.graph.outputs or () if not kinds.get(name)])


# MLX

NUMBERS = 1 << 32  # slots of numbers are told behind those of tensors


def mlx_slot(value):
    """The slot that a Tid or Vid names, or what may be either; None: a literal."""
    kind = type(value).__name__
    if kind == "Tid":
        return value.idx
    if kind == "Vid":
        return NUMBERS + value.idx
    if kind == "IntOrVidOrTid":
        return (None, value.vid and NUMBERS + value.vid.idx, value.tid and value.tid.idx)[value.kind]
    if getattr(value, "is_vid", False):
        return NUMBERS + value.vid.idx
    return value.tid.idx if kind == "VidOrTid" else None


def mlx_node(node, chain):
    args, reads, writes = {}, [], []
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        write = field.name in ("out", "outs", "outputs", "sliced")
        if isinstance(value, list) and value and hasattr(value[0], "__dataclass_fields__"):
            slots = [mlx_slot(one) for one in value]
            if type(value[0]).__name__ not in ("Tid", "Vid"):
                args[field.name] = [None if slot is not None else one.literal
                                    for one, slot in zip(value, slots)]
            slots = [slot for slot in slots if slot is not None]
        elif hasattr(value, "__dataclass_fields__"):
            slots = [mlx_slot(value)]
            if type(value).__name__ not in ("Tid", "Vid"):
                args[field.name] = value.literal if slots[0] is None else None
            slots = [slot for slot in slots if slot is not None]
        else:
            if not any(word in str(field.type) for word in ("Tid", "Vid")):
                args[field.name] = value
            slots = []
        (writes if write else reads).extend(
            ("write" if write else "read", field.name, slot) for slot in slots)
    if chain:
        args["chain"] = chain
    return type(node).__name__, args, reads + writes


def mlx_in_order(graph):
    """Instructions with their chains as they run, each once."""
    entered = set()

    def of(number):
        if not 0 <= number < len(graph.instruction_chains) or number in entered:
            return
        entered.add(number)
        for one in graph.instruction_chains[number].instructions:
            yield number, one.op
            for field in ("then_chain_idx", "else_chain_idx", "body_chain_idx"):
                yield from of(getattr(one.op, field, -1))

    for number in (graph.init_chain_idx, graph.main_chain_idx, *range(len(graph.instruction_chains))):
        yield from of(number)


def mlx(blob):
    graph = written[hashlib.sha256(blob).hexdigest()]
    slot = lambda one: one.idx + (NUMBERS if int(one.slot_type) else 0)
    values = {i: (SCALARS[meta.scalar_type], [size.value if size.value >= 0 else size.max_value
                                              for size in meta.shape])
              for i, meta in enumerate(graph.tensor_meta)}
    constants = [(one.name, None) for one in graph.named_slots
                 if not int(one.slot.slot_type) and one.slot.idx < graph.num_constant_tensors]
    return Graph([mlx_node(op, number) for number, op in mlx_in_order(graph)],
                 values, constants, [slot(one) for one in graph.input_map],
                 [slot(one) for one in graph.output_map])


READERS = {"VulkanBackend": vulkan, "TOSABackend": tosa, "NativeBackend": native, "MLXBackend": mlx}
BY_NAME = {"TOSABackend", "NativeBackend"}


# What delegraph says


def stored(given, path, number, backend):
    of = f"graph_id = {number}"
    key = "v.name" if backend in BY_NAME else "value_idx"
    operands = collections.defaultdict(list)
    for node, access, name, value in asked(given, path, (
            f"SELECT o.node_id, access, o.name, {key} AS value FROM v_delegate_operand AS o LEFT JOIN"
            f" v_delegate_value AS v ON v.value_id = o.value_id WHERE o.{of} ORDER BY o.node_id, pos")):
        operands[node].append((access, name, value))
    nodes = []
    for node, op, args, least, most in asked(given, path, (
            f"SELECT node_id, op, args, output_min, output_max FROM v_delegate_node WHERE {of}"
            " ORDER BY node_id")):
        args = json.loads(args) | ({"min_val": least, "max_val": most} if op == "CLAMP" else {})
        nodes.append((op, args, operands[node]))
    key = "name" if backend in BY_NAME else "idx"
    values = {}
    for name, datatype, shape in asked(given, path, (
            f"SELECT {key}, datatype, shape FROM v_delegate_value WHERE {of} ORDER BY value_id")):
        values.setdefault(name, (datatype, shape and json.loads(shape)))
    passed = [[name for name, flags in asked(given, path, (
        f"SELECT {key}, flags FROM v_delegate_value WHERE {of} AND flags & {bit}"
        " ORDER BY external_id"))] for bit in (1, 2)]
    constants = asked(given, path, (
        f"SELECT key, nbytes FROM v_delegate_constant WHERE {of} ORDER BY idx"))
    return Graph(nodes, values, constants, *passed)


def number(value):
    """Reals as the file has them: of 4 bytes or of 8."""
    if isinstance(value, str) and value in ("Infinity", "-Infinity", "NaN"):
        value = float(value)
    if isinstance(value, float):
        return repr(value) if value != value else struct.unpack("<f", struct.pack(
            "<f", max(min(value, 3.4e38), -3.4e38)))[0]
    return [number(one) for one in value] if isinstance(value, (list, tuple)) else value


def plain(name):
    return name.replace("_", "").lower()


def same_arguments(has, should):
    fold = lambda args: {plain(name): number(value) for name, value in args.items()}
    has, should = fold(has), fold(should)
    return all(has.get(name) == value or (value in (None, []) and not has.get(name))
               for name, value in should.items()) and not set(has) - set(should)


def differences(has, should):
    if len(has.nodes) != len(should.nodes):
        yield f"{len(has.nodes)} nodes, written were {len(should.nodes)}"
    for i, (one, other) in enumerate(zip(has.nodes, should.nodes)):
        if one[0] != other[0] or one[2] != other[2] or not same_arguments(one[1], other[1]):
            yield f"node {i} {one}, written was {other}"
    for name, value in should.values.items():
        if has.values.get(name) != value:
            yield f"value {name} {has.values.get(name)}, written was {value}"
    for field in ("inputs", "outputs"):
        if getattr(has, field) != getattr(should, field):
            yield f"{field} {getattr(has, field)}, written were {getattr(should, field)}"
    if len(has.constants) != len(should.constants) or any(
            (key, size if wanted else None) != (wanted_key, wanted)
            for (key, size), (wanted_key, wanted) in zip(has.constants, should.constants)):
        yield f"constants {has.constants}, written were {should.constants}"


def check_file(given, path, data, met):
    program = deserialize_pte_binary(data).program
    insides = asked(given, path, (
        "SELECT method, idx, backend, inside_id FROM v_delegate ORDER BY delegate_id"))
    for method, idx, backend, inside in insides:
        plan = next(one for one in program.execution_plan if one.name == method)
        blob = bytes(program.backend_delegate_data[plan.delegates[idx].processed.index].data)
        if inside is None:
            yield f"delegate {idx} of {backend} was not read"
            continue
        should = READERS[backend](blob)
        met[backend, "blobs"] += 1
        met[backend, "nodes"] += len(should.nodes)
        met[backend, "kinds"] |= {node[0] for node in should.nodes}
        yield from differences(stored(given, path, inside, backend), should)
    done = subprocess.run([given.delegraph, "check", path, "--format", "json"],
                          capture_output=True, text=True)
    for one in json.loads(done.stdout)["findings"]:
        if one["rule"].startswith(("blob", "format")) or one["severity"] == "error":
            yield f"check: {one['severity']} {one['rule']}: {one['message']}"


def networks(names, seed):
    """By name, the only backend it is for, or None, and what makes a sample."""
    every = {name: lambda name=name: xnnpack_networks.NETWORKS[name][0](random.Random(f"{name} {seed}"))
             for name, (_, _, options) in xnnpack_networks.NETWORKS.items()
             if not options and not name.endswith(QUANTIZED)}
    chosen = random.Random(seed).sample(sorted(every), 16)
    every |= ARCHITECTURES
    both = {name: (None, make) for name, make in every.items()} | OWN
    return {name: both[name] for name in names or [*OWN, *chosen, *ARCHITECTURES]}


def whole_native(program):
    """All of it as one blob, in the place of another's: the partitioner leaves bodies out, and
    nothing plans memory for what it makes of late sizes."""
    import executorch.backends.native.preprocess  # registers it

    carrier = deserialize_pte_binary((TESTS / "data/native.pte").read_bytes())
    (delegate,) = carrier.program.backend_delegate_data
    delegate.data = to_backend("NativeBackend", to_edge(program).exported_program(), []).processed_bytes
    return bytes(serialize_pte_binary(carrier, extract_delegate_segments=True))


def lowered(sample, name, whole):
    program = torch.export.export(sample.module, sample.args, sample.kwargs or None,
                                  dynamic_shapes=sample.dynamic)
    if whole:
        return whole_native(program)
    manager = to_edge_transform_and_lower(program, partitioner=[backends.open_formats()[name]])
    return bytes(manager.to_executorch().buffer)


def make(folder, network, backend, whole):
    """program.pte, and the graphs that were taken while it was written; a text: what its own writer
    cannot do."""
    written.clear()
    torch._dynamo.reset()
    try:
        data = lowered(network(), backend, whole)
    except Exception as error:
        return type(error).__name__
    (folder / "program.pte").write_bytes(data)
    (folder / "graphs").write_bytes(pickle.dumps(written))
    return None


def check(given, folder, met):
    """Faults of a program that was made."""
    written.update(pickle.loads((folder / "graphs").read_bytes()))
    path = folder / "program.pte"
    return list(check_file(given, path, path.read_bytes(), met))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    torch.set_num_threads(1)
    formats = list(backends.open_formats())
    watch_writers()
    met, kept = collections.defaultdict(int), Kept(given.work, __file__)
    for backend in READERS:
        met[backend, "kinds"] = set()
    n_faults, n_unmade = 0, 0
    for name, (only, network) in networks(given.networks, given.seed).items():
        for backend in [only] if only else formats:
            folder, why = kept.folder(f"{name} {backend} {given.seed}",
                                      lambda folder: make(folder, network, backend, only == "native"))
            if why:
                n_unmade += 1
                print(f"{name}, {backend}: not made: {why}", flush=True)
                continue
            before = sum(met[one, "blobs"] for one in READERS)
            faults = check(given, folder, met)
            met[backend] += sum(met[one, "blobs"] for one in READERS) > before
            n_faults += len(faults)
            for fault in faults[:5]:
                print(f"{name}, {backend}: {fault}", flush=True)
    for backend in READERS:
        print(f"{backend}: {met[backend, 'blobs']} blobs, {met[backend, 'nodes']} nodes of"
              f" {len(met[backend, 'kinds'])} kinds")
    few = [] if given.networks else [name for name in formats if met[name] < LEAST]
    print(f"open blobs: {', '.join(f'{met[name]} programs of {name}' for name in formats)};"
          f" {n_unmade} not made; {n_faults} faults"
          + (f"; too few of {', '.join(few)}" if few else ""))
    return 1 if n_faults or few else 0


if __name__ == "__main__":
    sys.exit(main())
