#!/usr/bin/env python3
"""Hold what delegraph says of XNNPACK payloads to what the writer of ExecuTorch put into them.

    check_blobs.py --delegraph PROGRAM [--seed N] [NETWORK...]

Each network is lowered, and run by the runtime twice, with the numbers of eager: then no rule may
find an error. Payloads of the file must be those that the writer made, byte for byte, and named data
have its keys and sizes. The networks together must have every kind of node that the partitioner lets the writer emit,
in every datatype of tensors.
"""

import argparse
import collections
import json
import logging
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable()

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import sound_lowering
import sound_runs
import xnnpack_networks

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


def check_file(given, path, graphs, keys):
    store = path.with_suffix(".db")
    subprocess.run([given.delegraph, "load", path, "-o", store], check=True)
    blobs = {row[0] for row in asked(given, store, "SELECT blob_sha256 FROM delegate")}
    if blobs != set(graphs):
        yield f"payloads {sorted(blobs)}, written were {sorted(graphs)}"
    data = dict(asked(given, store, "SELECT key, size_bytes FROM named_data"))
    for key, size in keys.items():
        if data.get(key) != size:
            yield f"data {key}: {data.get(key)} bytes, written were {size}"
    done = subprocess.run([given.delegraph, "check", path, "--fail-on", "error"],
                          capture_output=True, text=True)
    if done.returncode:
        yield f"check: exit {done.returncode}: {done.stdout}{done.stderr}"


def check(name, given, folder):
    tolerance = xnnpack_networks.NETWORKS[name][1]
    sample, edge, graphs = xnnpack_networks.lower(name, random.Random(f"{name} {given.seed}"))
    if not graphs:
        return ["no payload"]
    made = sound_lowering.made_program(
        edge.to_executorch(), sound_lowering.calls_of(sample), tolerance)
    path = folder / "program.pte"
    path.write_bytes(made.files["program.pte"])
    state, why = sound_runs.in_child(made.verify)
    met["payloads"] += len(graphs)
    met[state] += 1
    wrong = [] if state == sound_runs.RIGHT else [f"the runtime: {state}: {made.why} {why}"]
    return [*wrong, *check_file(given, path, graphs, count(graphs))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
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
