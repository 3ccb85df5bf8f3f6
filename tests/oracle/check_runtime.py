#!/usr/bin/env python3
"""Random wrong programs: what ExecuTorch's runtime rejects, crashes on or computes wrongly is an
error to `delegraph check`.

    check_runtime.py --delegraph PROGRAM [--mutants N] [--seed N] [--only NAMES] [--out FILE]

Prints a table of the runtime's outcome by delegraph's, then each kind of disagreement with an
example. Exits with 1 when a silence is not in EXPLAINED; of what the runtime rejects, kernels that
refuse their arguments included, a share of five in a hundred may be.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
warnings.simplefilter("ignore")
sys.dont_write_bytecode = True

import torch
from executorch.extension.pybindings.portable_lib import Verification

import mutate
import random_mutants
import runtime

torch.set_num_threads(1)
COMPANIONS = {
    "external": "external_default_external_constant.ptd",
    "external_tagged": "external_tagged_weights.ptd",
}
# Warnings while no .ptd is given, as one could hold what is missing; and of what older runtimes do.
WARNED = {"data/named-key-missing", "delegate/named-key-resolves", "format/constant-deprecated"}
LARGEST = 12 << 10  # bytes of a program that is changed
BATCH = 100


# What a checker of files cannot see: kinds of change, outcomes, what the runtime says, why.
NAMES = r"ExecutionPlan\.(inputs|outputs|name)|Program\.execution_plan|ContainerMetadata.*"
LITERAL = r"(Int|Bool|Double|String)\..*|(Int|Double|Bool|Tensor|OptionalTensor)List\.items"
BYTES = (
    r"Tensor\.data_buffer_idx|SubsegmentOffsets\..*|NamedData\.segment_index|DataSegment\.offset"
    r"|FlatTensor\.segments|header\.segment_base_offset"
)
BLOBS = r"BackendDelegate(DataReference\.index|\.processed)|DelegateCall\..*|ExecutionPlan\.delegates"
FLOW = r"(KernelCall|MoveCall|JumpFalseCall|Instruction)\..*|Chain\.instructions"
ARENAS = r"ExecutionPlan\.non_const_buffer_sizes"
TYPES = r"Tensor\.(sizes|scalar_type|dim_order|shape_dynamism)|(ExecutionPlan|EValue)\.val.*"
EXPLAINED = [
    (r".*", "rejects", r"resizing tensor at input|Input \d+ has not", "other inputs"),
    (NAMES, "rejects|wrong", "", "another interface"),
    (LITERAL, "wrong", "", "another literal"),
    (BYTES, "wrong", "", "other weights"),
    (BLOBS, "rejects|wrong", "CALL_DELEGATE|^call", "another delegate"),
    (FLOW, "wrong", "", "other instructions"),
    (TYPES, "wrong", "", "another type or size that the kernels take, too"),
    (r"Operator\..*|raw", "crashes", "SIGABRT", "an operator that the runtime lacks"),
    (r"BackendDelegate\.id", "crashes", "SIGABRT", "a backend that the runtime lacks"),
    (ARENAS, "rejects|hangs", "^$|bad_alloc", "more memory than there is; a note says what is unused"),
    (r"raw", "wrong", "", "a flip that makes one of the above"),
]


def explain(row):
    """Why no file shows what is wrong, or None."""
    for kind, outcome, said, why in EXPLAINED:
        if (
            re.fullmatch(kind, row["kind"].removeprefix("ptd "))
            and re.fullmatch(outcome, row["outcome"])
            and re.search(said, row["said"])
        ):
            return why
    return None


class Subject:
    """A right program, with the .ptd it needs, and what it computes."""

    def __init__(self, path):
        self.name = path.stem
        self.parts = {path.name: mutate.open_program(path)}
        companion = COMPANIONS.get(path.stem)
        if companion:
            self.parts[companion] = mutate.open_program(mutate.DATA / companion)
        self.calls = runtime.calls_of(self.parts[path.name])
        self.methods = ",".join(name for name, _ in self.calls)
        self.files = {name: part.to_bytes() for name, part in self.parts.items()}
        kind, self.wanted, log = runtime.fork([self.job(self.files)])[0]
        self.problem = None if kind == "ok" else f"{kind} {self.wanted} {log[-200:]}"

    def job(self, files, verification=Verification.InternalConsistency):
        program, *data = files.values()
        return program, data[0] if data else None, self.calls, verification

    def mutant(self, rng):
        """(class, what was changed, files)."""
        name = rng.choice(list(self.parts))
        kind, said, changed = random_mutants.mutant(self.parts[name], rng)
        kind = f"ptd {kind}" if name.endswith(".ptd") else kind
        return kind, f"{name} {said}", {**self.files, name: changed}


def subjects(only):
    found = []
    for path in sorted(mutate.DATA.glob("*.pte")):
        if path.stat().st_size > LARGEST or only and path.stem not in only:
            continue
        subject = Subject(path)
        if subject.problem is None:
            found.append(subject)
        else:
            print(f"left out: {subject.name}: {' '.join(subject.problem.split())[:150]}")
    return found


def findings_of(command, groups):
    """The ids of errors in each (subject, files); {"refused"} where one cannot be read."""
    found, batches = {}, collections.defaultdict(list)
    for subject, files in groups:
        key = subject.methods if len(files) == 1 else (subject.methods, files[0])
        batches[key] += files
    for subject, files in groups:
        key = subject.methods if len(files) == 1 else (subject.methods, files[0])
        if key in batches:
            methods = ["--methods", subject.methods]
            found.update(check([*command, *methods], batches.pop(key)))
    return [found.get(str(files[0]), {"refused"}) for _, files in groups]


def check(command, files):
    """{path: ids of errors}, without what is refused. What makes delegraph fail is an id, too,
    and a fault of delegraph's."""
    line = [*command, "--exit-zero", "--format", "json", *map(str, files)]
    answer = subprocess.run(line, capture_output=True, text=True)
    if answer.returncode not in (0, 3):
        if len(files) == 1 or files[1].suffix == ".ptd":
            said = answer.stderr.strip().splitlines()[-1:] or ["nothing"]
            return {str(files[0]): {f"FAILED {answer.returncode} {said[0].split(': ', 2)[-1]}"}}
        return {path: ids for one in files for path, ids in check(command, [one]).items()}
    if not answer.stdout.strip():
        return {}
    told = json.loads(answer.stdout)
    return {
        one["artifact"]["path"]: {
            finding["rule"]
            for finding in one["findings"]
            if finding["severity"] == "error" or finding["rule"] in WARNED
        }
        for one in told.get("artifacts", [told])
    }


