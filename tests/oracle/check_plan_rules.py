#!/usr/bin/env python3
"""Random plans for small programs: `check` finds an error where executorch fails, and only
there. The seed is printed."""

import argparse
import json
import logging
import operator
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import warnings
from typing import final

import torch
from executorch.exir import EdgeCompileConfig, to_edge
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.partitioner import (
    DelegationSpec,
    Partitioner,
    PartitionResult,
)
from executorch.exir.serde.serialize import save

FAMILIES = "partition,constant,control-flow"


@final
class AnyBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(processed_bytes=b"anything")


class Plan(Partitioner):
    def __init__(self, tags, delegates):
        self.tags, self.delegates = tags, delegates

    def partition(self, exported_program):
        for node in exported_program.graph.nodes:
            if node.name in self.tags:
                node.meta["delegation_tag"] = self.tags[node.name]
        specs = {tag: DelegationSpec("AnyBackend", []) for tag in self.delegates}
        return PartitionResult(
            tagged_exported_program=exported_program, partition_tags=specs
        )


class Tuples(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("shared", torch.ones(4))
        self.register_buffer("unused", torch.ones(4))

    def forward(self, x):
        a = torch.relu(self.linear(x)) + self.shared
        values, indices = torch.max(a, 1)
        left, right = torch.split(torch.sin(a) * self.shared, 2, 1)
        return torch.cos(left) + right.sum() + values.sum(), indices


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x):
        self.count.add_(x.sum(0))
        y = torch.sin(x) + self.count
        z = torch.cos(y)
        return torch.relu(y * z), z.exp()


class Sizes(torch.nn.Module):
    def forward(self, x):
        n = x.shape[0]
        y = torch.relu(x).view(n, 2, 2).reshape(n * 2, 2)
        return torch.sin(y) + y, x.new_zeros(n * 2)


class Shared(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))
        self.norm = torch.nn.LayerNorm(4)

    def forward(self, x):
        a = self.norm(x) * self.weight
        b = torch.sin(a) * self.weight
        c = torch.cat([a, b, self.weight.unsqueeze(0)], 0)
        return torch.softmax(c, 1) * self.weight


ROWS = ({0: torch.export.Dim("rows", min=2, max=64)},)
PROGRAMS = [(Tuples(), None), (Counter(), None), (Sizes(), ROWS), (Shared(), None)]


def edge(number):
    module, shapes = PROGRAMS[number]
    exported = torch.export.export(
        module, (torch.randn(6, 4),), dynamic_shapes=shapes, strict=False
    )
    return to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))


def tag_calls(draw, calls, n_tags):
    """Stretches of the program, or anything anywhere."""
    tags, chance, stretches = {}, draw.choice([0.15, 0.4, 0.7, 0.95]), draw.random() < 0.4
    for place, node in enumerate(calls):
        number = place * n_tags // len(calls) if stretches else draw.randrange(n_tags)
        if draw.random() < chance:
            tags[node.name] = f"t{number}"
    if draw.random() < 0.7:
        for node in calls:
            if node.target is operator.getitem:
                tags.pop(node.name, None)
                if node.args[0].name in tags:
                    tags[node.name] = tags[node.args[0].name]
    return tags


def tag_others(draw, program, tags):
    signature = program.graph_signature
    constants = {
        *signature.inputs_to_parameters,
        *signature.inputs_to_buffers,
        *signature.inputs_to_lifted_tensor_constants,
    }
    tagged = draw.random() < 0.8
    for node in program.graph.nodes:
        users = sorted({tags[user.name] for user in node.users if user.name in tags})
        if node.name in constants:
            if tagged and users:
                tags[node.name] = users[0]
            elif tagged and not node.users and draw.random() < 0.3:
                tags[node.name] = "t0"
        elif node.op == "placeholder" and draw.random() < 0.02:
            tags[node.name] = "t0"
        elif node.op == "output" and draw.random() < 0.01:
            tags[node.name] = "t0"


def found_errors(delegraph, program, plan):
    command = [delegraph, "check", program, "--plan", plan, "--select", FAMILIES]
    done = subprocess.run(
        [*command, "--format", "json"], capture_output=True, text=True, timeout=60
    )
    findings = json.loads(done.stdout)["findings"]
    return sorted({f["rule"] for f in findings if f["severity"] == "error"})


def real_failure(manager, tags, delegates):
    try:
        manager.to_backend(Plan(tags, delegates)).to_executorch()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


def write_plan(path, tags, delegates):
    backends = {t: {"backend": "AnyBackend", "compile_specs": []} for t in delegates}
    method = {"delegates": backends, "tags": tags}
    plan = {"format": "delegraph-plan", "version": 1, "program_sha256": None}
    path.write_text(json.dumps({**plan, "methods": {"forward": method}}))


def compare(draw, delegraph, folder):
    """What differs, in words; None: nothing."""
    number = draw.randrange(len(PROGRAMS))
    manager = edge(number)
    program = manager.exported_program()
    n_tags = draw.choice([1, 2, 2, 3])
    calls = [n for n in program.graph.nodes if n.op == "call_function"]
    tags = tag_calls(draw, calls, n_tags)
    tag_others(draw, program, tags)
    delegates = [f"t{i}" for i in range(n_tags)]
    write_plan(folder / "plan.json", tags, delegates)
    errors = found_errors(delegraph, folder / f"{number}.pt2", folder / "plan.json")
    failure = real_failure(manager, tags, delegates)
    if bool(errors) == bool(failure):
        return None
    name = type(PROGRAMS[number][0]).__name__
    return f"{name} {tags}\n  found: {errors}\n  executorch: {failure}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delegraph", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    draw, differing = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number in range(len(PROGRAMS)):
            save(edge(number).exported_program(), folder / f"{number}.pt2")
        for _ in range(given.count):
            difference = compare(draw, given.delegraph.resolve(), folder)
            if difference:
                differing += 1
                print(difference)
    print(f"seed {given.seed}: {given.count} plans, {differing} differences")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
