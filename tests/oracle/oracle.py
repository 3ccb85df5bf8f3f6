"""Hold delegraph to the real libraries, on the shipped programs and on fresh ones.

    oracle.py --delegraph PROGRAM --work FOLDER [--budget MINUTES] [--seed N] [--fresh N]

Programs are made once and kept in FOLDER, so that a second run goes on where the first stopped.
"""

import argparse
import os
import sys

if os.environ.get("PYTHONHASHSEED") != "0":  # sets of names are walked in hash order
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, *sys.argv])

import hashlib
import itertools
import json
import logging
import random
import time
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)  # torch warns of itself from its import on

TESTS = Path(__file__).resolve().parent.parent
SHIPPED = TESTS / "data"
sys.path[:0] = [str(TESTS), str(SHIPPED)]

import torch

import architectures
import compare_facts
import fixtures
import make_data
import programs
import random_programs
import recipes

OTHER_RECIPES = (
    recipes.core,
    recipes.portable,
    recipes.delegated,
    recipes.xnnpack,
    recipes.edge,
)


def digest_of_sources():
    """Names the cache: other sources make other programs."""
    sources = sorted([*TESTS.glob("data/*.py"), *TESTS.glob("oracle/*.py")])
    text = b"".join(path.read_bytes() for path in sources) + torch.__version__.encode()
    return hashlib.sha256(text).hexdigest()[:16]


def say(text):
    print(text, flush=True)


class Clock:
    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes

    def is_over(self):
        return time.monotonic() >= self.end


# Making programs


def make_once(folder, name, make):
    """Write a program and its facts unless they, or the reason for none, are there already."""
    marker = folder / f"{name}.done"
    if marker.exists():
        return marker.read_text() == "made"
    try:
        make_data.write_fixture(folder, name, make)
        outcome = "made"
    except Exception as problem:  # the toolchain refuses what it cannot lower
        for left in folder.glob(f"{name}.*"):
            left.unlink()
        outcome = f"{type(problem).__name__}: {problem}"
    marker.write_text(outcome)
    return outcome == "made"


def sample_maker(make_sample, recipe, seed):
    return lambda name: recipe(name, make_sample(), random.Random(seed))


def random_maker(recipe, traits, seed):
    return sample_maker(lambda: random_programs.random_sample(seed, traits), recipe, seed)


def random_makers(seed):
    """Without end: each recipe in turn, with other ops each time."""
    for number in itertools.count():
        for recipe, traits in recipes.TRAITS.items():
            name = f"random_{recipe.__name__}_{seed}_{number}"
            yield name, random_maker(recipe, traits, f"{seed} {number} {recipe.__name__}")


def sample_makers(seed):
    """The modules of the shipped programs, saved in ways in which they are not shipped."""
    for recipe, (name, make) in itertools.product(OTHER_RECIPES, programs.SAMPLES.items()):
        full_name = f"{name}_{recipe.__name__}_{seed}"
        yield full_name, sample_maker(make, recipe, full_name)


def architecture_makers(seed):
    widths = {"resnet": 3, "mobilenet_v3": 12, "bert": 24, "llama": 32, "whisper_encoder": 24}
    for recipe, (name, width) in itertools.product(
        (recipes.exported, recipes.portable, recipes.lowered_edge), widths.items()
    ):
        make = architectures.ARCHITECTURES[name]
        full_name = f"{name}_{recipe.__name__}_{seed}"
        yield full_name, sample_maker(lambda make=make, w=width: make(w), recipe, full_name)


def alternating(*makers):
    """Some of each kind early, so that a small budget sees all kinds."""
    nothing = object()
    for row in itertools.zip_longest(*makers, fillvalue=nothing):
        yield from (item for item in row if item is not nothing)


