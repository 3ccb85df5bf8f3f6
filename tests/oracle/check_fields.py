#!/usr/bin/env python3
"""Programs with one field changed by ExecuTorch's own serializer: what the runtime refuses or
crashes on `delegraph check` finds, and `delegraph run` does not pass.

    check_fields.py --delegraph PROGRAM [--programs FOLDER] [--mutants N] [--seed N]
                    [--most N] [--keep FOLDER] [--journal FILE]

Takes the shipped programs and those that soundness.py left below FOLDER. Each mutant runs in a
process of its own, with inputs such as it declares. Prints a table, each kind of miss with an
example, and a closing line. Exits with 1 where a crash has no error, where more than one refusal
in twenty has no finding, and where `run` passes a program that the runtime refuses.
"""

import argparse
import collections
import json
import os
import random
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

import check_run
import check_runtime
import field_mutants
import mutate
import runtime

torch.set_num_threads(1)
LARGEST = 24 << 10  # bytes of a program that is changed
PROGRAMS = 80
KINDS = ("portable", "control_flow", "buffers", "arguments", "dynamic", "allocation", "external",
         "flags", "xnnpack", "xnnpack_per_op")  # fmt: skip
REFUSED = ("rejects", "hangs")


class Subject:
    """A right program, with the .ptd it needs, and what it computes."""

    def __init__(self, name, program, data=None):
        self.name, self.data = name, data
        self.program = field_mutants.rewritten(program)
        self.calls = calls_of(self.program)
        self.outcome, self.results, _ = self.outcome_of(self.program)

    def outcome_of(self, program):
        """What the runtime does with a program: (outcome, results or message, calls)."""
        try:
            calls = calls_of(program)
        except Exception:  # sizes or types that no tensor has
            calls = self.calls
        job = program, self.data, calls, Verification.InternalConsistency
        kind, results, log = runtime.fork([job])[0]
        if kind == "rejects" and any(word in log + str(results) for word in runtime.MISSING):
            kind = "missing"
        said = results if kind in ("ok", "crashes") else log.strip().splitlines()[-2:] or results
        return kind, said, calls


def calls_of(program):
    return runtime.calls_of(mutate.Pte(program))


def can_be_called(program):
    """Whether torch has the types of all inputs."""
    try:
        calls_of(program)
    except KeyError:
        return False
    except Exception:  # sizes that no tensor has
        pass
    return True


def shipped():
    for path in sorted(mutate.DATA.glob("*.pte")):
        companion = check_runtime.COMPANIONS.get(path.stem)
        yield path, mutate.DATA / companion if companion else None


def made(folder):
    """Programs of soundness.py that run right."""
    for manifest in sorted(folder.rglob("manifest.jsonl")):
        for row in map(json.loads, manifest.read_text().splitlines()):
            if row["state"] == "right" and row["kind"] in KINDS:
                files = [manifest.parent / row["kind"] / row["name"] / f for f in row["files"]]
                yield files[0], files[1] if files[1:] else None


def subjects(folder, rng, most):
    """Half of them shipped, as far as these reach."""
    found = [*shipped()], [*made(folder)] if folder else []
    for pairs in found:
        rng.shuffle(pairs)
    chosen = []
    for path, data in [*found[0], *found[1]]:
        if len(chosen) == most:
            break
        if path.stat().st_size > LARGEST:
            continue
        name = path.stem if path.parent == mutate.DATA else "/".join(path.parts[-3:-1])
        subject = Subject(name, path.read_bytes(), data.read_bytes() if data else None)
        if subject.outcome == "ok":
            chosen.append(subject)
        else:
            print(f"left out: {name}: {' '.join(str(subject.results).split())[:150]}")
    return chosen


class Mutant:
    def __init__(self, number, subject, rng):
        self.number, self.subject = number, subject
        self.kind, self.change, self.program = field_mutants.mutant(subject.program, rng)
        while not can_be_called(self.program):
            self.kind, self.change, self.program = field_mutants.mutant(subject.program, rng)
        self.outcome, said, self.calls = subject.outcome_of(self.program)
        self.said = ""
        if self.outcome != "ok":
            self.said = " / ".join(said) if isinstance(said, list) else str(said)
        elif not runtime.equal(said, subject.results):
            self.outcome = "wrong"

    def write(self, folder):
        self.files = [folder / "program.pte"]
        self.files[0].write_bytes(self.program)
        if self.subject.data:
            self.files.append(folder / "data.ptd")
            self.files[1].write_bytes(self.subject.data)

    def check(self, delegraph):
        """Rules by severity; a file that cannot be read is refused."""
        methods = ",".join(name for name, _ in self.subject.calls)
        line = [delegraph, "check", "--methods", methods, "--exit-zero", "--format", "json"]
        done = subprocess.run([*line, *map(str, self.files)], capture_output=True, text=True)
        self.found = {"error": set(), "warning": set(), "note": set()}
        if done.returncode == 0:
            for finding in json.loads(done.stdout)["findings"]:
                self.found[finding["severity"]].add(finding["rule"])
        else:
            self.found["error"].add("refused" if done.returncode == 3 else done.stderr.strip())

    def run(self, delegraph, folder):
        """The worst of what `run` says of the methods: refused, fail, skip or pass."""
        verdicts = [self.run_method(delegraph, folder, *call) for call in self.calls]
        ranks = ("FAILED", "refused", "fail", "skip", "pass")
        self.verdict = min(verdicts, key=lambda v: ranks.index(v[0]), default=("pass", ""))

    def run_method(self, delegraph, folder, method, inputs):
        check_run.save(folder / "x.npz", "in", inputs)
        line = [delegraph, "run", *map(str, self.files), "--method", method, "--format", "json"]
        if inputs:
            line += ["--inputs", str(folder / "x.npz"), "--inputs", str(folder / "x.npz")]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, 1):
            kind = "refused" if done.returncode in (2, 3, 4) else "FAILED"
            return kind, done.stderr.strip()[-200:]
        summary = json.loads(done.stdout)["summary"]
        verdict = "fail" if summary["fail"] else "skip" if summary["skip"] else "pass"
        return verdict, json.dumps(summary)

    def row(self):
        return {
            "number": self.number, "program": self.subject.name, "kind": self.kind,
            "change": self.change, "outcome": self.outcome, "said": self.said,
            "errors": sorted(self.found["error"]), "warnings": sorted(self.found["warning"]),
            "run": self.verdict,
        }  # fmt: skip


