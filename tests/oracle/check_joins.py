#!/usr/bin/env python3
"""Hold `v_lineage` to what ExecuTorch knows while it lowers.

    check_joins.py --delegraph PROGRAM [--random N] [--seed N] [NETWORK...]

Networks are lowered, without and with XNNPACK, as they are and quantized: by tensor, by channel, and
when they run. The emitter tells of which nodes it makes an instruction, these tell their debug handles
and the nodes of torch.export's program that they came from. What `query` says of a .pte with the .pt2,
and of one with the ETRecord, must not be another: a node that is said to live on in an instruction
either does, or lives on nowhere, as what is folded into the node before it.
"""

import argparse
import collections
import contextlib
import io
import json
import logging
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
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.emit import _emitter
from torch.export import save

import executorch.kernels.quantized  # out variants of what brings codes into floats
import random_programs
import sound_lowering
from check_diff import EMITTED, NETWORKS, SHIPPED
import architectures
import programs

JOINS = """
SELECT l.idx, d.debug_handle AS inside, l.from_node, s.debug_handle AS handle,
       (SELECT json_group_array(debug_handle) FROM delegate_node WHERE graph_id = d.graph_id) AS all_inside
  FROM v_lineage AS l LEFT JOIN delegate_node AS d ON d.id = l.inside_id
  JOIN node AS s ON s.id = l.from_id
"""

WAYS = {
    "by tensor": {},
    "by channel": {"is_per_channel": True},
    "dynamic": {"is_per_channel": True, "is_dynamic": True},
}
PARTITIONERS = {"dynamic": [XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()]}


def prepared(sample, way):
    sample.module.eval()
    if not way:
        return sample
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**WAYS[way]))
    return sound_lowering.quantized(sample, quantizer)


def roots(node):
    """What the nodes that it came from were called when they were traced."""
    found, left = set(), list(node.meta.get("from_node") or [])
    while left:
        source = left.pop()
        left += source.from_node
        if not source.from_node:
            found.add(source.name)
    return found


def handles(node):
    handle = node.meta.get("debug_handle")
    return {handle} if isinstance(handle, int) else set(handle or ())


class Emission:
    """By instruction, and by debug handle: names in the exported program, and handles."""

    def __init__(self):
        self.names, self.handles = collections.defaultdict(set), collections.defaultdict(set)
        self.names_of_handle = collections.defaultdict(set)
        self.original = _emitter._Emitter._add_debug_handle

    def __enter__(self):
        def listen(emitter, number, target, lowered=None):
            nodes = [emitter.node] + (list(lowered.original_module.graph.nodes) if lowered else [])
            at = number + emitter.instruction_start_offset
            for node in nodes:
                self.names[at] |= roots(node)
                self.handles[at] |= handles(node)
                for handle in handles(node):
                    self.names_of_handle[handle] |= roots(node)
            return self.original(emitter, number, target, lowered)

        _emitter._Emitter._add_debug_handle = listen
        return self

    def __exit__(self, *_):
        _emitter._Emitter._add_debug_handle = self.original


class Joins:
    def __init__(self, delegraph, folder, verbose):
        self.delegraph, self.folder, self.verbose = delegraph, folder, verbose
        self.counts = collections.defaultdict(collections.Counter)
        self.faults = []

    def ask(self, model, program, question):
        done = subprocess.run([self.delegraph, "query", model, "--program", program, question,
                               "--format", "json"], capture_output=True, text=True, check=False)
        if done.returncode:
            self.faults.append(f"{program.name}: {done.stderr.strip()}")
            return []
        return json.loads(done.stdout)["rows"]

    def root(self, name):
        """What a node was called when it was traced."""
        return min(self.roots.get(name) or {name})

    def hold(self, name, program, emission, way):
        """program: of torch.export, whose nodes are known by what they were called, or an ETRecord."""
        by_handle = program.suffix == ".etrecord"
        counts = self.counts[("ETRecord" if by_handle else ".pt2") + (", quantized " + way if way else "")]
        told = emission.handles if by_handle else emission.names
        alive = set().union(*told.values())
        joined = set()
        for row in self.ask(self.folder / "m.pte", program, JOINS):
            source = int(row["handle"]) if by_handle else self.root(row["from_node"])
            right = told.get(row["idx"], set())
            fused = source not in alive
            if row["inside"] is not None:
                names = {one: {one} for one in right} if by_handle else emission.names_of_handle
                inside = {one for handle in json.loads(row["all_inside"]) for one in names.get(handle, ())}
                fused = fused or source in right - inside
                right = names.get(row["inside"], set())
            joined.add(source)
            if source in right:
                counts["right"] += 1
            elif fused:
                counts["taken on"] += 1
            else:
                counts["wrong"] += 1
                self.faults.append(f"{name}, {program.name}: {row} is of {sorted(right)}")
        for one in sorted(alive - joined, key=str) if self.verbose else []:
            print(f"{name}, {program.name}: {one} of {sorted(at for at in told if one in told[at])} is not joined")
        counts["pairs"] += 1
        counts["alive"] += len(alive)
        counts["joined"] += len(alive & joined)

    def lower(self, name, sample, partitioners, way):
        record = self.folder / "m.etrecord"
        lowered = to_edge_transform_and_lower(sound_lowering.exported(sample), partitioner=partitioners,
                                              generate_etrecord=True)
        with Emission() as emission:
            made = lowered.to_executorch()
        (self.folder / "m.pte").write_bytes(made.buffer)
        with contextlib.suppress(Exception):  # it cannot save while_loop
            made.get_etrecord().save(str(record))
        for program in self.folder / "aten.pt2", record:
            if program.exists():
                self.hold(name, program, emission, way)

    def network(self, name, sample, way=None):
        name += f" {way}" if way else ""
        for path in self.folder.iterdir():
            path.unlink()
        with torch.no_grad():
            try:
                sample = prepared(sample, way)
                program = sound_lowering.exported(sample)
                self.roots = {node.name: roots(node) for node in program.graph.nodes}
                save(program, self.folder / "aten.pt2")
                for partitioners in [], PARTITIONERS.get(way, [XnnpackPartitioner()]):
                    self.lower(name, sample, partitioners, way)
            except Exception as error:
                print(f"{name}: not lowered: {str(error).splitlines()[0][:120]}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--random", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="name the nodes that are not joined")
    parser.add_argument("networks", nargs="*")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        joins = Joins(given.delegraph, Path(folder), given.verbose)
        named = given.networks or SHIPPED + NETWORKS
        for name, way in [(name, None) for name in named] + [
                (name, way) for name in given.networks or EMITTED for way in WAYS]:
            torch.manual_seed(given.seed)
            joins.network(name, getattr(programs if name in SHIPPED else architectures, name)(), way)
        for number in range(given.random):
            seed = given.seed * 1000 + number
            for way in None, list(WAYS)[number % len(WAYS)]:
                joins.network(f"random {seed}", random_programs.random_sample(seed, ()), way)
    print("".join(fault + "\n" for fault in joins.faults), end="")
    print("; ".join(f"{kind}: {n['pairs']} pairs, {n['joined']} of {n['alive']} nodes joined, {n['right']} right,"
                    f" {n['taken on']} taken on by others, {n['wrong']} wrong"
                    for kind, n in joins.counts.items()))
    return bool(joins.faults) or not all(n["right"] for n in joins.counts.values())


if __name__ == "__main__":
    sys.exit(main())
