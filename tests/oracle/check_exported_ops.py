"""Every operator of torch's op_db, exported whole, run by `delegraph run`, and compared.

For each entry and each dtype that it declares, samples are taken in turn: a module that makes
the one call goes through torch.export, is saved as a .pt2, and runs on the sample's inputs; its
outputs are judged against what torch computes eagerly. Counted are those that are equal, that
differ, that are not compared (with the reason), and that torch does not export. Writes a table,
and fails on differences that exported_ops_known.tsv does not explain. What torch exported and
computed is kept for a next time, as is, in a journal, what came of it.
"""
import argparse
import collections
import contextlib
import fnmatch
import json
import logging
import os
import signal
import subprocess
import sys
import time
import warnings
import zlib
from pathlib import Path

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

from check_run import clone, flat, save
from journal import Journal
from kept import Kept

KNOWN = Path(__file__).with_name("exported_ops_known.tsv")
RANDOM = "draws random numbers", "attention with dropout"
NOTHING_FINITE = "no element is finite"
SECONDS = 30  # for one export, and for one run
FOLDER = "x.npz", "y.npz", "p.pt2"


class TooLong(Exception):
    """An export that does not end."""


def stop(*_):
    raise TooLong


class Call(torch.nn.Module):
    """One call of an operator; tensors of the sample are its inputs, all else is fixed. It gives
    a list: torch does not save programs that give a torch.return_types."""

    def __init__(self, op, sample):
        super().__init__()
        arguments = (sample.input, sample.args, sample.kwargs)
        leaves, self.spec = pytree.tree_flatten(arguments)
        self.op = op
        self.fixed = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.inputs = tuple(leaves[i].detach() for i in self.places)

    def forward(self, *tensors):
        leaves = list(self.fixed)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        value, args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return flat(self.op(value, *args, **kwargs))


def entry_name(op):
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


class Entry:
    """The samples of an operator in one dtype, drawn one at a time."""

    def __init__(self, op, dtype):
        self.op, self.dtype = op, dtype
        self.name = f"{entry_name(op)}/{dtype_name(dtype)}"
        self.drawn = 0
        self.samples = None
        self.ended = False

    def next(self):
        """The next sample, the same in every run; None after the last. Fails where torch does."""
        torch.manual_seed(zlib.crc32(f"{self.name}/{self.drawn}".encode()))
        if self.samples is None:
            self.samples = iter(self.op.sample_inputs("cpu", self.dtype, requires_grad=False))
        self.drawn += 1
        sample = next(self.samples, None)
        self.ended = sample is None
        return sample


def entries(patterns, dtypes):
    for op in op_db:
        if any(fnmatch.fnmatch(entry_name(op), pattern) for pattern in patterns):
            for dtype in sorted(op.dtypes, key=str):
                if not dtypes or dtype_name(dtype) in dtypes:
                    yield Entry(op, dtype)


def first_line(error):
    return (str(error).strip().splitlines() or [""])[0]


