#!/usr/bin/env python3
"""Holds `run` of programs with XNNPACK delegates to the numbers of the runtime.

    check_blob_runs.py --delegraph PROGRAM [--seed N] [--work FOLDER] [NETWORK...]

Each network of xnnpack_networks.py is lowered and run in successive calls, with the inputs that
it was made from and with others. FOLDER keeps what was made, for a next time.
"""

import argparse
import os
import random
import sys
import tempfile
import warnings
from pathlib import Path

import torch

import check_run
import xnnpack_networks

CALLS = 3


def others(values, generator):
    """Other inputs of the same kind; positive ones stay so."""
    made = [check_run.like(value, generator) for value in values]
    return [new.abs() + 0.1 if bool((old > 0).all()) else new for old, new in zip(values, made)]


def make(name, given, folder):
    """None, or why the network cannot be asked."""
    sample, edge, graphs = xnnpack_networks.lower(name, random.Random(f"{name} {given.seed}"))
    path = folder / "program.pte"
    path.write_bytes(edge.to_executorch().buffer)
    torch.export.save(torch.export.export(sample.module, sample.args, strict=True,
                                          dynamic_shapes=sample.dynamic), folder / "program.pt2")
    generator = torch.Generator().manual_seed(given.seed)
    calls = [check_run.flat(sample.args)]
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


def check(name, given, folder, tally):
    if not (folder / "program.pte").exists():
        folder.mkdir(parents=True, exist_ok=True)
        why = make(name, given, folder)
        if why:
            tally.unmade.append((name, why))
            return
    calls = [str(folder / str(number)) for number in range(CALLS)]
    tally.check_calls(name, str(folder / "program.pte"), calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        work = given.work or Path(scratch)
        tally = check_run.Tally(os.path.abspath(given.delegraph), str(work), given.verbose,
                                check_run.Journal(None))
        for name in given.networks or xnnpack_networks.NETWORKS:
            check(name, given, work / name.replace(" ", "_").replace(",", ""), tally)
    wrong = tally.report()
    return 1 if wrong or tally.unmade or tally.programs["not all compared"] else 0


if __name__ == "__main__":
    sys.exit(main())
