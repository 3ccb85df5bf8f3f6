"""Hold partitions and plans of fresh real programs to PyTorch's and ExecuTorch's classes.

    check_partition.py --delegraph PROGRAM --work FOLDER [--seed N] [--networks N]
        [--stages A,B] [--processes N] [--minutes N] [--only WORD]

Networks are exported and saved, as they are and lowered so far; each file is partitioned in
every mode with several sets of supported operators. Files with a difference stay in FOLDER.
"""

import argparse
import copy
import logging
import multiprocessing
import os
import random
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

if os.environ.get("PYTHONHASHSEED") != "0":  # sets of names are walked in hash order
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, *sys.argv])

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "data")]

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

import fixtures
import networks
import program_partitions
import program_plans

# Every pass copies the whole history of every node: nine tenths of the time.
torch.fx.traceback.copy = SimpleNamespace(copy=copy.copy, deepcopy=lambda value: value)

MOST_NODES = 900  # PyTorch's partitioner takes minutes beyond
STAGES = {
    "export": lambda sample: fixtures.saved(fixtures.export(sample)),
    "core": lambda sample: fixtures.saved(fixtures.decomposed(fixtures.export(sample))),
    "edge": lambda sample: fixtures.exir_saved(fixtures.edge(sample).exported_program()),
    "xnnpack": lambda sample: fixtures.exir_saved(
        fixtures.lowered(sample, [XnnpackPartitioner()]).exported_program()),
}
LOWERABLE = ("edge", "xnnpack")


def hold(path, stage, delegraph, rng):
    """Counts and differences of one saved program."""
    program = program_plans.loaded(path)
    n_names, differences = program_partitions.name_differences(delegraph, path, program)
    tally = program_partitions.compare(delegraph, path, program, rng)
    differences += tally.differences
    counts = Counter(programs=1, names=n_names, partitionings=tally.asked, late=tally.late,
                     partitions=tally.partitions, nodes=tally.nodes, cyclic=tally.cyclic)
    if stage in LOWERABLE:
        n_plans, n_lowered, wrong = program_plans.check_plans(delegraph, path, program, rng)
        counts.update(plans=n_plans, lowered=n_lowered)
        differences += wrong
    if stage == "edge":
        n_stacked, wrong = program_plans.stacked(delegraph, path)
        counts.update(stacked=n_stacked)
        differences += wrong
    return counts, differences


def attempt(name, stage, options):
    """Save one program and compare; what the toolchain refuses to make is only counted."""
    rng = random.Random(f"{options.seed} {name} {stage}")
    path = options.work / f"{name}_{stage}_{options.seed}.pt2"
    try:
        torch.manual_seed(options.seed)
        data = STAGES[stage](networks.NETWORKS[name](rng))
    except Exception as problem:  # as many kinds as there are networks
        reason = str(problem).strip().split("\n")[0][:100]
        return Counter(refused=1), [], f"refused: {type(problem).__name__}: {reason}"
    path.write_bytes(data)
    try:
        program = program_plans.loaded(path)
        if len(program.graph.nodes) > MOST_NODES:
            path.unlink()
            return Counter(too_large=1), [], f"{len(program.graph.nodes)} nodes: too large"
        counts, differences = hold(path, stage, options.delegraph, rng)
    except Exception as problem:
        differences = [f"{path.name}: {type(problem).__name__}: {problem}"]
        return Counter(programs=1), differences, "failed"
    if not differences:
        for left in path.parent.glob(f"{path.stem}.*"):
            left.unlink()
    return counts, differences, f"{counts['partitionings']} partitionings"


def work(job):
    name, stage, options = job
    if time.monotonic() > options.end:
        return name, stage, Counter(left_out=1), [], 0, "no time left"
    started = time.monotonic()
    counts, differences, remark = attempt(name, stage, options)
    counts["networks"] = int(counts["programs"] and stage == options.stages[0])
    return name, stage, counts, differences, time.monotonic() - started, remark


def jobs(options):
    """Each network at the first stage, which all can be, and at one of the others in turn."""
    names = [name for name in networks.NETWORKS if options.only in name]
    random.Random(options.seed).shuffle(names)
    first, *others = options.stages
    for number, name in enumerate(names[: options.networks]):
        yield name, first, options
        if others:
            yield name, others[number % len(others)], options


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--networks", type=int, default=1000)
    parser.add_argument("--stages", type=lambda text: text.split(","),
                        default=["export", "edge", "xnnpack", "core"])
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--only", default="", help="networks with this in their names")
    return parser.parse_args()


def main():
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    options.end = time.monotonic() + 60 * options.minutes
    torch.set_num_threads(1)
    total, n_differences = Counter(), 0
    with multiprocessing.get_context("fork").Pool(options.processes) as pool:
        results = pool.imap_unordered(work, jobs(options))
        for name, stage, counts, differences, seconds, remark in results:
            total.update(counts)
            n_differences += len(differences)
            if counts["left_out"]:
                continue
            print(f"{name} {stage}: {remark}, {len(differences)} differences, {seconds:.0f} s",
                  flush=True)
            print("".join(f"  {text}\n" for text in differences), end="", flush=True)
    print(f"seed {options.seed}: " + ", ".join(f"{total[what]} {what}" for what in total)
          + f", {n_differences} differences")
    return 1 if n_differences or not total["programs"] else 0


if __name__ == "__main__":
    sys.exit(main())
