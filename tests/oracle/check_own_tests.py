"""Run ExecuTorch's own tests of partitioners with delegraph.torch.install(), and without.

    check_own_tests.py --library FILE [--work FOLDER] [--seconds N] [MODULE...]

Each module of tests runs in a process of its own, with it and, where not all tests pass, without; a
test that passes without must pass with. Those that fail both ways want what this machine has not,
and are counted. libdelegraph
must have been asked in each module that counts, and torch's own code never: what does not call a
partitioner of torch shows nothing. FOLDER keeps verdicts, and what libdelegraph was asked: as long as
it answers that as it did, a module that ran is not run again.
"""

import argparse
import importlib
import json
import os
import pickle
import random
import signal
import sys
import unittest
import warnings
from pathlib import Path

import torch

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS.parent / "python"))

import shares
import sources
from kept import Kept

ROOT = "executorch"
GLOBS = (
    "exir/backend/test/**/test_*.py", "exir/program/test/test_*.py",
    "exir/tests/test_propagate_device_pass.py", "exir/tests/test_remove_unused_parameters_pass.py",
    "exir/tests/test_serde.py", "backends/xnnpack/test/**/test_*.py",
    "backends/*/test*/**/test_*partition*.py",
)  # fmt: skip


def modules():
    """Names of those that speak of partitions."""
    import executorch

    base = Path(executorch.__path__[0])
    found = {path for glob in GLOBS for path in base.glob(glob)}
    return [".".join((ROOT, *path.relative_to(base).with_suffix("").parts))
            for path in sorted(found) if b"artition" in path.read_bytes() and shares.mine(path.name)]


class Verdicts(unittest.TestResult):
    """What became of each test."""

    def __init__(self):
        super().__init__()
        self.of = {}

    def startTest(self, test):
        """Some tests pass with most random numbers only: both ways see the same ones."""
        super().startTest(test)
        random.seed(0)
        torch.manual_seed(0)
        self.of[test.id()] = "pass"

    def addError(self, test, error):
        super().addError(test, error)
        self.of[test.id()] = f"{error[0].__name__}: {error[1]}"[:300]

    def addFailure(self, test, error):
        self.addError(test, error)

    def addSubTest(self, test, part, error):
        if error:
            self.addError(test, error)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.of[test.id()] = "skip"


class Questions:
    """What libdelegraph is asked, and what it answers, in a file."""

    def __init__(self, path):
        from delegraph import _library

        self.path, self.real = path, _library.partition

    def answer(self, arguments):
        try:
            return self.real(*arguments)
        except Exception as problem:
            return problem

    def listen(self):
        """From now on, what is asked is written down."""
        from delegraph import _library

        def partition(*arguments):
            asked, answer = pickle.dumps(arguments), self.answer(arguments)
            with self.path.open("ab") as file:
                pickle.dump((asked, shown(answer)), file)
            if isinstance(answer, Exception):
                raise answer
            return answer

        _library.partition = partition

    def each(self):
        if self.path.exists():
            with self.path.open("rb") as file:
                while file.peek(1):
                    yield pickle.load(file)

    def have_these_answers(self):
        return all(shown(self.answer(pickle.loads(asked))) == answer for asked, answer in self.each())


def shown(answer):
    """An answer, or the error in its place, as bytes that can be compared."""
    if isinstance(answer, Exception):
        answer = type(answer).__name__, str(answer)
    return repr(answer).encode()


def tell(name, questions):
    """Verdicts, and how often libdelegraph was asked and was not; without `questions`, of torch alone."""
    import delegraph.torch

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if questions:
            questions.listen()
            delegraph.torch.install()
        suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name))
        verdicts = Verdicts()
        suite.run(verdicts)
    slow = [str(one.message) for one in told if issubclass(one.category, delegraph.torch.Slow)]
    asked = sum(1 for _ in questions.each()) if questions else 0
    return {"of": verdicts.of, "asked": asked, "slow": slow[:1]}


class Ended(Exception):
    """A process that gave nothing."""


def in_child(seconds, work, *arguments):
    """What work() gives in a process of its own."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        os.close(here)
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        signal.alarm(seconds)
        try:
            answer = work(*arguments)
        except BaseException as problem:  # a module that cannot be loaded is told, too
            answer = f"{type(problem).__name__}: {problem}"
        with os.fdopen(there, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(there)
    with os.fdopen(here) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if not text:
        raise Ended(f"ended with status {status}")
    return json.loads(text)


def run(kept, name, installed, seconds):
    """What tell() gives; a text where it gave nothing."""
    kind = f"{name} {'with' if installed else 'without'}"

    def make(folder):
        return in_child(seconds, tell, name, Questions(folder / "questions") if installed else None)

    try:
        folder, told = kept.folder(kind, make)
        if installed and in_child(seconds, Questions(folder / "questions").have_these_answers) is not True:
            kept.forget(kind)
            folder, told = kept.folder(kind, make)
        return told
    except Ended as why:
        kept.forget(kind)
        return str(why)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("modules", nargs="*")
    given = parser.parse_args()
    os.environ["DELEGRAPH_LIBRARY"] = str(given.library.resolve())
    # Once, for all children.
    import executorch.exir  # noqa: F401
    import delegraph.torch.group  # noqa: F401

    kept = Kept(given.work, __file__, sources.package())
    n_modules = n_tests = n_asked = n_faults = n_unable = 0
    for name in given.modules or modules():
        ours = run(kept, name, True, given.seconds)
        if isinstance(ours, str) or not ours["asked"]:
            why = ours if isinstance(ours, str) else "asks for no partitions"
            print(f"{name}: {why.splitlines()[0][:120]}", flush=True)
            continue
        other = [test for test, verdict in ours["of"].items() if verdict != "pass"]
        theirs = run(kept, name, False, given.seconds) if other else ours
        if isinstance(theirs, str):
            print(f"{name}: without: {theirs[:200]}", flush=True)
            continue
        faults = [f"{test}: {ours['of'].get(test)}" for test, verdict in theirs["of"].items()
                  if verdict == "pass" and ours["of"].get(test) != "pass"]
        faults += ours["slow"]
        n_modules += 1
        n_asked += ours["asked"]
        n_tests += sum(verdict == "pass" for verdict in theirs["of"].values())
        n_unable += sum(verdict not in ("pass", "skip") for verdict in theirs["of"].values())
        n_faults += len(faults)
        print(f"{name}: {len(ours['of'])} tests, asked {ours['asked']} times", *faults,
              sep="\n  ", flush=True)
    print(f"own tests: {n_modules} modules, {n_tests} tests pass, {n_faults} of them only without; "
          f"{n_unable} fail both ways; libdelegraph was asked {n_asked} times")
    return 0 if n_modules and not n_faults else 1


if __name__ == "__main__":
    sys.exit(main())