@contextlib.contextmanager
def quiet():
    """Without the graphs that torch prints of what it does not export."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            yield


def exported(call):
    """The exported program, or the exception that torch raises."""
    signal.alarm(SECONDS)
    try:
        with quiet():
            return torch.export.export(call, call.inputs, strict=False)
    except Exception as error:
        return error
    finally:
        signal.alarm(0)


def has_f8(call):
    return any("float8" in str(t.dtype) for t in call.inputs)


def eager(call, seed):
    """What torch gives. Products of f8 are its own: oneDNN's, on processors that have them, give
    NaN instead of the largest number."""
    torch.manual_seed(seed)
    with torch.no_grad(), torch.backends.mkldnn.flags(enabled=not has_f8(call)):
        return [value.resolve_conj().resolve_neg() if isinstance(value, torch.Tensor) else value
                for value in call(*[clone(t) for t in call.inputs])]


def ask(delegraph, paths):
    """What delegraph says of the program: its exit status, and its JSON or its message."""
    inputs, outputs, program = paths
    try:
        done = subprocess.run([delegraph, "run", program, "--format", "json", "--inputs", inputs,
                               "--expected", outputs], capture_output=True, text=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "refused", f"takes more than {SECONDS} s"
    if done.returncode not in (0, 1):
        return "refused", f"exit {done.returncode}: {first_line(done.stderr)}"
    return judged(json.loads(done.stdout))


def agrees(output):
    """Whether an output is what torch gives. Of what is NaN all over `run` passes no verdict on
    the program, but torch has that in the same places: else it fails."""
    return output["verdict"] == "pass" or NOTHING_FINITE in str(output["why"])


def judged(answer):
    """(outcome, why) of an answer of delegraph."""
    outputs = [o for call in answer["calls"] for o in call["outputs"]]
    failed = [o for o in outputs if o["verdict"] == "fail"]
    if failed:
        return "differs", f"{failed[0]['why']} (SNR {failed[0]['snr_db']})"
    if outputs and all(map(agrees, outputs)):
        return "equal", "" if answer["summary"]["pass"] else NOTHING_FINITE
    steps = [reason(n["op"], n["why"]) for n in answer["not_compared"]]
    skipped = [str(o["why"]) for o in outputs if o["verdict"] == "skip"]
    return "not compared", min(steps or skipped or ["no outputs"])


def reason(op, why):
    if why in RANDOM:
        return "random"
    return f"{why}: {op}"


def make(folder, op, sample, seed):
    """The program with its inputs and outputs in the folder; (outcome, why) where there is none."""
    if any(isinstance(t, torch.Tensor) and t.layout != torch.strided
           for t in flat((sample.input, sample.args, sample.kwargs))):
        return "not compared", "sparse"
    call = Call(op.op, sample)
    program = exported(call)
    if isinstance(program, Exception):
        return "not exported", type(program).__name__
    paths = [str(folder / name) for name in FOLDER]
    try:
        outputs = eager(call, seed)
        if any(isinstance(t, torch.Tensor) and t.layout != torch.strided for t in outputs):
            return "not compared", "sparse"
        save(paths[0], "in", call.inputs)
        save(paths[1], "out", outputs)
        torch.export.save(program, paths[2])
    except Exception as error:
        return "not exported", f"{type(error).__name__} when run or saved"
    return None


def outcome(delegraph, kept, name, op, sample):
    """(outcome, why) of one sample."""
    folder, none = kept.folder(name, lambda folder: make(folder, op, sample, zlib.crc32(name.encode())))
    return none or ask(delegraph, [str(folder / file) for file in FOLDER])


def known_differences():
    """(pattern of a name, word of the outcome, cause) of each line."""
    lines = KNOWN.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


class Tally:
    def __init__(self):
        self.known = known_differences()
        self.counts = collections.Counter()
        self.reasons = collections.Counter()
        self.rows = collections.defaultdict(collections.Counter)

    def cause(self, name, kind):
        for pattern, word, cause in self.known:
            if word == kind and fnmatch.fnmatch(name, pattern):
                return cause
        return None

    def add(self, name, kind, why):
        if kind in ("differs", "refused"):
            cause = self.cause(name.rsplit("/", 1)[0], kind)
            if cause:
                kind, why = "known", cause
            else:
                print(f"{kind}: {name}: {why}"[:400], flush=True)
        self.counts[kind] += 1
        self.rows[name.rsplit("/", 1)[0]][kind] += 1
        if why and kind in ("equal", "not compared", "not exported", "known"):
            self.reasons[f"{kind}: {why}"] += 1

    def report(self, table, n_entries, n_unfinished):
        kinds = ["equal", "differs", "refused", "known", "not compared", "not exported"]
        with table.open("w", encoding="utf-8") as out:
            print("op", "dtype", *kinds, sep="\t", file=out)
            for name, row in sorted(self.rows.items()):
                print(*name.rsplit("/", 1), *[row[kind] for kind in kinds], sep="\t", file=out)
        for text, count in self.reasons.most_common():
            print(f"{count:6} {text}")
        print(f"{n_entries} operators by dtype, {n_unfinished} with samples left: "
              + "; ".join(f"{self.counts[kind]} {kind}" for kind in kinds))
        return 1 if self.counts["differs"] or self.counts["refused"] else 0


def rounds(found, most, until):
    """(entry, sample) one of each entry after another, so that time ends all alike."""
    while found:
        left = []
        for entry in found:
            if time.monotonic() > until or (most and entry.drawn >= most):
                continue
            try:
                sample = entry.next()
            except Exception as error:
                entry.ended = True
                yield entry, error
                continue
            if sample is not None:
                left.append(entry)
                yield entry, sample
        found = left


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--samples", type=int, default=0, help="of each entry; 0: all")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--ops", default="*", help="patterns of names, with commas")
    parser.add_argument("--dtypes", default="", help="names as of torch, with commas")
    return parser.parse_args()


def main():
    given = arguments()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, stop)
    given.work.mkdir(parents=True, exist_ok=True)
    kept = Kept(given.work / "programs", __file__)
    journal, tally = Journal(given.journal), Tally()
    found = list(entries(given.ops.split(","), set(filter(None, given.dtypes.split(",")))))
    until = time.monotonic() + 60 * given.minutes
    for entry, sample in rounds(found, given.samples, until):
        name = f"{entry.name}/{entry.drawn}"
        if isinstance(sample, Exception):
            tally.add(name, "not exported", f"no sample: {type(sample).__name__}")
            continue
        tally.add(name, *journal.answer(
            name, lambda: outcome(given.delegraph, kept, name, entry.op, sample)))
    return tally.report(given.work / "exported_ops.tsv", len(found),
                        sum(not entry.ended for entry in found))


if __name__ == "__main__":
    sys.exit(main())
