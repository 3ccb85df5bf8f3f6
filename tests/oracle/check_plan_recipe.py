#!/usr/bin/env python3
"""The partitioner of doc/plan.md, as it stands there, over plans of `delegraph partition`.

Of programs in memory and of those that are loaded from their files: the nodes of each tag are
those of the real partitioner, lowering makes the partitions of the plan, and a plan that means
other nodes is refused.
"""

import argparse
import collections
import copy
import itertools
import json
import logging
import pathlib
import random
import re
import sys
import tempfile
import warnings

import torch

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import backends  # noqa: E402, F401: registers what plans name
import facts  # noqa: E402
import program_partitions  # noqa: E402
import program_plans  # noqa: E402
from executorch.exir import EdgeCompileConfig, EdgeProgramManager, to_edge  # noqa: E402
from executorch.exir.backend.backend_api import to_backend  # noqa: E402
from executorch.exir.lowered_backend_module import get_lowered_submodules  # noqa: E402
from executorch.exir.serde.serialize import load, save  # noqa: E402
from program_partitions import Calls, Question, all_but  # noqa: E402

TAG = "delegation_tag"
BACKEND = ["--backend-id", "DemoBackend"]
MOST_CALLS = 250  # of programs that are lowered


def recipe():
    """The names that the document's code defines."""
    text = (TESTS.parent / "doc" / "plan.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    names = {}
    exec(next(block for block in blocks if "class ByPlan" in block), names)  # noqa: S102
    return names


RECIPE = recipe()
ByPlan, operator, only_in_files = (
    RECIPE[name] for name in ("ByPlan", "operator", "only_in_files"))


# Programs


class Lists(torch.nn.Module):
    """Operators that return lists, of which all, some or none of the results are used."""

    def forward(self, x):
        a, b, c = torch.split(x, 2)
        d, _, _ = torch.split(torch.relu(x), 2)
        e, f = torch.chunk(x.sin(), 2, 1)
        return a + b, c * d.sum(), e - f, torch.unbind(x)[1].exp()


class Tuples(torch.nn.Module):
    """Results of tuples that nobody uses: their getitems are in the file alone."""

    def forward(self, x):
        values, _ = torch.topk(x, 3)
        _, places = torch.sort(x.cos())
        normed, _, _ = torch.native_layer_norm(x, [6], None, None, 1e-5)
        return values + 1, places, torch.max(normed, 1)[0] * 2


class Pools(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        first, _ = torch.nn.functional.max_pool2d(x, 2, return_indices=True)
        second, places = torch.nn.functional.max_pool2d(x, 2, return_indices=True)
        return first.sin() + second, places


class Branches(torch.nn.Module):
    def forward(self, x):
        def yes(x):
            return torch.topk(x, 4)[0].cos()

        def no(x):
            return torch.cat(torch.split(x, 2, 1), 1).sin()

        return torch.cond(x.sum() > 0, yes, no, (x.relu(),)) + 1


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(6))
        self.linear = torch.nn.Linear(6, 6)

    def forward(self, x):
        self.count.add_(x.sum(0))
        values, _ = torch.max(self.linear(x) + self.count, 1)
        return values.exp(), torch.var_mean(x, 1)[1]


CONFIG = EdgeCompileConfig(_check_ir_validity=False)


def edge(module, x):
    exported = torch.export.export(module.eval(), (x,))
    return to_edge(exported, compile_config=CONFIG).exported_program()


FRESH = {
    "lists": (Lists, (6, 6)), "tuples": (Tuples, (6, 6)), "pools": (Pools, (1, 2, 8, 8)),
    "branches": (Branches, (4, 4)), "counter": (Counter, (6, 6)),
}


def fresh(work):
    """Path, the program that was saved, and what loads it."""
    for name, (module, shape) in FRESH.items():
        program = edge(module(), torch.randn(shape))
        path = work / f"{name}.pt2"
        save(program, path)
        yield path, program, lambda path=path: load(path)


def shipped(pattern):
    for path in sorted((TESTS / "data").glob(pattern)):
        try:
            programs = facts.load_exported(path)
        except Exception:  # noqa: BLE001: archives of other things
            continue
        if list(programs) == ["model"]:
            yield path, None, lambda path=path: facts.load_exported(path)["model"]


# Checks


def tags_of(program):
    """The nodes of each tag, by their places in memory and in the graph of the method."""
    nodes = [node for node in program.graph.nodes if not only_in_files(node)]
    tags = collections.defaultdict(set)
    for place, node in enumerate(nodes):
        if TAG in node.meta:
            tags[node.meta[TAG]].add(place)
    return dict(tags)


def real_tags(question, program):
    program = copy.deepcopy(program)
    tags = program_partitions.expected(question, program)["tags"]
    for node in program.graph.nodes:
        if node.name in tags:
            node.meta[TAG] = tags[node.name]
    return tags_of(program)


def check_tags(question, plan, program):
    """A file has more nodes than the program it is of: ids differ, the sets do not."""
    tagged = copy.deepcopy(program)
    ByPlan(plan).partition(tagged)
    if question is None:
        return []
    came, want = tags_of(tagged), real_tags(question, program)
    same = sorted(map(sorted, came.values())) == sorted(map(sorted, want.values()))
    return [] if same else [f"tags: expected {want}, came {came}"]


def planned_ops(plan, in_memory):
    """What each delegate is to call, the delegates in no order."""
    method = json.loads(plan.read_text(encoding="utf-8"))["methods"]["forward"]
    ops = collections.defaultdict(list)
    for name, tag in method["tags"].items():
        known = method["nodes"][name]
        if known["op"] and "/" not in name and not (in_memory and known["position"] is None):
            ops[tag].append(known["op"])
    return collections.Counter(tuple(sorted(calls)) for calls in ops.values())


def lowered_ops(program):
    graphs = [module.original_module.graph
              for _, module, _ in get_lowered_submodules(program.graph_module)]
    return collections.Counter(
        tuple(sorted(filter(None, map(operator, graph.nodes)))) for graph in graphs)


def lowered_by(program, partitioner):
    """The program lowered, or why it is not."""
    try:
        return to_backend(copy.deepcopy(program), partitioner), None
    except Exception as error:  # noqa: BLE001: whatever lowering fails with
        return None, f"lowering: {type(error).__name__}: {error}"


def check_lowering(plan, program, in_memory, emits):
    lowered, why = lowered_by(program, ByPlan(plan))
    if why:
        by_name = program_plans.anyhow(plan)  # names are those of what is loaded
        return [why] if in_memory or not lowered_by(program, by_name)[1] else []
    came, want = lowered_ops(lowered), planned_ops(plan, in_memory)
    came -= lowered_ops(program)  # what was lowered before
    if came != want:
        return [f"lowered: expected {want}, came {came}"]
    if emits:
        EdgeProgramManager(lowered, compile_config=CONFIG).to_executorch()
    return []


def wrong_plans(plan, rng):
    """Plans of which one node has another operator, or is somewhere else."""
    text = json.loads(plan.read_text(encoding="utf-8"))
    nodes = text["methods"]["forward"]["nodes"]
    calls = sorted(name for name, known in nodes.items()
                   if known["op"] and known["position"] is not None)
    for change in ({"op": "aten::no_such.default"}, {"op": None}, {"position": 10**6},
                   {"position": 0}):
        wrong = [name for name in calls if not change.items() <= nodes[name].items()]
        if wrong:
            other = copy.deepcopy(text)
            other["methods"]["forward"]["nodes"][rng.choice(wrong)].update(change)
            path = plan.with_suffix(".wrong.json")
            path.write_text(json.dumps(other), encoding="utf-8")
            yield change, path


def check_refusals(plan, program, rng):
    texts = []
    for change, wrong in wrong_plans(plan, rng):
        try:
            ByPlan(wrong).partition(copy.deepcopy(program))
            texts.append(f"a node with {change} is not refused")
        except ValueError as refusal:
            if "the plan means" not in str(refusal):
                texts.append(f"a node with {change}: {refusal}")
    return texts


def can_lower(delegraph, path, plan):
    found = program_partitions.ask(
        delegraph, "check", path, "--plan", plan, "--format", "json", "--fail-on", "never",
        "--select", "partition,constant,control-flow,naming,delegate")["findings"]
    return not any(row["severity"] == "error" for row in found)


def questions(program, rng):
    """How plans are made, and what the real class is asked; None: a list of its own decides."""
    calls = Calls(program)
    asked = [all_but("torch", calls, calls.sample(rng, 3)) for _ in range(2)]
    asked += [all_but("torch", calls, []), Question("aoti")]
    yield from (([*question.flags, "--mode", question.mode], question) for question in asked)
    yield from ((["--backend", name], None) for name in ("xnnpack", "vulkan"))


class Tally:
    def __init__(self):
        self.plans = self.lowered = self.unused = 0
        self.differences = []

    def check(self, delegraph, path, programs, flags, question, rng, work):
        plan = work / f"{path.stem}.plan.json"
        program_partitions.ask(delegraph, "partition", path, *flags, *BACKEND, "--format", "json",
                               "-o", plan, exits=(0, 1))
        text = json.loads(plan.read_text(encoding="utf-8"))
        if not text["methods"]:
            return
        self.plans += 1
        self.unused += "_unused_" in json.dumps(text["methods"]["forward"]["nodes"])
        lowers = can_lower(delegraph, path, plan)
        for where, program in programs.items():
            texts = check_tags(question, plan, program) + check_refusals(plan, program, rng)
            if lowers and len(program.graph.nodes) < MOST_CALLS:
                texts += check_lowering(plan, program, where == "in memory", len(programs) > 1)
                self.lowered += 1
            self.differences += [f"{path.name} {' '.join(flags)} {where}: {t}" for t in texts]


def check_all(delegraph, work, rng, sources):
    tally = Tally()
    for path, program, loaded in sources:
        programs = {"loaded": loaded()} | ({"in memory": program} if program else {})
        for flags, question in questions(program or programs["loaded"], rng):
            tally.check(delegraph, path, programs, flags, question, rng, work)
        print(f"{path.name}: {tally.plans} plans, {tally.lowered} lowerings,"
              f" {len(tally.differences)} differences", flush=True)
    return tally


def check_others(delegraph, work):
    """A plan of another program is refused, whichever two programs it is."""
    texts, programs = [], {path: program for path, program, _ in fresh(work)}
    for path in programs:
        plan = work / "other.plan.json"
        program_partitions.ask(
            delegraph, "partition", path, *BACKEND, "--format", "json", "-o", plan)
        for other, program in programs.items():
            try:
                ByPlan(plan).partition(copy.deepcopy(program))
                refused = False
            except (ValueError, AttributeError):
                refused = True
            if refused == (path == other):
                texts.append(f"the plan of {path.name} for {other.name}: refused: {refused}")
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--shipped", default="*.pt2", metavar="GLOB", help="which of them, too")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)
    torch.manual_seed(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        tally = check_all(given.delegraph, work, random.Random(given.seed),
                          itertools.chain(fresh(work), shipped(given.shipped)))
        tally.differences += check_others(given.delegraph, work)
    for text in tally.differences:
        print(text)
    print(f"{tally.plans} plans, {tally.unused} with results that only the file names,"
          f" {tally.lowered} lowerings: {len(tally.differences)} differences")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
