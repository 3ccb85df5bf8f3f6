"""Random graphs with the answers of the real partitioners, as cases for tests/cases/run_cases.

    random_partitions.py --seed N --count N [--first N] > cases.jsonl
"""

import argparse
import json
import logging
import operator
import random
import signal
import sys
import warnings
from collections import Counter
from types import SimpleNamespace

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import torch
from executorch.backends.aoti.aoti_partitioner import AotiPartitioner
from executorch.exir.backend.canonical_partitioners.group_partitioner import GroupBasedPartitioner
from executorch.exir.backend.utils import tag_constant_data, tag_mutated_buffer
from executorch.exir.delegate import executorch_call_delegate
from torch import fx
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.fx.node import _get_qualified_name
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import create_op_support
from torch.fx.passes.utils import fuser_utils

aten = torch.ops.aten
COMPUTE = (
    aten.relu.default,
    aten.add.Tensor,
    aten.mul.Tensor,
    aten.view.default,
    aten.view,
    aten.permute,
    torch.relu,
    operator.add,
)
PRODUCERS = (aten.split.Tensor, torch.split)
OPTION_OPS = [_get_qualified_name(target) for target in COMPUTE]
CONTROL = (torch.ops.higher_order.cond, torch.ops.higher_order.while_loop)
KINDS = {"parameters": InputKind.PARAMETER, "buffers": InputKind.BUFFER,
         "constants": InputKind.CONSTANT_TENSOR}


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong


class Growing:
    """A graph that grows node by node: five families decide what a node reads."""

    def __init__(self, rng, size):
        self.rng, self.size = rng, size
        self.graph = fx.Graph()
        self.family = rng.choice(("sparse", "layered", "skips", "chains", "dense"))
        self.values = []
        self.root = torch.nn.Module()
        self.root.sub = torch.nn.ReLU()
        self.root.weight = torch.nn.Parameter(torch.zeros(1))
        self.root.branch = fx.GraphModule(torch.nn.Module(), fx.Graph())
        self.prior = []

    def pick(self):
        """A node to read, the nearer ones more often in most families."""
        values, rng = self.values, self.rng
        if self.family == "sparse":
            return rng.choice(values)
        if self.family == "layered":
            return values[-rng.randint(1, min(8, len(values)))]
        if self.family == "skips":
            return values[-1] if rng.random() < 0.7 else rng.choice(values)
        if self.family == "chains":
            return values[-min(3, len(values))] if rng.random() < 0.85 else rng.choice(values)
        return values[-rng.randint(1, min(20, len(values)))]

    def add(self, node):
        self.values.append(node)
        return node

    def name(self):
        return f"n{len(self.graph.nodes)}"

    def create(self, op, target, args):
        return self.add(self.graph.create_node(op, target, args, {}, name=self.name()))

    def placeholder(self):
        name = self.name()
        return self.create("placeholder", name, ())

    def compute(self):
        n_inputs = self.rng.choice((1, 1, 2, 2, 2, 3))
        args = tuple(self.pick() for _ in range(n_inputs))
        target = self.rng.choice(COMPUTE)
        if target is operator.add:  # FX prints it as "{} + {}"
            args = (*args, self.pick())[:2]
        kind = self.rng.random()
        if kind < 0.04:
            return self.create("call_module", "sub", args)
        if kind < 0.08:
            return self.create("call_method", "relu", args)
        return self.create("call_function", target, args)

    def producer(self):
        """A tuple and some of its items; now and then items of items, an unused tuple, or a
        reader that is no getitem."""
        tuple_ = self.create("call_function", self.rng.choice(PRODUCERS), (self.pick(), 1))
        for index in range(self.rng.choice((0, 1, 2, 2, 3))):
            item = self.create("call_function", operator.getitem, (tuple_, index))
            if self.rng.random() < 0.15:
                self.create("call_function", operator.getitem, (item, 0))
        if self.rng.random() < 0.8:
            self.values.remove(tuple_)

    def delegate(self):
        lowered = self.create("get_attr", "weight", ())
        args = (lowered, *(self.pick() for _ in range(self.rng.randint(1, 3))))
        call = self.create("call_function", executorch_call_delegate, args)
        self.prior.append(call)
        for index in range(self.rng.choice((0, 1, 1, 2))):
            self.create("call_function", operator.getitem, (call, index))
        self.values.remove(lowered)
        if self.rng.random() < 0.9:
            self.values.remove(call)

    def control(self):
        branches = [self.create("get_attr", "branch", ()) for _ in range(2)]
        args = (self.pick(), *branches, (self.pick(),))
        self.create("call_function", self.rng.choice(CONTROL), args)
        for branch in branches:
            if self.rng.random() < 0.9:
                self.values.remove(branch)

    def grow(self, traits):
        for _ in range(self.rng.randint(1, 4)):
            self.placeholder()
        steps = [self.compute] * 12 + [self.producer] * 2
        if "delegates" in traits:
            steps += [self.delegate, self.control]
        while len(self.graph.nodes) < self.size:
            if self.rng.random() < 0.05:
                self.create("get_attr", "weight", ())
            self.rng.choice(steps)()
        ends = [node for node in self.values if not node.users]
        kept = [node for node in ends if self.rng.random() < 0.9] or self.values[-1:]
        self.graph.output(tuple(kept))
        self.shuffle_users()
        return fx.GraphModule(self.root, self.graph)

    def shuffle_users(self):
        if self.rng.random() < 0.5:
            return
        for node in self.graph.nodes:
            users = list(node.users)
            self.rng.shuffle(users)
            node.users = dict.fromkeys(users)