class Tally:
    def __init__(self):
        self.table = collections.Counter()
        self.groups = {title: collections.defaultdict(list) for title in
                       ("crash without error", "refusal without finding", "refused, run passes",
                        "right, error", "right, run refuses")}  # fmt: skip

    def add(self, row):
        told = "error" if row["errors"] else "warning" if row["warnings"] else "none"
        verdict = row["run"][0]
        self.table[row["outcome"], told] += 1
        self.table[row["outcome"], verdict] += 1
        self.table[row["outcome"]] += 1
        if row["outcome"] == "crashes" and told != "error":
            self.put("crash without error", row)
        if row["outcome"] in REFUSED and told == "none":
            self.put("refusal without finding", row)
        if row["outcome"] in (*REFUSED, "crashes") and verdict == "pass":
            self.put("refused, run passes", row)
        if row["outcome"] == "ok" and told == "error":
            self.put("right, error", row, ",".join(row["errors"]))
        if row["outcome"] == "ok" and verdict in ("refused", "FAILED"):
            self.put("right, run refuses", row, row["run"][1])

    def put(self, title, row, why=""):
        self.groups[title][row["kind"], why].append(row)

    def count(self, title):
        return sum(map(len, self.groups[title].values()))

    def print(self):
        columns = ("error", "warning", "none", "refused", "fail", "skip", "pass")
        print(f"{'runtime':10}" + "".join(f"{column:>9}" for column in columns))
        for outcome in ("ok", "missing", "rejects", "crashes", "hangs", "wrong"):
            print(f"{outcome:10}" + "".join(f"{self.table[outcome, c]:9}" for c in columns))
        for title, groups in self.groups.items():
            for (kind, why), rows in sorted(groups.items(), key=lambda item: -len(item[1])):
                row = rows[0]
                print(f"{title} {len(rows)} {kind} {why[:150]}: #{row['number']} {row['program']}"
                      f" {row['change']} | {row['said'][-200:]}")  # fmt: skip

    def close(self, n_programs, share):
        """The line with the figures; whether they are as promised."""
        refused = sum(self.table[outcome] for outcome in REFUSED)
        crashes, silent, passed = map(self.count, list(self.groups)[:3])
        total = sum(n for key, n in self.table.items() if isinstance(key, str))
        print(f"{total} mutants of {n_programs} programs: {crashes} of {self.table['crashes']} "
              f"crashes without an error and {silent} of {refused} refusals without a finding; "
              f"run passes {passed} of them")
        return not crashes and not passed and silent <= share * refused


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--programs", type=Path, help="folder of soundness.py")
    parser.add_argument("--most", type=int, default=PROGRAMS, help="programs that are changed")
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.05, help="of refusals without a finding")
    parser.add_argument("--keep", type=Path, help="folder for the files of mutants")
    parser.add_argument("--journal", type=Path, help="a line for each mutant; those are done")
    return parser.parse_args()


def read_journal(path):
    """Mutants of a run before this one; the last line of one that was killed may be half."""
    lines = path.read_text().split("\n")[:-1] if path and path.exists() else []
    return {row["number"]: row for row in map(json.loads, lines)}


def try_mutant(number, chosen, options):
    rng = random.Random(f"{options.seed} {number}")
    mutant = Mutant(number, rng.choice(chosen), rng)
    with tempfile.TemporaryDirectory() as place:
        folder = options.keep / str(number) if options.keep else Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        mutant.write(folder)
        mutant.check(options.delegraph)
        mutant.run(options.delegraph, folder)
    return mutant.row()


def main():
    options = arguments()
    tally, start = Tally(), time.monotonic()
    chosen = subjects(options.programs, random.Random(options.seed), options.most)
    done = read_journal(options.journal)
    for number in range(options.mutants):
        row = done.get(number) or try_mutant(number, chosen, options)
        tally.add(row)
        if options.journal and number not in done:
            with options.journal.open("a") as journal:
                print(json.dumps(row), file=journal)
    tried = max(options.mutants - len(done), 1)
    print(f"{(time.monotonic() - start) / tried:.2f} s for each mutant")
    tally.print()
    return 0 if tally.close(len(chosen), options.share) else 1


if __name__ == "__main__":
    sys.exit(main())
