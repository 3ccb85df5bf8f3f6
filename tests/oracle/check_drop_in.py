"""Hold delegraph.torch to the class of torch that it stands in for.

    check_drop_in.py --library FILE [--graphs N] [--seed N]

Both propose partitions of the same graphs: random ones, shipped programs with random support, and
those that ExecuTorch's own partitioners ask for while install() holds.
"""

import argparse
import collections
import os
import random
import sys
import warnings
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "data"), str(TESTS.parent / "python")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--graphs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


given = arguments()
os.environ["DELEGRAPH_LIBRARY"] = str(given.library.resolve())

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge
from executorch.exir.backend.canonical_partitioners.group_partitioner import (
    GroupBasedPartitioner,
)
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner

import delegraph.torch
from delegraph import _library
import programs
import random_partitions
from delegraph.torch import FastCapabilityBasedPartitioner, Slow
from delegraph.torch.group import Cyclic, FastGroupBasedPartitioner

warnings.simplefilter("ignore")
warnings.simplefilter("error", Slow)  # torch's own answers would be no comparison

MOST_NODES = 500  # of a shipped program: torch's own takes its time
tally = collections.Counter()


def fault(what, ours, theirs):
    tally["differ"] += 1
    print(f"{what}: differs\n  torch     {theirs}\n  delegraph {ours}", flush=True)


def rows(partitions):
    return [
        (partition.id, [(node.name, order) for node, order in partition.nodes.items()])
        for partition in partitions
    ]


def outcome(work):
    """What comes of it, or which error."""
    try:
        return work()
    except Exception as problem:
        return Raised(type(problem).__name__)


class Raised(str):
    """An error, by its class."""


def partitioner_of(kind, module, question):
    support = random_partitions.support_of(question["supported"])
    return kind(module, support, **question["options"])


def fused(partitioner):
    return partitioner.partition_and_fuse().code


def bookends(partitioner):
    partitions = partitioner.propose_partitions()
    partitioner.remove_bookend_non_compute_ops(partitions)
    return rows(partitions)


def random_question(rng, module):
    options = random_partitions.random_options(rng)
    if rng.random() < 0.2:
        options["skip_horizontal_fusion"] = True
    return {
        "supported": random_partitions.random_support(rng, module.graph),
        "options": options,
    }


def compare(what, make, question, ways):
    """Each way on modules of its own: fusing changes them."""
    for way in ways:
        answers = [
            outcome(lambda: way(partitioner_of(kind, make(), question)))
            for kind in (CapabilityBasedPartitioner, FastCapabilityBasedPartitioner)
        ]
        tally["raised" if isinstance(answers[0], Raised) else way.__name__] += 1
        if answers[0] != answers[1]:
            fault(f"{what}, {way.__name__}", answers[1], answers[0])


def propose(partitioner):
    return rows(partitioner.propose_partitions())


def random_module(name):
    rng = random.Random(name)
    return random_partitions.Growing(rng, rng.randint(3, 36)).grow(())


def check_random(seed, n_graphs):
    for number in range(n_graphs):
        name = f"drop-in {seed} {number}"
        question = random_question(random.Random(f"{name} asks"), random_module(name))
        ways = [propose] + [fused, bookends] * (number % 10 == 0)
        compare(name, lambda: random_module(name), question, ways)
        if number % 5000 == 4999:
            print(f"{number + 1} random graphs: {tally['differ']} differ", flush=True)


def grouped(kind, module, question, groups):
    support = random_partitions.support_of(question["supported"])
    options = {k: v for k, v in question["options"].items() if k != "skip_horizontal_fusion"}
    found = kind(module, support, node_groups=groups, **options).propose_partitions()
    return [(partition.id, set(partition.nodes)) for partition in found]


def is_lowered(graph, found):
    """Whether no partition waits for itself. to_backend() leaves a constant where it is, also where
    a partition has it: who reads it elsewhere waits for nothing."""
    calls = [{node for node in nodes if node.op != "placeholder"} for _, nodes in found]
    return random_partitions.is_acyclic(graph, calls)


def check_groups(seed, n_graphs):
    """Where ExecuTorch's answer is cyclic there is a warning and one that is not."""
    for number in range(n_graphs):
        name = f"groups {seed} {number}"
        module, rng = random_module(name), random.Random(f"{name} asks")
        question = random_question(rng, module)
        groups = random_partitions.random_groups(rng, module.graph, question["supported"])
        theirs = grouped(GroupBasedPartitioner, module, question, groups)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", Cyclic)
            ours = grouped(FastGroupBasedPartitioner, module, question, groups)
        warned = any(issubclass(one.category, Cyclic) for one in told)
        cyclic = not is_lowered(module.graph, theirs)
        valid = is_lowered(module.graph, ours)
        tally["groups"] += 1
        tally["cyclic"] += cyclic
        if warned != cyclic or (ours != theirs if not cyclic else not valid):
            fault(f"{name}, cyclic: {cyclic}, warned: {warned}", ours, theirs)


def shipped():
    for path in sorted((TESTS / "data").glob("*.pt2")):
        try:
            module = torch.export.load(path).graph_module
        except Exception:
            continue  # custom operators, or what exir alone reads
        if len(module.graph.nodes) <= MOST_NODES:
            yield path.name, module


def exported():
    for name, make in programs.SAMPLES.items():
        sample = make()
        try:
            program = torch.export.export(
                sample.module, sample.args, sample.kwargs, dynamic_shapes=sample.dynamic,
                strict=sample.strict,
            )
            yield name, program.run_decompositions().graph_module
        except Exception:
            continue


