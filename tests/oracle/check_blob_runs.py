#!/usr/bin/env python3
"""Holds `run` of programs with XNNPACK delegates to the numbers of the runtime.

    check_blob_runs.py --delegraph PROGRAM [--seed N] [--work FOLDER] [--table FILE] [NETWORK...]

Each network of xnnpack_networks.py, and each of torchvision, timm and transformers in networks.py,
is lowered and run in successive calls, with the inputs that it was made from and with others.
Networks are held to the program that they were made from, node by node; then one element of a
weight in the file is changed, and --bisect has to name the node inside of the delegate that reads
it, or, where that stands for no node of the program, to list it. Of quantized networks only a
change counts that leads to more than ten times what lies between eager and the runtime. FOLDER keeps what was made, for a next time; FILE gets how many
nodes of each kind and type ran so.
"""

import argparse
import collections
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
import zlib
from pathlib import Path

import torch

import check_run
import fault_networks
import networks
import shares
import sound_lowering
import xnnpack_networks

CALLS = 3
TRIES = 5  # of elements of one weight
WEIGHTS_MOST = 12  # of one program
MODEL = "model "
NOT_KNOWN = {"linear, odd width, i4 of pt2e dynamic"}  # what the runtime makes of it: blob/odd-row
POOLED = "convolution, pool, relu6, convolution, i8"  # blob/merged-clamp
NOT_HELD = {*NOT_KNOWN, "linear, odd width, i4 of pt2e", POOLED, f"{POOLED} by channel"}


def other(value, generator):
    """Another input of the same kind; positive numbers stay so."""
    made = check_run.like(value, generator)
    positive = isinstance(made, torch.Tensor) and made.is_floating_point() and bool((value > 0).all())
    return made.abs() + 0.1 if positive else made


def others(values, generator):
    return [other(value, generator) for value in values]


def lowered(name, rng):
    """(the sample, the edge program): of "model ..." one of networks.py."""
    if name not in xnnpack_networks.NETWORKS:
        sample = networks.NETWORKS[name.removeprefix(MODEL)](rng)
        fault_networks.spread_statistics(sample.module)
        return xnnpack_networks.lower_sample(sample, {})[:2]
    return xnnpack_networks.lower(name, rng)[:2]


def make(name, given, folder):
    """None, or why the network cannot be asked."""
    seed = f"{name} {given.seed}"
    torch.manual_seed(zlib.crc32(seed.encode()))
    path = folder / "program.pte"
    try:
        sample, edge = lowered(name, random.Random(seed))
        torch.export.save(sound_lowering.exported(sample), folder / "program.pt2")
        path.write_bytes(edge.to_executorch().buffer)
    except Exception as error:
        return f"not lowered: {error}".splitlines()[0]
    generator = torch.Generator().manual_seed(given.seed)
    calls = [check_run.flat((sample.args, sample.kwargs or {}))]
    calls += [others(calls[0], generator) for _ in range(CALLS - 1)]
    found = check_run.of_runtime(str(path), calls)
    if isinstance(found, Exception):
        return f"the runtime: {found}"
    for number, (inputs, outputs) in enumerate(zip(calls, found)):
        call = folder / str(number)
        call.mkdir()
        check_run.save(call / "x.npz", "in", inputs)
        check_run.save(call / "y.npz", "out", outputs)
    return None


WEIGHTS = """
SELECT n.name, v.nbytes, v.dtype, coalesce(c.file_offset, (
           SELECT segment.file_offset FROM named_data JOIN segment ON segment.idx = segment_idx
            WHERE named_data.key = c.key)) AS place
  FROM v_delegate_node AS n JOIN v_delegate_operand AS o ON o.node_id = n.node_id
  JOIN delegate_value AS v ON v.id = o.value_id
  JOIN delegate_constant AS c ON c.graph_id = v.graph_id AND c.idx = v.constant_idx
 WHERE v.dtype IN ('f32', 'i8') ORDER BY n.node_id, o.pos
"""


