#!/usr/bin/env python3
"""Nothing right is stopped: `check` finds no error in what ExecuTorch makes and runs right.

    soundness.py --delegraph PROGRAM --work FOLDER [--only KINDS] [--again] [--verbose]

Makes some hundred programs, runs them with the runtime of the wheel, and holds their outputs to
those of eager. A program with the numbers of eager must have no error, one with others must have
one. Programs stay below FOLDER with a manifest, as long as the scripts that make them stay.
"""

import argparse
import collections
import contextlib
import fcntl
import hashlib
import io
import json
import logging
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import shares

if os.environ.get("PYTHONHASHSEED") != "0":  # sets of names are walked in hash order
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, *sys.argv])

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "data"), str(TESTS / "oracle")]

SECONDS_TO_MAKE = 120
REFUSED = "refused"
KERNELS = "kernels.txt"  # of the wheel's runtime: more than the portable ones
# Faults that hang on the caller, or that only the program says: a warning or a note is all there
# can be.
TOLD_SOFTLY = {"memory/mutable-initial-state", "memory/io-all-or-none", "memory/buffer-from-caller"}
# Wrong, and nothing that the file holds says so.
NOT_IN_THE_FILE = {
    "xnnpack_static/twice_channels": "XNNPACK's quantized arithmetic is coarser than the steps",
    "pt2_edge/programs_layouts": "to_edge() copies what as_strided() then reads as if it were not",
}
BROKEN = ("wrong", "failed", "crashed")


def say(text):
    print(text, flush=True)


# Making


def digest_of_makers():
    """Names the folder of programs: other scripts make others."""
    names = ("oracle/sound_*.py", "oracle/random_programs.py", "oracle/recipes.py",
             "oracle/networks.py", "data/programs.py", "data/backends.py", "data/architectures.py")
    paths = sorted(path for name in names for path in TESTS.glob(name))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


class TooLong(Exception):
    pass


def out_of_time(number, frame):
    raise TooLong(f"not made in {SECONDS_TO_MAKE} seconds")


