#!/usr/bin/env python3
"""Copies of views in fresh programs: `check` says which could be views, and of which
ExecuTorch's pass makes views wrongly. The real pass says what it does; what a program
computes with a view in the place of a copy says who is right. The seed is printed."""

import argparse
import copy
import json
import logging
import operator
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings

import torch
from executorch.backends.aoti.passes.replace_view_copy_with_view import (
    ReplaceViewCopyWithViewPass,
)
from executorch.exir import to_edge
from executorch.exir.serde.serialize import save as save_edge
from torch.export.graph_signature import InputKind, OutputKind

aten = torch.ops.aten
ROWS, COLUMNS = 4, 6


def is_copy(node):
    return node.op == "call_function" and view_of(node.target) is not None


def view_of(target):
    """The view of which an operator is the copying twin; None if it is none."""
    schema = getattr(target, "_schema", None)
    match = re.fullmatch(r"aten::(?!lift_fresh)(\w+)_copy", schema.name) if schema else None
    packet = getattr(aten, match[1], None) if match else None
    overload = getattr(packet, schema.overload_name or "default", None) if packet else None
    return overload if overload is not None and overload.is_view else None


# Random programs: straight lines of copies, views, writes and arithmetic.

def copies(rng, t):
    choices = [lambda: aten.alias_copy(t), lambda: aten.detach_copy(t),
               lambda: aten.unsqueeze_copy(t, 0), lambda: aten.view_copy(t, [t.numel()])]
    if t.dim():
        dim = rng.randrange(t.dim())
        n = t.shape[dim]
        start = rng.randrange(n)
        choices += 4 * [lambda: aten.slice_copy(t, dim, start, rng.randint(start + 1, n),
                                                rng.choice((1, 1, 2)))]
        choices += 3 * [lambda: aten.select_copy(t, dim, rng.randrange(n))]
        choices += 2 * [lambda: rng.choice(aten.split_copy(t, max(1, n // 2), dim))]
        choices += [lambda: rng.choice(aten.unbind_copy(t, dim)),
                    lambda: aten.permute_copy(t, rng.sample(range(t.dim()), t.dim())),
                    lambda: aten.expand_copy(t, [2, *t.shape]),
                    lambda: aten.squeeze_copy(t)]
    if t.dim() >= 2:
        choices += [lambda: aten.transpose_copy(t, 0, 1), lambda: aten.diagonal_copy(t)]
    return rng.choice(choices)()


def views(rng, t):
    choices = [lambda: aten.alias(t), lambda: aten.unsqueeze(t, 0)]
    if t.dim():
        dim = rng.randrange(t.dim())
        n = t.shape[dim]
        start = rng.randrange(n)
        choices += [lambda: aten.slice(t, dim, start, rng.randint(start + 1, n)),
                    lambda: aten.select(t, dim, rng.randrange(n)),
                    lambda: rng.choice(aten.split(t, max(1, n // 2), dim)),
                    lambda: aten.permute(t, rng.sample(range(t.dim()), t.dim()))]
    if t.is_contiguous():
        choices.append(lambda: aten.view(t, [t.numel()]))
    return rng.choice(choices)()


def writes(rng, pool):
    t = rng.choice(pool)
    other = rng.choice(pool)
    choices = [lambda: t.add_(1), lambda: t.mul_(-2), lambda: t.sub_(0.5),
               lambda: t.fill_(rng.random()), lambda: aten._foreach_add_([t], 3),
               lambda: aten._foreach_mul_([t, torch.zeros(2)], 3)]
    if t.dim():
        choices.append(lambda: t.index_put_([torch.arange(t.shape[0])], torch.ones(())))
    if other.shape == t.shape:
        choices.append(lambda: t.copy_(torch.cos(other)))
    return rng.choice(choices)()


class Line(torch.nn.Module):
    def __init__(self, seed, steps):
        super().__init__()
        self.seed, self.steps = seed, steps
        self.register_buffer("state", torch.randn(ROWS, COLUMNS))
        self.register_buffer("table", torch.randn(ROWS, COLUMNS))

    def step(self, rng, pool):
        kind = rng.choices(("copy", "view", "write", "compute"), (5, 2, 3, 3))[0]
        if kind == "write":
            return writes(rng, [t for t in pool if t.numel() > 1])
        t = rng.choice(pool)
        if kind == "copy":
            return copies(rng, t)
        if kind == "view":
            return views(rng, t)
        return rng.choice((torch.sin, torch.relu, lambda a: a * 3 + 1))(t)

    def forward(self, x):
        rng = random.Random(self.seed)
        fresh = torch.sin(x)
        pool = rng.sample([self.state, self.table, x, fresh, torch.cos(fresh)],
                          rng.randint(2, 4))
        for _ in range(self.steps):
            made = self.step(rng, pool)
            if isinstance(made, torch.Tensor) and made.numel() > 1:
                pool.append(made)
        kept = rng.sample(pool, min(len(pool), rng.randint(2, 5)))
        return tuple(torch.sin(t) if rng.random() < 0.5 else t for t in kept)


# Functional programs of the edge dialect, whose buffers are written back at the end.

class Cache(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.register_buffer("keys", torch.randn(ROWS, COLUMNS))

    def forward(self, x):
        old = torch.slice_copy(self.keys, 0, 1, 3)
        row = torch.select_copy(self.keys, 0, 0)
        self.keys[1:3] = x[0:2] * 2
        new = self.keys[:, 2:4].t().reshape(-1)
        outputs = {"old": (old, row + 1), "new": (new,), "both": (old, new, row.exp())}
        return outputs[self.kind]


class Rolled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.randn(ROWS, COLUMNS))

    def forward(self, x):
        self.window.copy_(torch.cat([self.window[1:], x[:1]]))
        return self.window.mean(0), x.permute(1, 0)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(COLUMNS, 3 * COLUMNS)

    def forward(self, x):
        q, k, v = (t.view(ROWS, 2, COLUMNS // 2).transpose(0, 1)
                   for t in self.qkv(x).split(COLUMNS, -1))
        scores = (q @ k.transpose(1, 2)).softmax(-1)
        return (scores @ v).transpose(0, 1).reshape(ROWS, COLUMNS)


class Shifted(torch.nn.Module):
    def forward(self, x):
        left, right = x.chunk(2, 1)
        x.add_(1)
        return torch.stack([left, right])[0], x[2].expand(3, -1), x.unsqueeze(0).squeeze()


def edge_modules():
    for kind in ("old", "new", "both"):
        yield Cache(kind)
    yield from (Rolled(), Attention(), Shifted())


# Running a program as torch.export's own module does: all, then the updates in order.

def first_inputs(program):
    state = {**program.state_dict, **program.constants}
    torch.manual_seed(7)
    return [torch.randn(ROWS, COLUMNS) if spec.kind == InputKind.USER_INPUT
            else state[spec.target].clone() for spec in program.graph_signature.input_specs]


def run(program, graph_module, inputs):
    """Outputs, after the updates."""
    signature = program.graph_signature
    places = {spec.arg.name if spec.kind == InputKind.USER_INPUT else spec.target: i
              for i, spec in enumerate(signature.input_specs)}
    outputs = graph_module(*inputs)
    for spec, value in zip(signature.output_specs, outputs):
        if spec.kind != OutputKind.USER_OUTPUT:
            inputs[places[spec.target]].copy_(value)
    return [value for spec, value in zip(signature.output_specs, outputs)
            if spec.kind == OutputKind.USER_OUTPUT]


def observe(program, graph_module):
    """What a run shows: results and state; and what becomes of the results once whoever
    comes next writes what the program writes."""
    inputs = first_inputs(program)
    versions = [t._version for t in inputs]
    with torch.no_grad():
        results = run(program, graph_module, inputs)
        seen = [t.clone() for t in [*results, *inputs]]
        for t, version in zip(inputs, versions):
            if t._version != version:
                t.add_(torch.linspace(1, 2, t.numel()).reshape(t.shape))
    return [*seen, *results]


def same(a, b):
    return all(x.shape == y.shape and torch.allclose(x, y, rtol=1e-5, equal_nan=True)
               for x, y in zip(a, b))


def with_views(graph_module, names):
    changed = copy.deepcopy(graph_module)
    for node in changed.graph.nodes:
        if node.name in names:
            node.target = view_of(node.target)
    changed.recompile()
    return changed


def equal_with(program, expected, names):
    try:
        return same(expected, observe(program, with_views(program.graph_module, names)))
    except RuntimeError:
        return False


def replaced_by_pass(program):
    graph_module = copy.deepcopy(program.graph_module)
    ReplaceViewCopyWithViewPass()(graph_module)
    before = {n.name: n.target for n in program.graph.nodes}
    return {n.name for n in graph_module.graph.nodes if n.target != before[n.name]}


def ask(delegraph, path):
    result = subprocess.run(
        [delegraph, "check", "--select", "cuda", "--format", "json", path],
        capture_output=True, text=True)
    if result.returncode > 1:
        raise SystemExit(f"{path}: {result.stderr}")
    return json.loads(result.stdout)["findings"]


class Judge:
    def __init__(self, delegraph, folder, verbose):
        self.delegraph, self.folder, self.verbose = delegraph, folder, verbose
        self.counts = dict.fromkeys(("programs", "copies", "elidable", "unsafe", "kept",
                                     "unsaid", "replaced", "wrong"), 0)

    def complain(self, path, text):
        self.counts["wrong"] += 1
        print(f"{path}: {text}")

    def look_at(self, program, save):
        path = str(self.folder / f"{self.counts['programs']}.pt2")
        save(program, path)
        expected = observe(program, program.graph_module)
        if not same(expected, observe(program, program.graph_module)):
            raise SystemExit(f"{path}: two runs differ")
        wrong = self.counts["wrong"]
        self.counts["programs"] += 1
        self.compare(program, path, expected, ask(self.delegraph, path))
        if self.counts["wrong"] == wrong and not self.verbose:
            pathlib.Path(path).unlink()

    def compare(self, program, path, expected, findings):
        elidable, together, unsafe, unsure = [], 0, set(), set()
        for finding in findings:
            if finding["rule"] == "cuda/view-copy-elidable":
                elidable = finding["witness"]
                at_once = re.search(r"(\d+) of them at once", finding["message"])
                together = int(at_once[1]) if at_once else len(elidable)
            elif finding["rule"] == "cuda/view-unsafe":
                sure = re.search("afterwards|same call|next run", finding["message"])
                (unsafe if sure else unsure).add(finding["node"])
        replaced = replaced_by_pass(program)
        for node in filter(is_copy, program.graph.nodes):
            self.compare_node(path, node.name, equal_with(program, expected, {node.name}),
                              node.name in elidable, node.name in unsafe,
                              node.name in unsure, node.name in replaced)
        if not equal_with(program, expected, set(elidable[:together])):
            self.complain(path, f"these cannot be views at once: {elidable[:together]}")

    def compare_node(self, path, name, equal, elidable, unsafe, unsure, replaced):
        counts = self.counts
        counts["copies"] += 1
        counts["replaced"] += replaced
        counts["elidable"] += elidable
        counts["unsafe"] += unsafe
        counts["kept"] += not equal and not unsafe
        counts["unsaid"] += equal and not elidable
        if equal and not elidable and self.verbose:
            print(f"{path}: {name} could be a view{' (unsafe)' * unsafe}")
        if elidable and not equal:
            self.complain(path, f"{name} cannot be a view")
        if unsafe and equal:
            self.complain(path, f"{name} is no unsafe view")
        if unsafe and not replaced:
            self.complain(path, f"{name}: the pass leaves it alone")
        if replaced and not equal and not (unsafe or unsure):
            self.complain(path, f"{name} is an unsafe view")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delegraph", default="build/delegraph")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", help="a folder for the programs that are judged wrongly")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    seed = random.randrange(1 << 30) if args.seed is None else args.seed
    print(f"seed {seed}")
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        judge = Judge(args.delegraph, pathlib.Path(args.keep or scratch), args.verbose)
        x = torch.randn(ROWS, COLUMNS)
        for module in edge_modules():
            program = to_edge(torch.export.export(module, (x.clone(),))).exported_program()
            judge.look_at(program, lambda p, path: save_edge(p, path))
        while judge.counts["programs"] < args.programs:
            module = Line(rng.randrange(1 << 30), rng.randint(3, 12))
            try:
                with torch.no_grad():
                    copy.deepcopy(module)(x.clone())
                    program = torch.export.export(module, (x.clone(),))
            except RuntimeError:  # a write to what lies in several places
                continue
            judge.look_at(program, torch.export.save)
    print(", ".join(f"{n} {what}" for what, n in judge.counts.items()))
    return judge.counts["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