class Tally:
    def __init__(self):
        self.table = collections.Counter()
        self.silences = collections.defaultdict(list)
        self.explained = collections.Counter()
        self.stricter = collections.defaultdict(list)

    def add(self, row):
        told = "error" if row["errors"] else "none"
        self.table[row["outcome"], told] += 1
        if row["outcome"] not in ("ok", "missing") and told == "none":
            why = explain(row)
            if why:
                self.explained[why, row["outcome"]] += 1
            else:
                self.silences[row["kind"], row["outcome"]].append(row)
        if row["outcome"] == "ok" and told == "error":
            self.stricter[row["kind"], ",".join(sorted(row["errors"]))].append(row)

    def fails(self, share):
        """Whether too much goes without an error that has no explanation."""
        silent = collections.Counter()
        for (_, outcome), rows in self.silences.items():
            silent[outcome] += len(rows)
        rejects = sum(self.table["rejects", told] for told in ("error", "none"))
        print(f"{silent['rejects']} of {rejects} rejections without an error")
        return silent.pop("rejects", 0) > share * rejects or any(silent.values())

    def print(self):
        print(f"{'runtime':10} {'error':>7} {'none':>7}")
        for outcome in ("ok", "missing", "rejects", "crashes", "hangs", "wrong"):
            counts = [self.table[outcome, told] for told in ("error", "none")]
            print(f"{outcome:10} {counts[0]:7} {counts[1]:7}")
        for (why, outcome), count in sorted(self.explained.items()):
            print(f"explained {count} {outcome}: {why}")
        self.print_groups("silent", self.silences)
        self.print_groups("stricter", self.stricter)

    @staticmethod
    def print_groups(title, groups):
        for key, rows in sorted(groups.items(), key=lambda item: -len(item[1])):
            row = rows[0]
            print(f"{title} {len(rows)} {' '.join(key)}: #{row['number']} {row['change']} | {row['said'][:160]}")


def make_batch(chosen, rng, numbers, folder):
    rows, groups, jobs, wanted = [], [], [], []
    for number in numbers:
        subject = rng.choice(chosen)
        kind, said, files = subject.mutant(rng)
        jobs.append(subject.job(files))
        wanted.append(subject.wanted)
        group = []
        for name, content in files.items():
            group.append(folder / f"{number}_{name}")
            group[-1].write_bytes(content)
        groups.append((subject, group))
        rows.append(dict(number=number, kind=kind, change=said))
    for row, (outcome, words) in zip(rows, runtime.outcomes(jobs, wanted)):
        row.update(outcome=outcome, said=words)
    return rows, groups


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--mutants", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--share", type=float, default=0.05, help="of rejections without an error")
    parser.add_argument("--out")
    parser.add_argument("--keep", help="folder for the files of disagreements")
    parser.add_argument("--ignore", default="", help="rules that are not run")
    options = parser.parse_args()
    check_command = [options.delegraph, "check", "--ignore", options.ignore]
    chosen = subjects([name for name in options.only.split(",") if name])
    rng, tally, start = random.Random(options.seed), Tally(), time.monotonic()
    out = open(options.out, "w") if options.out else None
    for first in range(0, options.mutants, BATCH):
        numbers = range(first, min(first + BATCH, options.mutants))
        with tempfile.TemporaryDirectory() as folder:
            rows, groups = make_batch(chosen, rng, numbers, Path(folder))
            for row, (_, group), errors in zip(rows, groups, findings_of(check_command, groups)):
                row["errors"] = sorted(errors)
                tally.add(row)
                if out:
                    print(json.dumps(row), file=out, flush=True)
                if options.keep and row["outcome"] not in ("ok", "missing") and not errors:
                    for path in group:
                        (Path(options.keep) / path.name).write_bytes(path.read_bytes())
    seconds = time.monotonic() - start
    print(f"{options.mutants} mutants of {len(chosen)} programs, {options.mutants / seconds:.0f} each second")
    tally.print()
    return 1 if tally.fails(options.share) else 0


if __name__ == "__main__":
    sys.exit(main())
