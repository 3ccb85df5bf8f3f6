#!/usr/bin/env python3
"""ETRecords and ETDumps of shipped and other networks: what delegraph reads of them is what the
devtools of ExecuTorch read, and what it joins is what their Inspector joins.

    check_profiles.py --delegraph PROGRAM [--work FOLDER] [--only NAME]

FOLDER keeps the files, and what the devtools read of them, for a next time.
"""

import argparse
import json
import logging
import multiprocessing
import random
import subprocess
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "data"), str(HERE.parent)]

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import Inspector
from executorch.exir import to_edge_transform_and_lower

import compare_facts
import facts
import fixtures
import networks
import programs
import shares
from kept import Kept

FILES = ("program.pte", "record.etrecord", "trace.etdp")
RUNS = 3
PATIENCE = 300  # seconds for the runs of one program
OWN = ("attention", "buffers", "conv_net", "dtypes", "infinities", "layouts", "mlp", "multi_output",
       "portable", "squeeze", "two_adds", "tied_weights", "no_inputs", "input_mutation", "cond")


def samples():
    for name in OWN:
        if hasattr(programs, name):
            yield name, getattr(programs, name)
    for name, make in networks.NETWORKS.items():
        yield name, lambda make=make: make(random.Random(1))


def lower(sample, partitioners):
    program = torch.export.export(sample.module, sample.args, sample.kwargs,
                                  dynamic_shapes=sample.dynamic, strict=sample.strict)
    return to_edge_transform_and_lower(
        program, partitioner=partitioners, generate_etrecord=True).to_executorch()


def measure(path, program, inputs):
    """In a process of its own: the runtime aborts where its room for outputs is too small."""
    def run():
        path.write_bytes(fixtures.measured(program, inputs, RUNS, room=1 << 28))

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join(PATIENCE)
    child.kill()
    child.join()
    if child.exitcode:
        raise RuntimeError(f"the runtime ends with {child.exitcode}")


def make(paths, sample, partitioners):
    """The three files, and what the devtools read of them; a text: why there are none."""
    try:
        manager = lower(sample, partitioners)
        paths[0].write_bytes(manager.buffer)
        manager.get_etrecord().save(str(paths[1]))
        inputs = [*torch.utils._pytree.tree_leaves((sample.args, sample.kwargs or {}))]
        measure(paths[2], manager.buffer, inputs)
    except Exception as problem:  # of many kinds, none of them ours
        why = str(problem).splitlines()[0][:100] if str(problem) else type(problem).__name__
        return f"not made: {why}"
    try:
        return {"times": inspected(paths), "facts": [facts.facts_of(path) for path in paths[1:]]}
    except subprocess.CalledProcessError:  # of its own flatc
        return "the Inspector cannot read what the runtime wrote"