def asked(given, *arguments):
    done = subprocess.run([given.delegraph, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def is_of_floats(name):
    return name not in xnnpack_networks.NETWORKS or xnnpack_networks.NETWORKS[name][1] < 2e-2


def is_held(name):
    """Rows of an odd width are other weights in the runtime."""
    return is_of_floats(name) or name not in NOT_HELD


def is_near(got, wanted, eager):
    """eager None: of floats."""
    if not isinstance(wanted, torch.Tensor):
        return True
    if eager is None:
        return torch.allclose(got, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)
    between = max((wanted.double() - eager.double()).norm(), 10 ** (-50 / 20) * wanted.double().norm())
    return (got.double() - wanted.double()).norm() <= 10 * between


def has_effect(name, wrong, folder):
    """Whether the runtime gives numbers for a changed file that are more than rounded otherwise."""
    inputs = check_run.load(folder / "0" / "x.npz")
    found = check_run.of_runtime(str(wrong), [inputs])
    wanted = check_run.load(folder / "0" / "y.npz")
    eager = [None] * len(wanted)
    if not is_of_floats(name):
        eager = check_run.flat(torch.export.load(folder / "program.pt2").module()(*inputs))
    return isinstance(found, Exception) or not all(map(is_near, found[0], wanted, eager))


OTHERS = """
SELECT count(*) AS n FROM node JOIN op ON op.id = op_id
 WHERE op.name = 'aten::gelu.default' AND node.args LIKE '%tanh%'
"""


def is_other(given, folder):
    """XNNPACK has no GELU by tanh: its writer takes the one by erf for it, without a word."""
    _, out, _ = asked(given, "query", folder / "program.pt2", OTHERS, "--format", "json")
    return json.loads(out)["rows"][0]["n"] > 0


def held_to_program(given, folder):
    """What is wrong when each node is held to the program that the file was made from."""
    code, out, err = asked(given, "run", folder / "program.pt2", "--against",
                           folder / "program.pte", "--each", "--format", "json")
    if code:
        yield f"--against: exit {code}: {err}{out[:300]}"
        return
    met["nodes held to the program"] += sum(
        one["verdict"] == "pass" for one in json.loads(out).get("nodes", []))


def changed(data, at, dtype):
    """The bytes with another element there."""
    if dtype == "i8":
        return data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:]
    value, = struct.unpack_from("<f", data, at)
    return data[:at] + struct.pack("<f", value * 1.5 + 0.25) + data[at + 4:]


def changed_weights(name, given, folder, rng):
    """Each weight once: one element of it is another; what --bisect says then."""
    _, out, _ = asked(given, "query", folder / "program.pte", WEIGHTS, "--format", "json")
    readers = {}
    for row in json.loads(out)["rows"]:
        readers.setdefault(row["place"], (row["nbytes"], row["dtype"], []))[2].append(row["name"])
    data = (folder / "program.pte").read_bytes()
    chosen = rng.sample(sorted(readers.items()), min(WEIGHTS_MOST, len(readers)))
    for place, (nbytes, dtype, names) in chosen:
        size = 1 if dtype == "i8" else 4
        for _ in range(TRIES):
            wrong = folder / "wrong.pte"
            wrong.write_bytes(changed(data, place + size * rng.randrange(nbytes // size), dtype))
            code, out, err = asked(given, "run", folder / "program.pt2", "--against", wrong,
                                   "--bisect", "--format", "json")
            if code:  # else no output is another, as where relu cuts it off
                break
        if not code and not has_effect(name, wrong, folder):
            met["weights without effect"] += 1
            continue
        met["weights"] += 1
        told = json.loads(out)["bisect"] if code == 1 else {}
        found = told.get("other")
        if found and found.split("/")[-1] in names:
            met["weights found"] += 1
        elif told.get("suspects") and not told.get("fails_alone"):
            met["weights in nodes that were taken apart"] += 1  # which are named themselves
        else:
            yield f"a weight of {names} is changed: exit {code}, {found} {err}"


met = collections.Counter()


KINDS = """
SELECT n.op, group_concat(DISTINCT v.datatype) AS types
  FROM delegate_node AS n JOIN delegate_operand AS o ON o.node_id = n.id
  JOIN delegate_value AS v ON v.id = o.value_id WHERE o.name <> 'bias' GROUP BY n.id
"""
kinds = collections.Counter()


def count_kinds(given, folder):
    """Kinds of nodes, and the types that they take and give."""
    _, out, _ = asked(given, "query", folder / "program.pte", KINDS, "--format", "json")
    for row in json.loads(out)["rows"]:
        kinds[row["op"], " ".join(sorted(row["types"].split(",")))] += 1


def write_table(path):
    lines = [f"{op}\t{types}\t{n}" for (op, types), n in sorted(kinds.items())]
    path.write_text("# kind of node\ttypes that it takes and gives\thow many ran as the runtime\n"
                    + "\n".join(lines) + "\n", encoding="utf-8")


def check(name, given, folder, tally):
    if not (folder / "program.pte").exists():
        folder.mkdir(parents=True, exist_ok=True)
        why = make(name, given, folder)
        if why:
            tally.unmade.append((name, why))
            shutil.rmtree(folder)
            return
    calls = [str(folder / str(number)) for number in range(CALLS)]
    agreed = tally.programs["agree"]
    tally.check_calls(name, str(folder / "program.pte"), calls)
    if tally.programs["agree"] > agreed:
        count_kinds(given, folder)
    if not is_held(name) or is_other(given, folder):
        return
    faults = [*held_to_program(given, folder),
              *changed_weights(name, given, folder, random.Random(f"{name} {given.seed}"))]
    met["programs"] += 1
    met["faults"] += len(faults)
    for fault in faults:
        print(f"{name}: {fault}", flush=True)


def names():
    every = [*xnnpack_networks.NETWORKS, *(MODEL + name for name in networks.NETWORKS)]
    return [name for name in every if shares.mine(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        work = given.work or Path(scratch)
        tally = check_run.Tally(os.path.abspath(given.delegraph), str(work), given.verbose,
                                check_run.Journal(None))
        for name in given.networks or names():
            check(name, given, work / name.replace(" ", "_").replace(",", ""), tally)
    if given.table:
        write_table(given.table)
    chosen = given.networks or names()
    open_ones = tally.programs["not all compared"] - len(NOT_KNOWN & set(chosen))
    wrong = tally.report() or open_ones
    print(f"held to their programs: {met['programs']}, node by node {met['nodes held to the program']}; "
          f"weights changed {met['weights']}, the node that reads them named {met['weights found']}, "
          f"the operator that was taken apart {met['weights in nodes that were taken apart']}; "
          f"{met['faults']} faults")
    return 1 if wrong or met["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
