#!/usr/bin/env python3
"""Holds `run` of random XNNPACK graphs on codes to the numbers of the runtime.

    check_xnnpack_graphs.py --delegraph PROGRAM [--seed N] [--graphs N]

XNNPACK rewrites a graph before it runs it: clamps go into the nodes before them, chains of functions
become one table. What a graph gives hangs on that, and no network of a library has all of it. So
nodes are drawn, one behind the other, with grids of their own, constants, copies, values that several
read or nobody. Numbers are to be equal but for the last bits of floats, and a rule is to name those
graphs, and no others, that the runtime does not survive: glibc looks for what is written behind memory
(MALLOC_CHECK_), which would else go well or not by chance.
"""

import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "data"))

import numpy
import torch
from executorch.extension.pybindings import portable_lib

import runtime
import xnnpack_graphs

FUNCTIONS = ["Tanh", "Sigmoid", "Hardswish", "Negate", "Abs", "Square", "LeakyReLU", "Convert", "ELU"]
BINARY = ["Add", "Subtract", "Multiply", "Minimum", "Maximum"]
MORE = {"LeakyReLU": {"negative_slope": 0.3}, "ELU": {"alpha": 1.0}}
CLOSE = 2e-6
MALLOC_CHECK = {"LD_PRELOAD": "libc_malloc_debug.so.0", "MALLOC_CHECK_": "3"}
VERIFICATION = portable_lib.Verification.InternalConsistency


def grid_of(rng):
    return rng.choice([0.0078125, 0.011, 0.013, 0.02, 0.03, 0.04]), rng.randint(-40, 40)


def bounds_of(rng):
    least = rng.uniform(-1.5, 0.4)
    return least, least + rng.uniform(0.1, 2)


def add_node(graph, values, rng):
    """The number of what a node of random kind gives."""
    read = values[-1] if rng.random() < 0.75 else rng.choice(values)
    kind = rng.choices(["clamp", "function", "pool", "convolution", "binary", "number", "floats", "copy", "sign"],
                       [4, 3, 1, 2, 2, 3, 1, 1, 1])[0]
    if kind == "clamp":
        return graph.add("Clamp", [read], rng.choice([grid_of(rng), graph.grids[read]]), bounds_of(rng))
    if kind == "function":
        name = rng.choice(FUNCTIONS)
        return graph.add(name, [read], grid_of(rng), **MORE.get(name, {}))
    if kind == "pool":
        return graph.pool(read)
    if kind == "copy":
        return graph.add("Copy", [read], graph.grids[read])
    if kind == "convolution":
        codes = [[[[rng.randint(-60, 60) for _ in range(6)]]] for _ in range(6)]
        return graph.convolution(read, codes, grid_of(rng), rng.choice([None, bounds_of(rng)]))
    if kind == "floats":
        wide = graph.add("Convert", [read], None)
        return graph.add("Convert", [graph.add("Abs", [wide], None)], grid_of(rng))  # exact: no ties
    if kind == "sign":
        bare = graph.add("Convert", [read], (grid_of(rng)[0], rng.randint(90, 160)), datatype="quint8")
        return graph.add("Convert", [bare], grid_of(rng))
    if kind == "number":
        shape = rng.choice([(1,), (1,), (1, 1, 1, 1)])
        number = graph.codes([rng.randint(-90, 90)], grid_of(rng), shape)
        pair = rng.choice([[read, number], [number, read]])
        return graph.add(rng.choice(BINARY[2:]), pair, grid_of(rng))
    return graph.add(rng.choice(BINARY), [read, rng.choice([read, *values])], grid_of(rng))


def graph_of(rng):
    graph = xnnpack_graphs.Graph()
    values = [graph.add("Convert", [graph.input], grid_of(rng))]
    for _ in range(rng.randint(1, 12)):
        values.append(add_node(graph, values, rng))
    return graph.finish(values[-1] if rng.random() < 0.8 else rng.choice(values[1:]))


def run(delegraph, path, inputs, folder):
    found = os.path.join(folder, "found.npz")
    if os.path.exists(found):
        os.remove(found)
    said = subprocess.run([delegraph, "run", "-q", path, "--inputs", inputs, "--save", found],
                          capture_output=True, text=True, check=False)
    with numpy.load(found) as arrays:
        return arrays[arrays.files[0]] if arrays.files else said.stdout + said.stderr


def is_named(delegraph, path):
    said = subprocess.run([delegraph, "check", "-q", "--select", "blob/long-chain,blob/copy-read-twice", path],
                          capture_output=True, text=True, check=False)
    return said.returncode != 0


def names_of(graph):
    return " ".join(type(node.xnode_union).__name__[3:] for node in graph.nodes)


def compare(delegraph, number, seed, folder, tally):
    rng = random.Random(f"{seed}/{number}")
    path, inputs = (os.path.join(folder, name) for name in ("graph.pte", "in.pt"))
    graph = graph_of(rng)
    buffer = xnnpack_graphs.program_of(graph)
    with open(path, "wb") as out:
        out.write(buffer)
    x = torch.randn(xnnpack_graphs.SHAPE, generator=torch.Generator().manual_seed(number))
    torch.save((x,), inputs)
    kind, wanted, _ = runtime.fork([(buffer, None, [("forward", [x])], VERIFICATION)])[0]
    named = is_named(delegraph, path)
    if kind != "ok":
        tally[kind] += 1
        return None if named else f"graph {number}: the runtime {kind}, and no rule says why: {names_of(graph)}"
    if named:
        return f"graph {number}: a rule names it, and the runtime survives it: {names_of(graph)}"
    found = run(delegraph, path, inputs, folder)
    if isinstance(found, str):
        tally["not compared"] += 1
        return None
    tally["compared"] += 1
    tally["nodes"] += len(graph.nodes)
    worst = float(numpy.abs(found.astype("f8").ravel() - wanted[0][0][1]).max())
    if worst <= CLOSE:
        return None
    return f"graph {number}: off by {worst:.3g}: {names_of(graph)}"


def check_memory():
    """Starts this program anew where its allocator does not look at what it frees."""
    if not MALLOC_CHECK.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **MALLOC_CHECK})


def main():
    check_memory()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--seed", type=int, default=20261128)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tally, faults = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.first, given.first + given.graphs):
            fault = compare(os.path.abspath(given.delegraph), number, given.seed, folder, tally)
            if fault:
                faults.append(fault)
                print(fault, flush=True)
    print(f"XNNPACK graphs: {tally['compared']} compared, {tally['nodes']} nodes, {tally['rejects']} that the runtime"
          f" refuses, {tally['crashes'] + tally['hangs']} that it does not survive,"
          f" {tally['not compared']} that are not run here; {len(faults)} faults")
    return 1 if faults or tally["compared"] < given.graphs * 0.8 else 0


if __name__ == "__main__":
    sys.exit(main())