def random_signature(rng, graph):
    """Placeholders become parameters, buffers, constants; some buffers are written back."""
    kinds = {kind: [] for kind in KINDS}
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    for node in placeholders:
        if rng.random() < 0.75:
            kinds[rng.choice(list(KINDS))].append(node.name)
    mutated = [name for name in kinds["buffers"] if rng.random() < 0.5]
    inputs = [
        InputSpec(
            kind=next((KINDS[k] for k, names in kinds.items() if node.name in names),
                      InputKind.USER_INPUT),
            arg=TensorArgument(name=node.name),
            target=f"t.{node.name}",
            persistent=True,
        )
        for node in placeholders
    ]
    outputs = [
        OutputSpec(kind=OutputKind.BUFFER_MUTATION, arg=TensorArgument(name=f"new_{name}"),
                   target=f"t.{name}")
        for name in mutated
    ]
    return {**kinds, "mutated_buffers": mutated}, ExportGraphSignature(inputs, outputs)


def describe(graph):
    """Nodes as torch_cases.md has them."""
    position = {node: i for i, node in enumerate(graph.nodes)}
    rows = []
    for node in graph.nodes:
        function = node.op == "call_function"
        row = {
            "name": node.name,
            "op": node.op,
            "target": _get_qualified_name(node.target) if function else str(node.target),
            "inputs": [source.name for source in node.all_input_nodes],
        }
        users = list(node.users)
        if users != sorted(users, key=position.get):
            row["users"] = [user.name for user in users]
        rows.append(row)
    return rows


def is_acyclic(graph, sets):
    """Whether the graph with each set contracted can be ordered."""
    vertex = {node: node.name for node in graph.nodes}
    for number, nodes in enumerate(sets):
        vertex.update(dict.fromkeys(nodes, number))
    users = {v: set() for v in vertex.values()}
    for node in graph.nodes:
        users[vertex[node]].update(vertex[user] for user in node.users)
    waiting = Counter(w for v, ws in users.items() for w in ws if w != v)
    ready = [v for v in users if not waiting[v]]
    n_done = 0
    while ready:
        v = ready.pop()
        n_done += 1
        for w in users[v] - {v}:
            waiting[w] -= 1
            if not waiting[w]:
                ready.append(w)
    return n_done == len(users)


def random_options(rng):
    def some():
        return rng.sample(OPTION_OPS, rng.randint(1, 3)) if rng.random() < 0.4 else []

    return {
        "allows_single_node_partition": rng.random() < 0.65,
        "non_compute_ops": some(),
        "allowed_single_node_partition_ops": some(),
    }


def random_support(rng, graph):
    share = rng.uniform(0.3, 0.95)
    claims_inputs = rng.random() < 0.15
    names = []
    for node in graph.nodes:
        claimable = node.op.startswith("call") or (claims_inputs and node.op != "output")
        if claimable and rng.random() < share:
            names.append(node.name)
    if claims_inputs and rng.random() < 0.3:
        names.append("output")
    return names


def random_groups(rng, graph, supported):
    """Disjoint groups, mostly of supported nodes that lie near each other."""
    free = [node for node in graph.nodes if node.name in supported and node.op != "output"]
    groups = []
    for _ in range(rng.randint(1, 4)):
        if len(free) < 3:
            break
        start = rng.randrange(len(free))
        near = free[start : start + rng.randint(2, 10)]
        group = rng.sample(near, min(len(near), rng.randint(2, 4)))
        if len(group) > 1:
            groups.append(group)
            free = [node for node in free if node not in group]
    return groups


def support_of(names):
    names = set(names)
    return create_op_support(lambda modules, node: node.name in names)


def lists_of(partitions, graph=None):
    """Node names of each partition; in graph order where torch's own order is that of sets."""
    position = {node: i for i, node in enumerate(graph.nodes)} if graph else None
    result = []
    for partition in partitions:
        nodes = list(partition.nodes)
        result.append(sorted(nodes, key=position.get) if graph else nodes)
    return result


def tag_with_helpers(program, partitions):
    for partition in partitions:
        for node in partition.nodes:
            node.meta["delegation_tag"] = f"tag{partition.id}"
    if program.graph_signature:
        tag_constant_data(program)
        tag_mutated_buffer(program)


def tags_of(graph):
    tags = {node.name: node.meta.get("delegation_tag") for node in graph.nodes}
    return {name: tag for name, tag in tags.items() if tag is not None}


