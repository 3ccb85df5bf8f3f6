#!/usr/bin/env python3
"""Random wrong XNNPACK blobs: what the delegate refuses, crashes on or computes otherwise is an
error to `delegraph check`.

    check_blob_mutants.py --delegraph PROGRAM [--work FOLDER] [--mutants N] [--seed N] [--out FILE]
                          [NETWORK...]

The programs are those of xnnpack_networks.py; one field of one blob is changed, or bits of it are
flipped. Prints a table of the runtime's outcome by delegraph's, then each kind of disagreement with
an example. Exits with 1 when a silence is not in EXPLAINED, or a blob that gives the same numbers
has an error that is not in STRICTER. FOLDER keeps programs, mutants and what the runtime said, for a next
time.
"""

import argparse
import collections
import hashlib
import json
import logging
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
warnings.simplefilter("ignore")
logging.disable()
sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import torch
from executorch.extension.pybindings.portable_lib import Verification

import mutate
import random_mutants
import runtime
import xnnpack_networks
from kept import Kept

torch.set_num_threads(1)
BATCH = 100
PROGRAM = "program.pte"
HEADER = {10: "graph offset", 14: "graph size", 18: "constants offset", 22: "constants size"}

# What no file shows: kinds of change, outcomes, what the runtime says, why.
IDS = r".*\.(input\d?_id|filter_id|bias_id|output_id|external_id|constant_buffer_idx|scale_buffer_idx|named_key)"
NUMBERS = (
    r"OutputMinMax\..*|XNode\.output_min_max|XNNLeakyReLU\.negative_slope|XNNELU\.alpha"
    r"|XNNStaticConstantPad\.(padding_value|(pre|post)_paddings)|XNNStaticSlice\.(offsets|sizes)"
    r"|XNNStaticTranspose\.perm|XNNFullyConnected\.flags|XNNStaticResizeBilinear2D\.flags"
    r"|_XNN(NodeConv|Pooling2D)\.(padding|pooling|stride|subsampling|dilation|kernel).*|_XNNCat\.axis"
)
EXPLAINED = [
    (NUMBERS, "wrong", "", "another number"),
    (IDS, "wrong", "", "another value"),
    (r"XNNGraph\.constant_data", "wrong|rejects", "Init failed|^call", "other constants"),
    (r".*\.scale_buffer_idx", "rejects", "Init failed", "bytes of something else as scales"),
    (r"XNode\.xnode_union", "wrong", "", "another kind of node"),
    (r"PerTensorQuant\..*|Per(Channel|ChannelGroup)Quant\.scale.*", "wrong", "",
     "another quantization"),
    (r"raw", "wrong", "", "a flip that makes one of the above"),
]
# What is wrong, though this runtime computes the same with it: kinds of change, rules, why.
STRICTER = [
    (r"XNNGraph\.xnodes", "blob/value-written", "a node twice, which writes the same twice"),
    (r".*\.output_id", ".*", "a result in another place, whose bytes happen to be the same"),
    (r"_XNNNodeConv\.group_.*", ".*", "channels of a window of one pixel, which is a product"),
    (r"XNNTensorValue\.(constant_buffer_idx|external_id)", ".*",
     "a result that is also something else, and is written over"),
    (r"XNNTensorValue\.datatype", "delegate/io-operands", "the type of an input that nobody reads"),
    (r"XNNTensorValue\.dims|raw", "(blob/constant)?,?(blob/shape)?,?(blob/weights)?",
     "a shape that is not looked at"),
    (r"OutputMinMax\..*|XNode\.output_min_max", "blob/output-range",
     "a range with nothing in it, of which it looks at one end"),
    (r"_XNN(NodeConv|Pooling2D)\.dilation_.*", "blob/window", "the dilation of a window of one pixel"),
    (r"_XNNNodeConv\.subsampling_.*|_XNNPooling2D\.stride_.*", "blob/window", "the stride of a window that fits once"),
    (r".*\.input\d?_id|XNode\.xnode_union", "blob/(acyclic|value-written)",
     "a value that nothing has written yet, whose bytes happen to be the same"),
    (r"PerTokenDynamicQuant\..*|XNNQuantizedTensorValue\.quant_params", "blob/quantization",
     "rows that have one scale anyway, or none that is looked at"),
    (r"raw", "blob/(format|constant)", "sizes of tables, of which the runtime's verifier knows nothing"),
    (r"ConstantDataOffset\.size|raw", "data/layout-nbytes", "a size that nobody reads"),
]