@contextlib.contextmanager
def quietly():
    """Converters print progress to both streams, some from C."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for number in (*kept, devnull):
            os.close(number)


def write_files(folder, files):
    for name, data in files.items():
        (folder / name).write_bytes(data)


def outcome_of(made, sound_runs):
    if made.stays_wrong:
        return sound_runs.WRONG, made.stays_wrong
    if made.why or made.verify is None:
        return sound_runs.NOT_HERE, made.why
    return sound_runs.in_child(made.verify)


def make_one(folder, kind, name, make):
    """A row of the manifest; the files of the program lie in `folder`."""
    import torch

    import sound_runs

    seed = int.from_bytes(hashlib.sha256(f"{kind} {name}".encode()).digest()[:4], "big")
    torch.manual_seed(seed)
    torch._dynamo.reset()
    row = {"kind": kind, "name": name, "files": [], "beside": []}
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(SECONDS_TO_MAKE)
    try:
        with quietly():
            made = make(random.Random(seed))
    except Exception as problem:
        text = str(problem).strip().split("\n")[0][:200]
        return {**row, "state": REFUSED, "why": f"{type(problem).__name__}: {text}"}
    finally:
        signal.alarm(0)
    folder.mkdir(parents=True, exist_ok=True)
    write_files(folder, made.files)
    write_files(folder, made.beside)
    state, why = outcome_of(made, sound_runs)
    return {**row, "files": list(made.files), "beside": list(made.beside), "state": state,
            "why": why}


def make_all(work, wanted):
    """Rows of the manifest; what is in it already is not made again."""
    import torch

    import sound_kinds
    import sound_lowering

    torch.set_num_threads(1)
    with quietly():
        kernels = sound_lowering.runtime_names()[1]
    (work / KERNELS).write_text("\n".join(sorted(kernels)) + "\n")
    path = work / "manifest.jsonl"
    known = {(row["kind"], row["name"]): row for row in read_manifest(work)}
    rows = []
    with path.open("a", encoding="utf-8") as manifest:
        for kind, name, make in sound_kinds.cases():
            if (wanted and kind not in wanted) or not shares.mine(f"{kind} {name}"):
                continue
            row = known.get((kind, name))
            if row is None:
                start = time.monotonic()
                row = make_one(work / kind / name, kind, name, make)
                row["seconds"] = round(time.monotonic() - start, 2)
                print(json.dumps(row), file=manifest, flush=True)
            rows.append(row)
    return rows


def read_manifest(work):
    path = work / "manifest.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


# Checking


def ask(delegraph, *words):
    done = subprocess.run(
        [delegraph, *map(str, words)], capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def findings(delegraph, *words):
    """Findings of one check, or what went wrong in words."""
    code, out, problem = ask(delegraph, "check", "--format", "json", "--exit-zero", *words)
    if code != 0:
        return None, f"check {' '.join(map(str, words))}: exit {code}: {problem}"
    return json.loads(out)["findings"], None


COMMANDS = (
    ("info",), ("info", "--format", "json"), ("ls",), ("ls", "--what", "nodes"), ("dot",),
    ("query", "@all"),
)  # fmt: skip


def failing_commands(delegraph, path):
    found = []
    for command in COMMANDS:
        words = [command[0], path, *command[1:]]
        if command == ("query", "@all"):
            words = ["query", path, "SELECT count(*) FROM v_node"]
        code, _, problem = ask(delegraph, *words)
        if code != 0:
            found.append(f"{' '.join(map(str, words))}: exit {code}: {problem[:300]}")
    return found


def ways_to_check(folder, row):
    """Command lines, each with a word for it, under which a right program has no error."""
    files = [folder / name for name in row["files"]]
    yield "", files
    is_program = files[0].suffix == ".pte"
    if is_program and row["state"] == "right":
        yield "--ops", [*files, "--ops", folder.parent.parent / KERNELS]
        if row["kind"] == "portable":
            yield "--ops portable", [*files, "--ops", "portable"]
        yield "--backends", [*files, "--backends", "XnnpackBackend"]
    for name in row["beside"]:
        yield f"--program {name}", [*files, "--program", folder / name]
    if "aten.pt2" in row["beside"]:
        yield "aten.pt2 alone", [folder / "aten.pt2"]
        yield "--for executorch aten.pt2 alone", [folder / "aten.pt2", "--for", "executorch"]
    if "lowered.pt2" in row["beside"]:
        yield "lowered.pt2 alone", [folder / "lowered.pt2"]


class Report:
    def __init__(self):
        self.faults = []
        self.wrong = []
        self.by_kind = collections.defaultdict(collections.Counter)
        self.warnings = collections.defaultdict(list)
        self.checks = 0

    def add_program(self, row):
        self.by_kind[row["kind"]][row["state"]] += 1

    def add_check(self, row, way, found):
        """Rules that name the fault of a wrong program; what it came from has none."""
        name = f"{row['kind']}/{row['name']} {way}".strip()
        self.checks += 1
        errors = [f for f in found if f["severity"] == "error"]
        self.by_kind[row["kind"]]["errors"] += len(errors)
        for finding in found:
            if finding["severity"] == "warning":
                self.warnings[finding["rule"]].append(f"{name}: {finding['message']}")
        if row["state"] in BROKEN and not way.endswith(".pt2 alone"):
            return {f["rule"] for f in found if f["severity"] == "error" or f["rule"] in TOLD_SOFTLY}
        self.faults += [f"{name}: {f['rule']}: {f['message']}" for f in errors]
        return set()

    def add_wrong(self, row, rules):
        name = f"{row['kind']}/{row['name']}"
        told = ", ".join(sorted(rules)) or f"no error: {NOT_IN_THE_FILE.get(name, 'a fault')}"
        self.wrong.append(f"{name}: {row['why'][:100]}: {told}")
        if rules or name in NOT_IN_THE_FILE:
            return
        self.faults.append(f"{name}: {row['state']} ({row['why'][:200]}), and no error says so")


def check_all(delegraph, work, rows):
    report = Report()
    for row in rows:
        report.add_program(row)
        if row["state"] == REFUSED:
            continue
        folder = work / row["kind"] / row["name"]
        rules = set()
        for way, words in ways_to_check(folder, row):
            found, problem = findings(delegraph, *words)
            if problem:
                report.faults.append(problem)
            else:
                rules |= report.add_check(row, way, found)
        if row["state"] in BROKEN:
            report.add_wrong(row, rules)
        for name in row["files"]:
            report.faults += failing_commands(delegraph, folder / name)
    return report


# Telling


STATES = ("right", "wrong", "failed", "crashed", "not run here", REFUSED)


def tell(report, rows, verbose):
    say(f"{'kind':24}{'made':>6}" + "".join(f"{s:>14}" for s in STATES) + f"{'errors':>8}")
    total = collections.Counter()
    for kind, counts in report.by_kind.items():
        made = sum(counts[s] for s in STATES) - counts[REFUSED]
        total += counts
        say(f"{kind:24}{made:6}" + "".join(f"{counts[s]:14}" for s in STATES)
            + f"{counts['errors']:8}")
    made = sum(total[s] for s in STATES) - total[REFUSED]
    say(f"{'all':24}{made:6}" + "".join(f"{total[s]:14}" for s in STATES) + f"{total['errors']:8}")
    for title, states in (("failed or crashed", ("failed", "crashed")), ("refused", (REFUSED,))):
        told = [r for r in rows if r["state"] in states]
        if told and (verbose or title != "refused"):
            say(f"\n{title}:")
            for row in told:
                say(f"  {row['kind']}/{row['name']}: {row['why'][:200]}")
    if report.wrong:
        say("\nnumbers that are not those of eager, and the errors found:")
        for text in report.wrong:
            say(f"  {text}")
    say("\nwarnings:")
    for rule, texts in sorted(report.warnings.items()):
        say(f"  {rule}: {len(texts)}, such as {texts[0][:200]}")
        for text in texts[1:] if verbose else []:
            say(f"    {text[:200]}")
    say("\nfaults:" if report.faults else "")
    for fault in report.faults:
        say(f"  {fault}")
    say(f"{made} programs, {total['right']} run with the numbers of eager, "
        f"{total['wrong']} with others; {report.checks} checks, {len(report.faults)} faults")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", help="kinds, with commas between them")
    parser.add_argument("--again", action="store_true", help="check what lies in FOLDER itself")
    parser.add_argument("--verbose", action="store_true", help="every warning, every refusal")
    return parser.parse_args()


def rows_of(options):
    """The folder of the programs and their rows; what lacks is made."""
    work = options.work.resolve() / ("" if options.again else digest_of_makers())
    work.mkdir(parents=True, exist_ok=True)
    wanted = set(options.only.split(",")) if options.only else None
    if options.again:
        return work, [r for r in read_manifest(work) if not wanted or r["kind"] in wanted]
    with (work / "lock").open("w") as lock:  # check_noise.py has the same programs
        fcntl.flock(lock, fcntl.LOCK_EX)
        return work, make_all(work, wanted)


def main():
    options = arguments()
    work, rows = rows_of(options)
    report = check_all(options.delegraph, work, rows)
    tell(report, rows, options.verbose)
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main())
