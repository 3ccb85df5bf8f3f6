"""What the real partitioners say of a saved program, beside what delegraph says of it."""

import json
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from types import SimpleNamespace

import torch
from executorch.exir.backend.utils import get_non_lowered_nodes
from torch.fx.node import _get_qualified_name

import facts
import random_partitions

XNNPACK_OPS = {
    "_softmax", "softmax", "abs", "add", "addmm", "avg_pool2d", "bmm", "cat", "ceil", "clamp",
    "conv1d", "conv2d", "convolution", "div", "elu", "exp", "floor", "gelu", "hardswish",
    "hardtanh", "leaky_relu", "linear", "log", "max_pool2d", "maximum", "mean", "minimum", "mm",
    "mul", "neg", "permute", "permute_copy", "pow", "prelu", "relu", "rsqrt", "sigmoid",
    "slice_copy", "sqrt", "sub", "tanh", "unsqueeze", "batch_norm",
    "_native_batch_norm_legit_no_training",
}  # fmt: skip
GETITEM = "_operator.getitem"


@dataclass
class Question:
    """One way to partition a program: for the real class and as delegraph's options."""

    mode: str
    supported: list = field(default_factory=list)  # names of nodes
    flags: list = field(default_factory=list)
    options: dict = field(default_factory=dict)
    groups: list | None = None

    def describe(self):
        return " ".join([self.mode, *self.flags])


class Calls:
    """The calls of a program that are no delegate's, by operator."""

    def __init__(self, program):
        self.graph = program.graph
        self.nodes = get_non_lowered_nodes(program.graph)
        self.by_op = defaultdict(list)
        for node in self.nodes:
            self.by_op[facts.operator_name(node.target)].append(node)

    def names(self, ops):
        return [node.name for node in self.nodes if facts.operator_name(node.target) in ops]

    def qualified(self, ops):
        return sorted({_get_qualified_name(n.target) for op in ops for n in self.by_op[op]})

    def sample(self, rng, most):
        ops = sorted(self.by_op)
        return rng.sample(ops, min(len(ops), rng.randint(1, most)))


def with_options(question, calls, rng):
    """Filters and names of operators that do not count."""
    single = rng.random() < 0.4
    non_compute, alone = (calls.sample(rng, 3) if rng.random() < 0.5 else [] for _ in range(2))
    question.options = {
        "allows_single_node_partition": single,
        "non_compute_ops": calls.qualified(non_compute),
        "allowed_single_node_partition_ops": calls.qualified(alone),
    }
    question.flags += ["--allow-single-node", "true" if single else "false"]
    if non_compute:
        question.flags += ["--non-compute-ops", ",".join(non_compute)]
    if alone:
        question.flags += ["--allowed-single-node-ops", ",".join(alone)]
    return question


def all_but(mode, calls, ops):
    supported = calls.names(set(calls.by_op) - set(ops))
    return Question(mode, supported, ["--unsupported-ops", ",".join(ops)] if ops else [])


def only(mode, calls, ops):
    return Question(mode, calls.names(ops), ["--supported-ops", ",".join(ops)])


def is_of_xnnpack(op):
    return op.split("::")[-1].split(".")[0] in XNNPACK_OPS


def questions(rng, program):
    """Every mode with several sets of supported operators."""
    calls = Calls(program)
    if not calls.nodes:
        return [Question("aoti")]
    few = calls.sample(rng, 3)
    half = calls.sample(rng, len(calls.by_op))
    backend = [op for op in sorted(calls.by_op) if is_of_xnnpack(op)] or half
    with_items = sorted({*backend, GETITEM} if GETITEM in calls.by_op else backend)
    asked = [
        Question("aoti"),
        all_but("torch", calls, []),
        all_but("torch", calls, calls.sample(rng, 1)),
        with_options(all_but("torch", calls, few), calls, rng),
        with_options(only("torch", calls, half), calls, rng),
        only("torch", calls, rng.choice([backend, with_items])),
    ]
    horizontal = all_but("torch", calls, few)
    horizontal.flags.append("--skip-horizontal-fusion")
    horizontal.options = {"skip_horizontal_fusion": True}
    asked.append(horizontal)
    for question in (all_but("group", calls, few), only("group", calls, with_items)):
        question.groups = random_partitions.random_groups(
            rng, program.graph, set(question.supported))
        asked.append(question)
    return asked


