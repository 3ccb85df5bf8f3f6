#!/usr/bin/env python3
"""Hold what delegraph says of XNNPACK payloads to what the writer of ExecuTorch put into them.

    check_blobs.py --delegraph PROGRAM [--work FOLDER] [--seed N] [NETWORK...]

Each network is lowered, and run by the runtime twice, with the numbers of eager: then no rule may
find an error. Payloads of the file must be those that the writer made, byte for byte, named data have
its keys and sizes, and the rows of each payload must say what its graph says, field by field. The
networks together must have every kind of node that the partitioner lets the writer emit, in every
datatype of tensors. FOLDER keeps programs, what was written into them and what the runtime said, for a
next time.
"""

import argparse
import collections
import dataclasses
import json
import logging
import pickle
import random
import struct
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable()

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import numpy
import torch
from executorch.exir._serialize._program import deserialize_pte_binary

import sound_lowering
import sound_runs
import xnnpack_networks
from kept import Kept

KINDS = set("""
    Abs Add AvgPooling2d BatchMatrixMultiply Ceiling Clamp Concatenate2 Concatenate3 Concatenate4
    Concatenate5 Conv2d ConvTranspose2d Convert Cos DepthwiseConv2d Div Exp Floor FullyConnected
    Gelu GlobalAvgPooling2d Hardswish LeakyReLU Log MaxPooling2d Maximum Minimum Multiply Negate PReLU
    ReciprocalSquareRoot Sigmoid Sin Softmax Square SquareRoot StaticConstantPad
    StaticResizeBilinear2D StaticReshape StaticSlice StaticTranspose Subtract Tanh
""".split())
DATATYPES = {1, 2, 3, 5, 6, 7, 9, 10}  # f32, f16; qint8, qint32; qcint8, qcint32; qdint8; qbint4
met = collections.Counter()


def count(graphs):
    """Kinds of nodes and types of tensors; keys of data, with sizes."""
    keys = {}
    for graph in graphs.values():
        for node in graph.xnodes:
            met[type(node.xnode_union).__name__.removeprefix("XNN")] += 1
        for value in graph.xvalues:
            tensor = getattr(value.xvalue_union, "tensor_value", value.xvalue_union)
            met[int(tensor.datatype)] += 1
        keys |= {data.named_key: data.size for data in graph.constant_data if data.named_key}
    return keys


def asked(given, path, sql):
    done = subprocess.run([given.delegraph, "query", path, sql, "--format", "json"],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]


NO_ID = 2**32 - 1


def single(value):
    """A number as the file has it."""
    return struct.unpack("<f", struct.pack("<f", float(value)))[0]


def written(thing):
    """Fields of a dataclass of the writer as {name: what the file has}."""
    told = {}
    for field in dataclasses.fields(thing):
        value = getattr(thing, field.name)
        real = "float" in str(field.type) and value is not None
        if isinstance(value, (list, tuple)):
            told[field.name] = [single(one) if real else one for one in value]
        else:
            told[field.name] = single(value) if real else value
    return told


def written_quantization(value):
    params = getattr(value, "quant_params", None)
    if params is None:
        return None
    kinds = {"PerTensorQuant": "per_tensor", "PerChannelQuant": "per_channel",
             "PerTokenDynamicQuant": "per_token", "PerChannelGroupQuant": "per_channel_group"}
    told = {"type": kinds[type(params).__name__], **written(params)}
    told.pop("scale_bf16", None)  # no longer in the schema
    return told


def stored_quantization(text):
    if text is None:
        return None
    told = json.loads(text)
    if "scale" in told:
        told["scale"] = single(told["scale"])
    if "per_channel" in told["type"]:
        told["scale"] = [single(one) for one in told.pop("scales")]
        told["scale_buffer_idx"] = told.pop("scale_constant", 0)
        told.setdefault("num_scales", 0)
        for measured in ("least_scale", "most_scale", "wrong_scales"):
            told.pop(measured, None)
    return told