def explained(row):
    for kind, outcome, said, why in EXPLAINED:
        if (re.fullmatch(kind, row["kind"]) and re.fullmatch(outcome, row["outcome"])
                and re.search(said, row["said"])):
            return why
    return None


def flipped(data, rng):
    data, flips = bytearray(data), []
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place, bit = rng.randrange(len(data)), rng.randrange(8)
        data[place] ^= 1 << bit
        flips.append(f"{place}:{bit}")
    return "raw", f"bits {' '.join(flips)}", bytes(data)


def other_header(data, rng):
    data, place = bytearray(data), rng.choice(list(HEADER))
    code = "Q" if place == 22 else "I"
    value = struct.unpack_from("<" + code, data, place)[0]
    new = random_mutants.other_number(rng, code, value)
    struct.pack_into("<" + code, data, place, new)
    return "header", f"{HEADER[place]} {value} -> {new}", bytes(data)


def cut(data, rng):
    size = rng.randrange(1, len(data))
    return "size", f"{len(data)} -> {size}", data[:size]


def mutant(data, rng):
    """(class, what was changed, bytes) of a changed payload."""
    draw = rng.random()
    if draw < 0.10:
        return flipped(data, rng)
    if draw < 0.13:
        return other_header(data, rng)
    if draw < 0.14:
        return cut(data, rng)
    blob = mutate.Blob(data)
    kind, said = random_mutants.edit_tree(blob, rng)
    return kind, said, blob.to_bytes()


class Subject:
    """A right program, and what it computes."""

    def __init__(self, kept, name):
        self.name = name
        folder, _ = kept.folder(name, self.make)
        self.program = mutate.Pte((folder / PROGRAM).read_bytes())
        self.calls = runtime.calls_of(self.program)
        self.methods = ",".join(name for name, _ in self.calls)
        kind, self.wanted, log = runtime.fork([self.job(self.program.to_bytes())])[0]
        self.problem = None if kind == "ok" else f"{kind} {self.wanted} {log[-200:]}"

    def make(self, folder):
        _, edge, _ = xnnpack_networks.lower(self.name, random.Random(self.name))
        (folder / PROGRAM).write_bytes(edge.to_executorch().buffer)

    def job(self, program):
        return program, None, self.calls, Verification.InternalConsistency

    def mutant(self, rng):
        """(class, what was changed, the program)."""
        program = self.program.copy()
        number = rng.randrange(len(program.plan().delegates))
        kind, said, changed = mutant(program.blob(number), rng)
        program.set_blob(changed, number)
        return kind, f"{self.name}: {said}", program.to_bytes()


def subjects(kept, names):
    found = []
    for name in names:
        subject = Subject(kept, name)
        if subject.problem is None:
            found.append(subject)
        else:
            print(f"left out: {name}: {' '.join(subject.problem.split())[:150]}", flush=True)
    return found


def make_batch(chosen, rng, numbers, folder):
    """Mutants in files of their numbers; their rows, and how random numbers go on behind them."""
    rows, jobs, wanted = [], [], []
    for number in numbers:
        subject = rng.choice(chosen)
        kind, said, program = subject.mutant(rng)
        jobs.append(subject.job(program))
        wanted.append(subject.wanted)
        (folder / f"{number}.pte").write_bytes(program)
        rows.append({"number": number, "kind": kind, "change": said, "subject": subject.name})
    for row, (outcome, words) in zip(rows, runtime.outcomes(jobs, wanted)):
        row.update(outcome=outcome, said=words)
    return {"rows": rows, "random": rng.getstate()}


def batches(kept, given, chosen):
    """Rows with subjects and files, some at a time."""
    rng, subject_of = random.Random(given.seed), {subject.name: subject for subject in chosen}
    of = hashlib.sha256("\n".join(subject_of).encode()).hexdigest()[:16]
    for first in range(0, given.mutants, BATCH):
        numbers = range(first, min(first + BATCH, given.mutants))
        folder, made = kept.folder(f"{given.seed} {numbers.start} {numbers.stop} of {of}",
                                   lambda folder: make_batch(chosen, rng, numbers, folder))
        version, internal, gauss = made["random"]
        rng.setstate((version, tuple(internal), gauss))
        yield made["rows"], [(subject_of[row["subject"]], folder / f"{row['number']}.pte")
                             for row in made["rows"]]


