#!/usr/bin/env python3
"""Hold `delegraph diff` to what was really changed.

    check_diff.py --delegraph PROGRAM [--random N] [--seed N]

Shipped models are exported again by another process: no difference. Random networks are
exported with one edit: what is told is that edit, and nothing else.
"""

import argparse
import collections
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "data"))

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torch.export import export, save

import architectures
import programs

SHIPPED = ("mlp conv_net dynamic cond nested_cond while_loops scans maps buffers input_mutation"
           " tied_weights lifted_constants dtypes").split()
NETWORKS = "resnet mobilenet_v3 bert llama whisper_encoder".split()
EMITTED = "mlp conv_net resnet mobilenet_v3 bert llama".split()


def exported(sample):
    return export(sample.module.eval(), sample.args, sample.kwargs, dynamic_shapes=sample.dynamic,
                  strict=sample.strict)


def emit(program, path, partitioners):
    lowered = to_edge_transform_and_lower(program, partitioner=partitioners).to_executorch()
    path.write_bytes(lowered.buffer)


def make_shipped(folder):
    for name in SHIPPED + NETWORKS:
        torch.manual_seed(0)
        sample = getattr(programs if name in SHIPPED else architectures, name)()
        with torch.no_grad():
            save(exported(sample), folder / f"{name}.pt2")
            if name in EMITTED:
                emit(exported(sample), folder / f"{name}.pte", [])
                emit(exported(sample), folder / f"{name}_xnnpack.pte", [XnnpackPartitioner()])


ACTIVATIONS = (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.Hardswish)


class Block(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        y = x
        for layer in self.layers:
            y = layer(y)
        return x + y


class Renamed(Block):
    """The same by another class, on other lines."""

    def forward(self, inputs):
        value = inputs
        for part in self.layers:
            value = part(value)
        return inputs + value


WIDTH = 6


def description(rng):
    """Blocks as lists of layers: ["linear", bias] or ["act", which]."""
    return [[["linear", rng.random() < 0.7] if rng.random() < 0.5
             else ["act", rng.randrange(len(ACTIVATIONS))] for _ in range(rng.randint(1, 5))]
            for _ in range(rng.randint(2, 6))]


def build(blocks, kind=Block, seed=0):
    """Weights hang on the seed and the size alone, so that edits do not change others."""
    def layer(what):
        if what[0] == "act":
            return ACTIVATIONS[what[1]]()
        if what[0] == "dropped":
            return nn.Identity()
        if what[0] == "extra":
            return nn.Softsign() if what[1] else nn.Softplus()
        made = nn.Linear(WIDTH, WIDTH, bias=what[1])
        for parameter in made.parameters():
            generator = torch.Generator().manual_seed(seed)
            parameter.data.copy_(torch.rand(parameter.shape, generator=generator))
        return made

    return nn.Sequential(*[kind([layer(what) for what in block]) for block in blocks])


def edited(rng, blocks):
    """One edit: what it is called, the network, and what is to be told of .pt2 and .pte:
    a count for each (kind, change)."""
    old = [list(map(list, block)) for block in blocks]
    new = [list(map(list, block)) for block in blocks]
    block = rng.randrange(len(new))
    which = rng.choice("insert remove replace retrain refactor".split())
    op = {"insert": ("op", "added"), "remove": ("op", "removed"), "replace": ("op", "changed")}
    if which in op:
        at = rng.randrange(len(new[block]))
        # a module that computes nothing keeps the numbers of all others
        old[block].insert(at, ["dropped"] if which == "insert" else ["act", 0])
        new[block].insert(at, {"insert": ["act", 0], "remove": ["dropped"],
                               "replace": ["act", 2]}[which])
        return which, build(old), build(new), {op[which]: 1}
    if which == "refactor":
        return which, build(old), build(new, Renamed), {}
    weights = sum(1 + layer[1] for block in old for layer in block if layer[0] == "linear")
    return which, build(old), build(new, seed=1), {("weight", "changed"): weights}


def differences(delegraph, old, new, *options):
    done = subprocess.run([delegraph, "diff", old, new, "--format", "json", *options],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return done.returncode, [], done.stderr
    told = json.loads(done.stdout)
    return done.returncode, told["differences"], told["summary"]


class Count:
    def __init__(self, delegraph):
        self.delegraph, self.checked, self.failures = delegraph, 0, 0

    def hold(self, what, good, told):
        self.checked += 1
        if not good:
            self.failures += 1
            print(f"{what}: {told}", flush=True)

    def same(self, what, old, new, *options):
        code, items, summary = differences(self.delegraph, old, new, *options)
        self.hold(what, code == 0 and not items, f"exit {code}, {summary}, {items[:3]}")


def check_again(count, folder):
    folders = [folder / "first", folder / "second"]
    for number, each in enumerate(folders):
        each.mkdir()
        subprocess.run([sys.executable, "-W", "ignore", __file__, "--make", each], check=True,
                       env={**os.environ, "PYTHONHASHSEED": str(number + 1)})
    for old in sorted(folders[0].iterdir()):
        count.same(f"{old.name} again", old, folders[1] / old.name)


def check_edit(count, folder, rng):
    blocks = description(rng)
    which, old, new, wanted = edited(rng, blocks)
    x = (torch.zeros(2, WIDTH),)
    paths = {}
    with torch.no_grad():
        for name, network in (("old", old), ("new", new)):
            save(export(network.eval(), x), folder / f"{name}.pt2")
            emit(export(network.eval(), x), folder / f"{name}.pte", [])
    for ending in "pt2", "pte":
        paths = folder / f"old.{ending}", folder / f"new.{ending}"
        code, items, summary = differences(count.delegraph, *paths, "--ignore",
                                           "names,source,size,metadata,findings")
        told = collections.Counter()
        for item in items:
            if item["kind"] != "flops":
                told[item["kind"], item["change"]] += item["count"]
        if ending == "pte" and which == "retrain" and told:
            # equal constants are stored once
            good = set(told) == set(wanted) and told["weight", "changed"] <= wanted["weight", "changed"]
        else:
            good = told == collections.Counter(wanted)
        count.hold(f"{which} .{ending} of {blocks}", good and code == bool(items),
                   f"{summary}; {dict(told)}, not {wanted}")
        count.same(f"{which} .{ending} of itself", paths[0], paths[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph")
    parser.add_argument("--random", type=int, default=40, help="networks with an edit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--make", type=Path, help="only export the shipped models there")
    given = parser.parse_args()
    if given.make:
        make_shipped(given.make)
        return 0
    count = Count(given.delegraph)
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        check_again(count, Path(name))
        for _ in range(given.random):
            check_edit(count, Path(name), rng)
    print(f"{count.checked} pairs of programs, {count.failures} not as they were changed")
    return count.failures > 0


if __name__ == "__main__":
    sys.exit(main())