def check_scales(graph, rows, data):
    """How large scales are that lie in constants, against the bytes that were written."""
    for row, value in zip(rows, graph.xvalues):
        told, params = json.loads(row[1] or "{}"), getattr(value.xvalue_union, "quant_params", None)
        number = getattr(params, "scale_buffer_idx", 0)
        if not number or "wrong_scales" not in told:
            if number:
                yield f"value {row[0]}: nothing is said of its scales"
            continue
        blob = data[graph.constant_data[number].named_key]
        if told["type"] == "per_channel":
            scales = numpy.frombuffer(blob, "<f4")
        else:
            scales = (numpy.frombuffer(blob, "<u2").astype("<u4") << 16).view("<f4")
        scales = scales[: params.num_scales]
        has = single(told["least_scale"]), single(told["most_scale"]), told["wrong_scales"]
        if has != (float(scales.min()), float(scales.max()), 0):
            yield f"value {row[0]}: scales {has}, written were {scales.min()} to {scales.max()}"


def check_values(graph, rows):
    if len(rows) != len(graph.xvalues):
        yield f"{len(rows)} values, written were {len(graph.xvalues)}"
    for row, value in zip(rows, graph.xvalues):
        tensor = getattr(value.xvalue_union, "tensor_value", value.xvalue_union)
        idx, datatype, shape, constant, external, flags, quantization = row
        has = (idx, datatype, json.loads(shape), constant or 0,
               NO_ID if external is None else external, flags, stored_quantization(quantization))
        should = (tensor.id_out, tensor.datatype.name.removeprefix("xnn_datatype_"),
                  list(tensor.dims), tensor.constant_buffer_idx, tensor.external_id,
                  tensor.flags, written_quantization(value.xvalue_union))
        if has != should:
            yield f"value {has}, written was {should}"


def check_nodes(graph, rows, operands):
    if len(rows) != len(graph.xnodes):
        yield f"{len(rows)} nodes, written were {len(graph.xnodes)}"
    for row, node in zip(rows, graph.xnodes):
        number, op, args, flags, low, high, handle = row
        has = json.loads(args) | {"flags": flags}
        has |= {f"{name}_id": idx for at, name, idx in operands if at == number}
        should = written(node.xnode_union)
        for name, value in should.items():  # an operand that is none has no row
            if value == NO_ID:
                has.setdefault(name, NO_ID)
            elif isinstance(value, float):
                has[name] = single(has[name])
        limits = node.output_min_max
        has = (op, has, handle, *(None if at is None else single(at) for at in (low, high)))
        should = (type(node.xnode_union).__name__.removeprefix("XNN"), should, node.debug_handle,
                  *((single(limits.output_min), single(limits.output_max)) if limits
                    else (None, None)))
        if has != should:
            yield f"node {has}, written was {should}"


def check_rows(given, store, number, graph):
    """What the tables have of graph `number` against what was written."""
    of = f"WHERE graph_id = {number}"
    meta = json.loads(asked(given, store, f"SELECT meta FROM v_delegate_graph {of}")[0][0])
    for name in ("version", "num_externs", "input_ids", "output_ids"):
        if meta[name] != getattr(graph, name):
            yield f"{name} {meta[name]}, written was {getattr(graph, name)}"
    yield from check_values(graph, asked(given, store, (
        "SELECT idx, datatype, shape, constant_idx, external_id, flags, quantization"
        f" FROM v_delegate_value {of} ORDER BY value_id")))
    yield from check_nodes(graph, asked(given, store, (
        "SELECT node_id, op, args, flags, output_min, output_max, debug_handle"
        f" FROM v_delegate_node {of} ORDER BY node_id")), asked(given, store, (
        f"SELECT node_id, name, value_idx FROM v_delegate_operand {of}")))
    constants = asked(given, store, (
        f"SELECT idx, key, nbytes FROM v_delegate_constant {of} ORDER BY idx"))
    should = [(i, data.named_key or None, data.size)
              for i, data in enumerate(graph.constant_data)][1:]
    if constants != should:
        yield f"constants {constants}, written were {should}"


