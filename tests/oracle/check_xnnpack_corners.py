#!/usr/bin/env python3
"""Holds `run` of single XNNPACK nodes on NaN, infinities and subnormals to the numbers of the runtime.

    check_xnnpack_corners.py --delegraph PROGRAM [--seed N] [--rounds N]

doc/delegates.md tells what was measured, on x86-64 with AVX-512: elsewhere the runtime has other kernels. Numbers are
drawn by their bits, so that all exponents come, within what `run` follows (LIMITS). Where a processor computes in f16
itself, so does the runtime in three functions, and is right in less of their range (IN_F16).
"""

import argparse
import collections
import itertools
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "data"))

import numpy
import torch
from executorch.backends.xnnpack.serialization import xnnpack_graph_schema as schema
from executorch.extension.pybindings import portable_lib

import runtime
import xnnpack_graphs

UNARY = ["Abs", "Ceiling", "Clamp", "Cos", "ELU", "Exp", "Floor", "Gelu", "Hardswish", "LeakyReLU", "Log", "Negate",
         "ReciprocalSquareRoot", "Sigmoid", "Sin", "Square", "SquareRoot", "Tanh"]
BINARY = ["Add", "Subtract", "Multiply", "Div", "Minimum", "Maximum"]
MORE = {"LeakyReLU": {"negative_slope": 0.3}, "ELU": {"alpha": 1.0}}
BOUNDED = {"Clamp", "Add", "Subtract", "Multiply", "Div"}
BOUNDS = [None, (0.0, 6.0), (-0.5, math.inf), (-math.inf, 0.5)]
LIMITS = {"Sin": 1e4, "Cos": 1e4, "Sigmoid": 1e26, "SquareRoot": 2.0**125, "ReciprocalSquareRoot": 2.0**125}
IN_F16 = {"Sin": (0.0, 1e3), "Cos": (0.0, 800.0), "Log": (2.0**-14, 4e4)}
SPECIAL = [math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40, 2.0**-126, 6e-8, -6e-8, 65504.0, 100.0, -100.0]
NORMAL = {"Multiply"}  # `run` does not look at subnormal arguments of it
BY_SIGN_OF_NAN = {("Log", True)}
# Relative, and absolute: gelu and hardswish cancel near their zeros.
CLOSE = {False: (2e-5, 1e-6), True: (2.0**-7, 2.0**-9)}
VERIFICATION = portable_lib.Verification.InternalConsistency


def in_halves(graph, number):
    graph.values[number].xvalue_union.datatype = schema.XNNDatatype.xnn_datatype_fp16
    return number


def graph_of(kind, bounds, halves):
    """Of a binary node the arguments are the input and its negative, each with NaN where the other has none."""
    graph = xnnpack_graphs.Graph()
    read = graph.input
    if halves:
        read = in_halves(graph, graph.add("Convert", [read], None))
    arguments = [read]
    if kind in BINARY:
        other = graph.add("StaticTranspose", [read], None, num_dims=4, perm=[0, 2, 1, 3])
        arguments.append(in_halves(graph, other) if halves else other)
    result = graph.add(kind, arguments, None, bounds, **MORE.get(kind, {}))
    if halves:
        result = graph.add("Convert", [in_halves(graph, result)], None)
    return graph.finish(result)


def computes_in_f16():
    return "avx512_fp16" in Path("/proc/cpuinfo").read_text().split()


def drawn(rng, kind, halves):
    """As many as the shape has: of special ones and, by their bits, of a range of magnitudes."""
    least = 2.0**-126 if kind in NORMAL else 0.0
    limit = min(LIMITS.get(kind, math.inf), 65504.0 if halves else math.inf)
    largest = math.inf
    if halves and kind in IN_F16 and computes_in_f16():
        least, limit = IN_F16[kind]
        largest = limit
    numbers = [one for one in SPECIAL if one == 0 or least <= abs(one) <= largest]
    if (kind, halves) not in BY_SIGN_OF_NAN:
        numbers += [math.nan, math.nan]
    count = math.prod(xnnpack_graphs.SHAPE)
    while len(numbers) < count:
        one = struct.unpack("<f", rng.randbytes(4))[0] if rng.random() < 0.7 else rng.uniform(-10, 10)
        if least <= abs(one) < limit:
            numbers.append(one)
    rng.shuffle(numbers)
    return torch.tensor(numbers, dtype=torch.float32).reshape(xnnpack_graphs.SHAPE)


def run(delegraph, folder):
    found = os.path.join(folder, "found.npz")
    said = subprocess.run([delegraph, "run", "-q", os.path.join(folder, "graph.pte"), "--inputs",
                           os.path.join(folder, "in.pt"), "--save", found],
                          capture_output=True, text=True, check=False)
    if not os.path.exists(found):
        return said.stdout + said.stderr
    with numpy.load(found) as arrays:
        return arrays[arrays.files[0]] if arrays.files else said.stdout + said.stderr


def is_near(got, wanted, halves):
    relative, absolute = CLOSE[halves]
    if not math.isfinite(wanted) or not math.isfinite(got):
        return got == wanted or (math.isnan(got) and math.isnan(wanted))
    return abs(got - wanted) <= max(absolute, relative * abs(wanted))


def compare(delegraph, kind, bounds, halves, rng):
    """The first element that is off, in words; None: there is none."""
    buffer = xnnpack_graphs.program_of(graph_of(kind, bounds, halves))
    numbers = drawn(rng, kind, halves)
    outcome, wanted, _ = runtime.fork([(buffer, None, [("forward", [numbers])], VERIFICATION)])[0]
    if outcome != "ok":
        return f"the runtime {outcome}"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "graph.pte").write_bytes(buffer)
        torch.save((numbers,), os.path.join(folder, "in.pt"))
        found = run(delegraph, folder)
    if isinstance(found, str):
        return found
    for i, (got, one) in enumerate(zip(found.ravel().tolist(), wanted[0][0][1])):
        if not is_near(got, one, halves):
            return f"element {i}, of {numbers.ravel()[i]:.9g}, is {got:.9g}; the runtime has {one:.9g}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tally, rng = collections.Counter(), random.Random(given.seed)
    for kind, halves, _ in itertools.product(UNARY + BINARY, (False, True), range(given.rounds)):
        for bounds in BOUNDS if kind in BOUNDED else [None]:
            if kind == "Clamp" and not bounds:
                continue
            fault = compare(os.path.abspath(given.delegraph), kind, bounds, halves, rng)
            tally["faults" if fault else "equal"] += 1
            if fault:
                print(f"{kind} of {'f16' if halves else 'f32'}, bounds {bounds}: {fault}", flush=True)
    print(f"XNNPACK corners: {tally['equal']} nodes as the runtime has them, {tally['faults']} faults")
    return 1 if tally["faults"] or not tally["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