def answer(mode, case, module, program, groups):
    """The partitions that the real class proposes, after tagging the nodes."""
    options = case["options"]
    if mode == "aoti":
        recorded = []
        proposed = CapabilityBasedPartitioner.propose_partitions

        def record(self):
            recorded.extend(proposed(self))
            return recorded

        CapabilityBasedPartitioner.propose_partitions = record
        try:
            AotiPartitioner("CudaBackend", []).partition(program)
        finally:
            CapabilityBasedPartitioner.propose_partitions = proposed
        return recorded
    support = support_of(case["supported"])
    if mode == "group":
        partitioner = GroupBasedPartitioner(module, support, node_groups=groups, **options)
    else:
        skip = {"skip_horizontal_fusion": True} if mode == "cbp-skip-horizontal" else {}
        partitioner = CapabilityBasedPartitioner(module, support, **options, **skip)
    partitions = partitioner.propose_partitions()
    tag_with_helpers(program, partitions)
    return partitions


def partition_case(rng, name):
    mode = rng.choice(("cbp", "cbp", "cbp", "aoti", "aoti", "group", "cbp-skip-horizontal"))
    size = rng.choice((6, 10, 15, 20, 30, 45, 70))
    growing = Growing(rng, size)
    module = growing.grow({"delegates"} if mode == "aoti" else set())
    graph = module.graph
    case = {"name": name, "source": "random", "mode": mode, "options": random_options(rng),
            "nodes": describe(graph), "prior_delegates": [n.name for n in growing.prior]}
    signature = None
    if mode == "aoti":
        case["options"] = {"allows_single_node_partition": True, "non_compute_ops": [],
                           "allowed_single_node_partition_ops": []}
    else:
        case["supported"] = random_support(rng, graph)
    if mode == "aoti" or rng.random() < 0.5:
        case["signature"], signature = random_signature(rng, graph)
    groups = random_groups(rng, graph, case["supported"]) if mode == "group" else None
    if groups is not None:
        case["groups"] = [[node.name for node in group] for group in groups]
    program = SimpleNamespace(graph=graph, graph_module=module, graph_signature=signature)
    partitions = answer(mode, case, module, program, groups)
    lists = lists_of(partitions, graph if mode == "group" else None)
    case["expected"] = {
        "ids": [partition.id for partition in partitions],
        "partitions": [[node.name for node in nodes] for nodes in lists],
        "tags": tags_of(graph),
        "acyclic": is_acyclic(graph, lists),
    }
    return case


def random_sets(rng, graph):
    """Disjoint sets of calls: some lie together, some are scattered over the graph."""
    free = [node for node in graph.nodes if node.op == "call_function"]
    sets = []
    for _ in range(rng.randint(1, 5)):
        if not free:
            break
        start = rng.randrange(len(free))
        window = free[start : start + rng.choice((3, 6, len(free)))]
        chosen = rng.sample(window, min(len(window), rng.randint(1, 6)))
        sets.append(sorted(chosen, key=free.index))
        free = [node for node in free if node not in chosen]
    return sets


def first_failing(module, sets):
    """The set at which fusing one after another fails; None if all of them fuse."""
    calls = []
    fuse = fuser_utils.fuse_as_graphmodule

    def count(*args, **kwargs):
        calls.append(None)
        return fuse(*args, **kwargs)

    fuser_utils.fuse_as_graphmodule = count
    try:
        fuser_utils.fuse_by_partitions(module, [dict.fromkeys(nodes) for nodes in sets])
    except AssertionError as problem:
        if "found dependency cycles" not in str(problem):
            raise
        return len(calls) - 1
    finally:
        fuser_utils.fuse_as_graphmodule = fuse
    return None


def validate_case(rng, name):
    module = Growing(rng, rng.choice((6, 9, 12, 20, 30))).grow(set())
    sets = random_sets(rng, module.graph)
    case = {"name": name, "source": "random", "mode": "validate",
            "nodes": describe(module.graph),
            "sets": [[node.name for node in nodes] for nodes in sets]}
    convex = [fuser_utils.validate_partition(nodes) for nodes in sets]
    acyclic = is_acyclic(module.graph, sets)
    used = [[node for node in nodes if any(user not in nodes for user in node.users)]
            for nodes in sets]
    if not all(used):
        return None  # nothing reads the fused module: torch cannot place it
    case["expected"] = {"convex": convex, "acyclic": acyclic,
                        "failing": first_failing(module, sets)}
    return case


def timed(make, rng, name, seconds=10):
    """None where torch does not come back (its getitem pass can go round for ever)."""
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        return make(rng, name)
    except TooLong:
        return None
    finally:
        signal.alarm(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--validate", action="store_true", help="random plans, not partitioners")
    options = parser.parse_args()
    make = validate_case if options.validate else partition_case
    for number in range(options.first, options.first + options.count):
        name = f"random {options.seed} {number}"
        case = timed(make, random.Random(name), name)
        if case:
            print(json.dumps(case, separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