def ask(delegraph, *words):
    done = subprocess.run([delegraph, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def timings(delegraph, paths):
    """By instruction, and by part of a delegate's: runs, median, least and most nanoseconds."""
    rows = ask(delegraph, "query", paths[0], "--etdump", paths[2], "--format", "json",
               "SELECT node.idx AS instruction, part, runs, t.calls, median, least, most"
               " FROM v_timing AS t JOIN node ON node.id = node_id")["rows"]
    return {(row["instruction"], row["part"]): row for row in rows}


def inspected(paths):
    """The same of the Inspector, as instruction, part, median, least and most milliseconds."""
    found = {}
    for block in Inspector(etdump_path=str(paths[2]), etrecord=str(paths[1])).event_blocks:
        if block.name != "Execute":
            continue
        for event in block.events:
            instruction = event._instruction_id
            part, data = event.delegate_debug_identifier, event.perf_data
            if event.name in ("Method::execute",) or instruction is None or not data:
                continue
            if part is None and event.name not in ("OPERATOR_CALL", "DELEGATE_CALL") and not \
                    event.name.startswith("native_call_"):
                continue
            if event.name.startswith("native_call_"):
                continue  # its OPERATOR_CALL is around it
            found[instruction, part] = [float(number) for number in (data.p50, data.min, data.max)]
    return [[*key, *numbers] for key, numbers in found.items()]


def close(nanoseconds, milliseconds):
    return abs(nanoseconds / 1e6 - milliseconds) < 1e-6


def compare_times(delegraph, paths, name, told):
    ours = timings(delegraph, paths)
    theirs = {(instruction, part): numbers for instruction, part, *numbers in told}
    faults = []
    for key in ours.keys() & theirs.keys():
        row = ours[key]
        if row["calls"] == row["runs"] and not all(
                map(close, (row["median"], row["least"], row["most"]), theirs[key])):
            faults.append(f"{name} {key}: {row}, the Inspector has {theirs[key][0]} ms")
    missing = {key for key in theirs.keys() - ours.keys()}
    faults += [f"{name} {key}: the Inspector alone has it" for key in sorted(missing, key=str)]
    return len(ours.keys() & theirs.keys()), faults


def compare_files(delegraph, paths, name, told):
    faults, n = [], 0
    for path, facts_of_path in zip(paths[1:], told):
        compared = compare_facts.compare_program(delegraph, path, facts_of_path)
        n += compared.facts
        faults += [f"{name}{path.suffix}{place}" for place in compared.differences]
    checked = ask(delegraph, "check", paths[0], "--program", paths[1], "--etdump", paths[2],
                  "--select", "profile", "--format", "json")
    faults += [f"{name}: {finding['rule']}: {finding['message']}"
               for finding in checked["findings"] if finding["severity"] != "note"]
    return n, faults


def exchange(delegraph, made):
    """Files of two programs that are not the same: a finding where they cannot be joined."""
    faults = n = 0
    names = sorted(made)
    for one, other in zip(names, names[1:]):
        found = ask(delegraph, "check", made[one][0], "--etdump", made[other][2],
                    "--select", "profile/method", "--format", "json")["findings"]
        joined = timings(delegraph, [made[one][0], None, made[other][2]])
        n += 1
        if bool(found) == bool(joined) and joined:
            print(f"{one} with the ETDump of {other}: joined, and a finding")
            faults += 1
    return n, faults


class Tally:
    """What was held to the devtools, and what is otherwise."""

    def __init__(self):
        self.programs, self.faults = {}, []
        self.not_made = self.facts = self.times = 0

    def hold(self, delegraph, name, folder, told):
        if isinstance(told, str):
            print(f"{name}: {told}")
            self.not_made += 1
            return
        paths = self.programs[name.replace(" ", "_")] = [folder / file for file in FILES]
        n_facts, of_files = compare_files(delegraph, paths, name, told["facts"])
        n_times, of_times = compare_times(delegraph, paths, name, told["times"])
        self.facts += n_facts
        self.times += n_times
        self.faults += of_files + of_times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only")
    given = parser.parse_args()
    torch.set_num_threads(1)
    kept, tally = Kept(given.work, __file__), Tally()
    for name, sample in samples():
        for kind, partitioners in (("portable", []), ("xnnpack", [XnnpackPartitioner()])):
            if (given.only and given.only != name) or not shares.mine(f"{name} {kind}"):
                continue
            tally.hold(given.delegraph, f"{name} {kind}", *kept.folder(
                f"{name} {kind}",
                lambda folder: make([folder / file for file in FILES], sample(), partitioners)))
    n, wrong = exchange(given.delegraph, tally.programs)
    for fault in tally.faults:
        print("FAULT", fault)
    print(f"profiles: {len(tally.programs)} programs, {tally.not_made} not made, {tally.facts} facts,"
          f" {tally.times} times as the Inspector's, {n} exchanged;"
          f" {len(tally.faults) + wrong} faults")
    return 1 if tally.faults or wrong or not tally.programs else 0


if __name__ == "__main__":
    sys.exit(main())