def check_file(given, path, store, graphs, keys):
    subprocess.run([given.delegraph, "load", path, "-o", store], check=True)
    blobs = {row[0] for row in asked(given, store, "SELECT blob_sha256 FROM delegate")}
    if blobs != set(graphs):
        yield f"payloads {sorted(blobs)}, written were {sorted(graphs)}"
    insides = asked(given, store, (
        "SELECT DISTINCT inside_id, blob_sha256 FROM delegate ORDER BY inside_id"))
    stored = deserialize_pte_binary(path.read_bytes()).named_data
    entries = stored.pte_data if stored else {}
    data = {key: stored.buffers[entry.buffer_index] for key, entry in entries.items()}
    for number, digest in insides:
        yield from check_rows(given, store, number, graphs[digest])
        yield from check_scales(graphs[digest], asked(given, store, (
            "SELECT idx, quantization FROM v_delegate_value"
            f" WHERE graph_id = {number} ORDER BY value_id")), data)
    data = dict(asked(given, store, "SELECT key, size_bytes FROM named_data"))
    for key, size in keys.items():
        if data.get(key) != size:
            yield f"data {key}: {data.get(key)} bytes, written were {size}"


def found(given, path):
    """Rules that `check` names, by severity."""
    done = subprocess.run([given.delegraph, "check", path, "--format", "json"],
                          capture_output=True, text=True)
    return {(one["severity"], one["rule"]) for one in json.loads(done.stdout)["findings"]}


def told(given, path, state):
    """What `check` says that is not so, or does not say that is."""
    rules = found(given, path)
    errors = {rule for severity, rule in rules if severity == "error"}
    if errors and state == sound_runs.RIGHT:
        yield f"check: {sorted(errors)}, and the numbers are those of eager"
    if rules - {("error", rule) for rule in errors}:
        yield f"check: {sorted(rules)}"
    if not errors and state != sound_runs.RIGHT:
        yield "check is silent"


def make(name, given, folder):
    """program.pte, and the graphs that its payloads were written from; what the runtime makes of it."""
    tolerance = xnnpack_networks.NETWORKS[name][1]
    sample, edge, graphs = xnnpack_networks.lower(name, random.Random(f"{name} {given.seed}"))
    (folder / "graphs").write_bytes(pickle.dumps(graphs))
    if not graphs:
        return None
    made = sound_lowering.made_program(
        edge.to_executorch(), sound_lowering.calls_of(sample), tolerance)
    (folder / "program.pte").write_bytes(made.files["program.pte"])
    state, why = sound_runs.in_child(made.verify)
    return [state, f"{made.why} {why}"]


def check(name, given, scratch):
    folder, said = given.kept.folder(f"{name} {given.seed}", lambda folder: make(name, given, folder))
    graphs, path = pickle.loads((folder / "graphs").read_bytes()), folder / "program.pte"
    if not graphs:
        return ["no payload"]
    state, why = said
    met["payloads"] += len(graphs)
    met[state] += 1
    wrong = [f"{one}; the runtime: {state}: {why}" for one in told(given, path, state)]
    return [*wrong, *check_file(given, path, scratch / "program.db", graphs, count(graphs))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.kept = Kept(given.work, __file__)
    names = given.networks or list(xnnpack_networks.NETWORKS)
    n_faults = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            faults = check(name, given, Path(folder))
        n_faults += len(faults)
        for fault in faults:
            print(f"{name}: {fault}", flush=True)
    lost = [] if given.networks else sorted(map(str, (KINDS | DATATYPES) - set(met)))
    for one in lost:
        print(f"no network has {one}")
    kinds = sum(isinstance(one, str) and one in KINDS for one in met)
    print(f"blobs: {len(names)} networks, {met['payloads']} payloads, {kinds} kinds of nodes, "
          f"{met[sound_runs.RIGHT]} with the numbers of eager; {n_faults + len(lost)} faults")
    return 1 if n_faults or lost else 0


if __name__ == "__main__":
    sys.exit(main())