def check_programs(seed):
    for name, module in (*shipped(), *exported()):
        tally["programs"] += 1
        rng = random.Random(f"{name} {seed}")
        for _ in range(3):
            compare(name, lambda: module, random_question(rng, module), [propose])


class Small(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.first = torch.nn.Conv2d(3, size, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(size)
        self.last = torch.nn.Linear(size, 4)

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        y = y + torch.sin(y)
        return torch.softmax(self.last(y.mean((2, 3))), -1), torch.erf(y)


def tags_of_xnnpack(size):
    torch.manual_seed(0)
    edge = to_edge(torch.export.export(Small(size).eval(), (torch.rand(1, 3, 8, 8),)))
    tagged = XnnpackPartitioner().partition(edge.exported_program()).tagged_exported_program
    return random_partitions.tags_of(tagged.graph)


def check_installed():
    """ExecuTorch's partitioners are made from torch's."""
    for size in (4, 8, 16):
        theirs = tags_of_xnnpack(size)
        before = tally["asked"]
        with delegraph.torch.installed():
            ours = tags_of_xnnpack(size)
        if tally["asked"] == before:
            fault("XnnpackPartitioner", "libdelegraph was not asked", "")
        tally["installed"] += 1
        if ours != theirs or not theirs:
            fault(f"XnnpackPartitioner, {size} channels", ours, theirs)


def count_questions():
    """What answers is libdelegraph, or the comparison says nothing."""
    partition = _library.partition

    def counted(*words, **named):
        tally["asked"] += 1
        return partition(*words, **named)

    _library.partition = counted


class Own(GroupBasedPartitioner):
    def _can_merge_partitions(self, p1, p2, partitions_by_id):
        return False


def slow(work):
    """What comes of it, and whether torch's own code was said to answer."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        answer = work()
    return answer, any(issubclass(one.category, Slow) for one in told)


def check_left_to_torch():
    """Where the originals answer, with a warning, and are right."""
    module = random_module("left")
    question = random_question(random.Random(0), module)
    question["options"].pop("skip_horizontal_fusion", None)
    want = grouped(Own, module, question, None)
    early = partitioner_of(CapabilityBasedPartitioner, module, question)
    with delegraph.torch.installed():
        with delegraph.torch.installed():
            pass
        own = slow(lambda: grouped(Own, module, question, None))
        still = tally["asked"]
        propose(partitioner_of(CapabilityBasedPartitioner, module, question))
        nested = tally["asked"] > still
        made_before = slow(lambda: propose(early))
    calls = [n for n in module.graph.nodes if n.op == "call_function"]
    reader = next(n for n in reversed(calls) if any(i in calls for i in n.all_input_nodes))
    source = next(i for i in reader.all_input_nodes if i in calls)
    source.prepend(reader)  # out of order
    unordered = slow(lambda: propose(
        partitioner_of(FastCapabilityBasedPartitioner, module, question)))
    theirs = propose(partitioner_of(CapabilityBasedPartitioner, module, question))
    for what, holds in (
        ("a step of its own", own == (want, True)),
        ("installed() within installed()", nested),
        ("made before install()", made_before[1]),
        ("a graph out of order", unordered == (theirs, True)),
    ):
        tally["corners"] += 1
        if not holds:
            fault(what, "", "")


def check_corners():
    """Where no comparison can be made in the usual way."""
    module = random_module("corner")
    question = {"supported": [n.name for n in module.graph.nodes if n.op == "call_function"],
                "options": {"allows_single_node_partition": True}}
    before = partitioner_of(CapabilityBasedPartitioner, module, question)
    want = propose(before)
    delegraph.torch.install()
    between = partitioner_of(CapabilityBasedPartitioner, module, question)
    got = {"made while installed": propose(between)}
    delegraph.torch.uninstall()
    got["made while installed, asked afterwards"] = propose(between)
    got["back"] = propose(partitioner_of(CapabilityBasedPartitioner, module, question))

    fast = partitioner_of(FastCapabilityBasedPartitioner, module, question)
    stale = partitioner_of(CapabilityBasedPartitioner, module, question)
    first = next(n for n in module.graph.nodes if n.op == "call_function")
    with module.graph.inserting_after(first):
        module.graph.call_function(torch.relu, (first,))
    for what, answer in got.items():
        if answer != want:
            fault(what, answer, want)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if propose(fast) != propose(stale):
            fault("a graph that changed", propose(fast), propose(stale))
    if not any(issubclass(one.category, Slow) for one in told):
        fault("a graph that changed", "no warning", "a warning")
    tally["corners"] += len(got) + 2


def main():
    count_questions()
    check_corners()
    check_left_to_torch()
    check_installed()
    check_programs(given.seed)
    check_random(given.seed, given.graphs)
    check_groups(given.seed, given.graphs)
    print(f"drop-in, seed {given.seed}: {tally['propose']} proposals, {tally['fused']} fused, "
          f"{tally['bookends']} without bookends, {tally['programs']} programs, "
          f"{tally['groups']} with groups, {tally['cyclic']} of them cyclic, "
          f"{tally['installed']} by ExecuTorch, {tally['corners']} corners, {tally['raised']} raised by both: "
          f"{tally['differ']} differ")
    enough = tally["programs"] >= 60 and tally["cyclic"] and tally["propose"] >= given.graphs
    return 0 if enough and not tally["differ"] else 1


if __name__ == "__main__":
    sys.exit(main())