def check(delegraph, groups):
    """Of each file {rule: severities}; of one that cannot be read "refused"."""
    found = {}
    for methods in {subject.methods for subject, _ in groups}:
        files = [str(path) for subject, path in groups if subject.methods == methods]
        line = [delegraph, "check", "--methods", methods, "--exit-zero", "--format", "json", *files]
        told = json.loads(subprocess.run(line, capture_output=True, text=True).stdout)
        for one in told.get("artifacts", [told]):
            rules = found.setdefault(one["artifact"]["path"], {})
            for finding in one["findings"]:
                rules.setdefault(finding["rule"], set()).add(finding["severity"])
    return [found.get(str(path), {"refused": {"error"}}) for _, path in groups]


# The runtime's result of it is another than PyTorch's: what is right about a program that has it
# is only that it runs.
MISCOMPUTED = {"blob/odd-row", "blob/merged-clamp"}


def errors_of_right(delegraph, chosen):
    """{name: rules of errors} of the programs that mutants are made of."""
    with tempfile.TemporaryDirectory() as folder:
        groups = []
        for number, subject in enumerate(chosen):
            path = Path(folder) / f"{number}.pte"
            path.write_bytes(subject.program.to_bytes())
            groups.append((subject, path))
        found = check(delegraph, groups)
    return {subject.name: {rule for rule, told in rules.items() if "error" in told}
            for subject, rules in zip(chosen, found)}


class Tally:
    """Outcomes of the runtime by what delegraph finds; what neither explains."""

    def __init__(self):
        self.table = collections.Counter()
        self.explained = collections.Counter()
        self.silent, self.stricter = collections.defaultdict(list), collections.defaultdict(list)

    def add(self, row):
        errors = sorted(rule for rule, told in row["found"].items()
                        if "error" in told and rule not in row["right"])
        warned = any("warning" in told and re.match("blob/|delegate/named-key", rule)
                     for rule, told in row["found"].items())
        told = "error" if errors else "warning" if warned else "none"
        self.table[row["outcome"], told] += 1
        if row["outcome"] == "ok" and errors:
            why = next((why for kind, rules, why in STRICTER if re.fullmatch(kind, row["kind"])
                        and re.fullmatch(rules, ",".join(errors))), None)
            if not why:
                self.stricter[row["kind"], ",".join(errors)].append(row)
        elif row["outcome"] not in ("ok", "missing") and told == "none":
            why = explained(row)
            if not why:
                self.silent[row["kind"], row["outcome"]].append(row)
        else:
            return
        if why:
            self.explained[why, row["outcome"]] += 1

    def print(self):
        columns = ("error", "warning", "none")
        print(f"{'runtime':10}" + "".join(f" {told:>7}" for told in columns))
        for outcome in ("ok", "missing", "rejects", "crashes", "hangs", "wrong"):
            print(f"{outcome:10}" + "".join(f" {self.table[outcome, told]:7}" for told in columns))
        for (why, outcome), n in sorted(self.explained.items()):
            print(f"explained {n} {outcome}: {why}")
        for title, groups in (("silent", self.silent), ("stricter", self.stricter)):
            for key, rows in sorted(groups.items(), key=lambda item: -len(item[1])):
                row = rows[0]
                print(f"{title} {len(rows)} {' '.join(key)}: #{row['number']} {row['change']}"
                      f" | {row['said'][:160]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--mutants", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    kept = Kept(given.work, __file__)
    chosen = subjects(kept, given.networks or list(xnnpack_networks.NETWORKS))
    right = errors_of_right(given.delegraph, chosen)
    tally, start = Tally(), time.monotonic()
    out = open(given.out, "w") if given.out else None
    for rows, groups in batches(kept, given, chosen):
        for row, found in zip(rows, check(given.delegraph, groups)):
            row["found"], row["right"] = found, right[row["subject"]]
            tally.add(row)
            if out:
                found = {rule: sorted(told) for rule, told in found.items()}
                print(json.dumps({**row, "found": found, "right": sorted(row["right"])}),
                      file=out, flush=True)
    seconds = time.monotonic() - start
    print(f"{given.mutants} blobs of {len(chosen)} programs, {given.mutants / seconds:.0f} a second")
    tally.print()
    n_silent, n_stricter = (sum(map(len, group.values()))
                            for group in (tally.silent, tally.stricter))
    print(f"blob mutants: {given.mutants}, {n_silent} silences and {n_stricter} errors unexplained")
    false = sorted({rule for rules in right.values() for rule in rules - MISCOMPUTED})
    if false:
        print(f"errors of right programs: {' '.join(false)}")
    return 1 if n_silent or n_stricter or false else 0


if __name__ == "__main__":
    sys.exit(main())