# The real classes


def without_tags(program):
    for node in program.graph.nodes:
        node.meta.pop("delegation_tag", None)


def expected(question, program):
    """Partitions, tags and whether the partitions have no cycle."""
    graph = program.graph
    without_tags(program)
    by_name = {node.name: node for node in graph.nodes}
    mode = "cbp" if question.mode == "torch" else question.mode
    options = {"allows_single_node_partition": True, **question.options}
    case = {"supported": question.supported, "options": options}
    groups = [[by_name[name] for name in group] for group in names_of(question.groups)]
    partitions = random_partitions.answer(mode, case, program.graph_module, program, groups)
    lists = random_partitions.lists_of(partitions, graph if mode == "group" else None)
    answer = {
        "partitions": [
            [part.id, [node.name for node in nodes]]
            for part, nodes in zip(partitions, lists, strict=True)
        ],
        "tags": random_partitions.tags_of(graph),
        "acyclic": random_partitions.is_acyclic(graph, lists),
    }
    without_tags(program)
    return answer


def names_of(groups):
    return [[node.name for node in group] for group in groups or []]


# delegraph


def ask(delegraph, *arguments, exits=(0,)):
    command = [delegraph, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in exits:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def said(delegraph, path, question, order):
    """The same three things as expected() has, from `delegraph partition`."""
    flags = list(question.flags)
    if question.groups is not None:
        listing = path.with_suffix(".groups.json")
        listing.write_text(json.dumps(names_of(question.groups)), encoding="utf-8")
        flags += ["--groups", listing]
    method = ask(delegraph, "partition", path, "--mode", question.mode, *flags,
                 "--format", "json", exits=(0, 1))["methods"][0]
    sort = (lambda names: sorted(names, key=order.get)) if question.mode == "group" else list
    return {
        "partitions": [[part["id"], sort(part["nodes"])] for part in method["partitions"]],
        "tags": method["tags"],
        "acyclic": method["acyclic"],
    }


def difference(want, came):
    """The first thing that is not the same, in words; None: nothing."""
    for what in want:
        if want[what] != came[what]:
            return f"{what}: expected {json.dumps(want[what])}, came {json.dumps(came[what])}"
    return None


def compare(delegraph, path, program, rng):
    """Partitionings compared, nodes in partitions, and differences."""
    order = {node.name: i for i, node in enumerate(program.graph.nodes)}
    tally = SimpleNamespace(asked=0, nodes=0, partitions=0, cyclic=0, late=0, differences=[])
    for question in questions(rng, program):
        want = random_partitions.timed(lambda *_: expected(question, program), None, None, 90)
        if want is None:
            tally.late += 1
            continue
        tally.asked += 1
        tally.partitions += len(want["partitions"])
        tally.nodes += sum(len(nodes) for _, nodes in want["partitions"])
        tally.cyclic += not want["acyclic"]
        differs = difference(want, said(delegraph, path, question, order))
        if differs:
            tally.differences.append(f"{path.name}: {question.describe()}: {differs}")
    return tally


def graphs_within(module, path=""):
    """The graph of a module and of its branches by path, as delegraph names them."""
    yield path, module.graph
    for name, child in module.named_children():
        lowered = name.startswith("lowered_module_")
        if isinstance(child, torch.fx.GraphModule) and not lowered:
            yield from graphs_within(child, f"{path}.{name}" if path else name)


def name_differences(delegraph, path, program):
    """Nodes whose names are not those that PyTorch loads."""
    rows = ask(delegraph, "query", path, "--format", "json",
               "SELECT graph, name FROM v_node ORDER BY graph_id, idx")["rows"]
    came = defaultdict(list)
    for row in rows:
        came[row["graph"]].append(row["name"])
    differences = []
    for place, graph in graphs_within(program.graph_module):
        want = [node.name for node in graph.nodes]
        if want != came[place]:
            differences.append(f"{path.name}: names of graph '{place}': expected {want}, "
                               f"came {came[place]}")
    return len(rows), differences