def make_fresh(folder, wanted, seed, clock):
    """Names of the fresh programs that the toolchain made, as far as time reaches."""
    made, refused = [], 0
    endless = random_makers(seed)
    finite = alternating(sample_makers(seed), architecture_makers(seed))
    for name, make in alternating(endless, finite):
        if len(made) >= wanted or clock.is_over():
            break
        if make_once(folder, name, make):
            made.append(name)
        else:
            refused += 1
    say(f"fresh: {len(made)} programs; the toolchain refused {refused} more")
    return made


def make_shipped(folder, clock):
    """Differences: shipped programs that cannot be made again, and files that are not the same."""
    differences = []
    for name, make in fixtures.FIXTURES.items():
        if clock.is_over():
            say("shipped: out of time before all were made again; run once more to go on")
            return differences + changed_files(folder)
        if not make_once(folder, name, make):
            differences.append(f"{name}: {(folder / f'{name}.done').read_text()}")
    return differences + changed_files(folder) + orphans(folder)


# Comparing


def changed_files(folder):
    """Files made now that lie in tests/data with other contents, or do not lie there."""
    differences = []
    for path in sorted(folder.rglob("*.*")):
        committed = SHIPPED / path.relative_to(folder)
        if path.suffix == ".done" or path.name.split(".")[0] in fixtures.VARYING:
            continue
        if not committed.exists():
            differences.append(f"{path.name}: not in tests/data")
        elif committed.read_bytes() != path.read_bytes():
            differences.append(f"{path.name}: made anew it is another file")
    return differences


def orphans(folder):
    """Programs in tests/data that make_data.py does not make; check_mutants.py makes mutants/."""
    programs_there = [p for s in compare_facts.PROGRAM_SUFFIXES for p in SHIPPED.rglob(f"*{s}")]
    here = [path.relative_to(SHIPPED) for path in programs_there if path.parent.name != "mutants"]
    gone = [str(path) for path in here if not (folder / path).exists()]
    return [f"{name}: in tests/data, but nothing makes it" for name in sorted(gone)]


def false_alarms(delegraph, program):
    """Errors that `check` finds in a program that is right."""
    if program.name in fixtures.WRONG:
        return []
    try:
        arguments = ("check", "--format", "json", "--fail-on", "never", str(program))
        found = compare_facts.ask(delegraph, *arguments)["findings"]
    except (compare_facts.Refused, json.JSONDecodeError, KeyError, OSError) as problem:
        return [f"{program.name}: check gives no answer: {problem}"]
    return [
        f"{program.name}: check finds {row['rule']}: {row['message']}"
        for row in found
        if row["severity"] == "error"
    ]


def hold_to_facts(delegraph, folder):
    """Programs, facts and differences of every program in a folder."""
    n_programs = n_facts = 0
    differences = []
    for path in sorted(folder.rglob("*.facts.json")):
        program = compare_facts.program_beside(path)
        facts = json.loads(path.read_text(encoding="utf-8"))
        comparison = compare_facts.compare_program(delegraph, program, facts)
        n_programs += 1
        n_facts += comparison.facts
        differences += [program.name + text for text in comparison.differences]
        if path.parent == folder:  # not one of those that lowering refuses
            differences += false_alarms(delegraph, program)
    return n_programs, n_facts, differences


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--budget", type=float, default=30, help="minutes for making programs")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--fresh", type=int, default=150, help="fresh programs to make")
    return parser.parse_args()


def main():
    options = arguments()
    clock = Clock(options.budget)
    cache = options.work / digest_of_sources()
    shipped, fresh = cache / "shipped", cache / "fresh"
    for folder in (shipped, fresh):
        folder.mkdir(parents=True, exist_ok=True)
    differences = make_shipped(shipped, clock)
    made = make_fresh(fresh, options.fresh, options.seed, clock)
    counts = [hold_to_facts(options.delegraph, folder) for folder in (shipped, fresh)]
    n_programs, n_facts = (sum(column) for column in list(zip(*counts))[:2])
    differences += counts[0][2] + counts[1][2]
    for difference in differences:
        say(difference)
    say(f"{n_programs} programs, {n_facts} facts, {len(differences)} differences")
    return 1 if differences or not made else 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(main())
